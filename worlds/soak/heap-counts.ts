import { type Edge, HeapGraph } from './heap-graph.ts';

/** How many entries each container of the heap has, by the path of fields to it, and how many objects each class has. */
export type HeapCounts = ReadonlyMap<string, number>;

/** How many owners the path of a container names, so that the heap of a queue is told by the controller it belongs to. */
const OWNERS = 3;
const MOST_HOPS = 30;
/** Classes of the API server, which is not counted: its watch windows and logs fill for weeks, up to their bounds. */
const SERVER = new Set(['ApiServer', 'Watch', 'Collection']);
/** Classes that say nothing about who an object belongs to. */
const PLAIN = new Set(['Object', 'Array', 'Map', 'Set', 'system / Context']);

/**
 * Counts the entries of all maps, sets and lists in this process, and the objects of each class. What only the API server
 * holds is left out. The counts come from a heap snapshot of V8: nothing has to be registered, and private fields and
 * variables of closures are included.
 */
export async function countHeap(): Promise<HeapCounts> {
  return countsOf(await HeapGraph.take());
}

function countsOf(graph: HeapGraph): HeapCounts {
  const counts = new Map<string, number>();
  const add = (what: string, count: number): void => void counts.set(what, (counts.get(what) ?? 0) + count);
  const parents = findParents(graph);
  for (let node = 0; node < graph.size; node++) {
    const type = graph.typeOf(node);
    if ((type !== 'object' && type !== 'closure') || parents.nodes[node] === -1) continue;
    add(`${type === 'object' ? 'objects of class' : 'functions named'} ${graph.nameOf(node) || '(none)'}`, 1);
    const entries = countEntries(graph, node);
    if (entries > 0) add(`entries of ${pathOf(graph, parents, node)}`, entries);
  }
  return counts;
}

/** The number of references that a map, a set or a list holds, to keys as well as to values; 0 for everything else. */
function countEntries(graph: HeapGraph, node: number): number {
  const name = graph.nameOf(node);
  if (name === 'Array') return count(graph.edgesOf(node), ({ type }) => type === 'element');
  if (name !== 'Map' && name !== 'Set') return 0;
  for (const { type, name: part, to } of graph.edgesOf(node)) {
    if (type === 'internal' && part === 'table') return count(graph.edgesOf(to), (edge) => !isGap(graph, edge));
  }
  return 0;
}

/** Whether a slot of a table is unused: its entry was deleted, or the table has room for more. */
function isGap(graph: HeapGraph, { to }: Edge): boolean {
  return graph.typeOf(to) === 'hidden' || graph.typeOf(to) === 'object shape';
}

interface Parents {
  readonly nodes: Int32Array; // −1: none
  readonly edges: readonly (Edge | undefined)[];
}

/** Finds a shortest path of strong references from the roots to each node that does not lead through the API server. */
function findParents(graph: HeapGraph): Parents {
  const nodes = new Int32Array(graph.size).fill(-1);
  const edges: (Edge | undefined)[] = Array.from({ length: graph.size });
  const queue = [0];
  for (let at = 0; at < queue.length; at++) {
    const node = queue[at]!;
    if (SERVER.has(graph.nameOf(node)) && graph.typeOf(node) === 'object') continue;
    for (const edge of graph.edgesOf(node)) {
      if (!keepsAlive(graph, node, edge) || edge.to === 0 || nodes[edge.to] !== -1) continue;
      nodes[edge.to] = node;
      edges[edge.to] = edge;
      queue.push(edge.to);
    }
  }
  return { nodes, edges };
}

/**
 * Whether `from` keeps the target alive. The value of a WeakMap lives for as long as its key, but V8 shows it as a
 * reference of the table as well. If that counted, values would count whose keys only the API server holds.
 */
function keepsAlive(graph: HeapGraph, from: number, { type, name }: Edge): boolean {
  if (type === 'weak') return false;
  const isTable = graph.typeOf(from) === 'array';
  return !(isTable && type === 'internal' && name.includes(' pair in WeakMap (table @'));
}

/** Returns the path to a container, such as `ControllerRunner.#queue WorkQueue.#waiting Heap.#items`. */
function pathOf(graph: HeapGraph, { nodes, edges }: Parents, container: number): string {
  const owners: string[] = [];
  let fields = '';
  let node = container;
  for (let hops = 0; hops < MOST_HOPS && owners.length < OWNERS; hops++) {
    const edge = edges[node];
    if (edge === undefined) break;
    fields = stepOf(edge) + fields;
    node = nodes[node]!;
    const name = graph.nameOf(node);
    const type = graph.typeOf(node);
    if (type !== 'closure' && (type !== 'object' || PLAIN.has(name))) continue;
    owners.unshift(`${name || '(function)'}${type === 'closure' ? '()' : ''}${fields}`);
    fields = '';
  }
  return owners.length > 0 ? owners.join(' ') : fields || '(roots)';
}

/** What one reference adds to a path: the name of a field or variable, or `[]` for a place in a list or table. */
function stepOf({ type, name }: Edge): string {
  if (type === 'property' || type === 'context') return `.${name}`;
  return type === 'element' ? '[]' : '';
}

function count<T>(items: Iterable<T>, matches: (item: T) => boolean): number {
  let found = 0;
  for (const item of items) if (matches(item)) found++;
  return found;
}

/** A count that has grown. */
export interface Growth {
  readonly what: string;
  readonly before: number;
  readonly after: number;
}

/**
 * Finds the counts that have grown by more than `allowed` and one in a hundred, the largest growth first. Smaller
 * differences do not count, since work may be under way at either moment.
 */
export function findGrowth(before: HeapCounts, after: HeapCounts, allowed: number): readonly Growth[] {
  const grown: Growth[] = [];
  for (const [what, now] of after) {
    const then = before.get(what) ?? 0;
    if (now > then + allowed + then / 100) grown.push({ what, before: then, after: now });
  }
  return grown.sort((a, b) => b.after - b.before - (a.after - a.before));
}
