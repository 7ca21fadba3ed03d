import { type Edge, HeapGraph } from './heap-graph.ts';

/** How many there are of everything, by what it is: entries by the path of their container, objects by their class. */
export type Census = ReadonlyMap<string, number>;

/** Of a container's owners, so many are named: a queue's heap is known by the controller whose queue it is. */
const OWNERS = 3;
const MOST_HOPS = 30;
/** The API server is no part of what is counted: its rings and logs fill for weeks, up to their bounds. */
const SERVER = new Set(['ApiServer', 'Watch', 'Collection']);
/** Objects of no class of their own. */
const PLAIN = new Set(['Object', 'Array', 'Map', 'Set', 'system / Context']);

/**
 * Counts what this process holds, but for what only its API server does: the entries of all maps, sets and lists, and
 * the objects of each class. It reads what V8 knows, so that nothing has to be registered and nothing can be left out,
 * be it private or a closure's.
 */
export async function takeCensus(): Promise<Census> {
  return censusOf(await HeapGraph.take());
}

function censusOf(graph: HeapGraph): Census {
  const census = new Map<string, number>();
  const add = (what: string, count: number): void => void census.set(what, (census.get(what) ?? 0) + count);
  const parents = findParents(graph);
  for (let node = 0; node < graph.size; node++) {
    const type = graph.typeOf(node);
    if ((type !== 'object' && type !== 'closure') || parents.nodes[node] === -1) continue;
    add(`${type === 'object' ? 'objects of class' : 'functions named'} ${graph.nameOf(node) || '(none)'}`, 1);
    const entries = countEntries(graph, node);
    if (entries > 0) add(`entries of ${pathOf(graph, parents, node)}`, entries);
  }
  return census;
}

/** References that a map, a set or a list holds; 0 for everything else. Those to keys count, those to values too. */
function countEntries(graph: HeapGraph, node: number): number {
  const name = graph.nameOf(node);
  if (name === 'Array') return count(graph.edgesOf(node), ({ type }) => type === 'element');
  if (name !== 'Map' && name !== 'Set') return 0;
  for (const { type, name: part, to } of graph.edgesOf(node)) {
    if (type === 'internal' && part === 'table') return count(graph.edgesOf(to), (edge) => !isGap(graph, edge));
  }
  return 0;
}

/** Where an entry was deleted, and the rest of a table that has room for more. */
function isGap(graph: HeapGraph, { to }: Edge): boolean {
  return graph.typeOf(to) === 'hidden' || graph.typeOf(to) === 'object shape';
}

interface Parents {
  readonly nodes: Int32Array; // −1: none
  readonly edges: readonly (Edge | undefined)[];
}

/** A shortest way to each node from the roots, by references that keep alive and past the API server. */
function findParents(graph: HeapGraph): Parents {
  const nodes = new Int32Array(graph.size).fill(-1);
  const edges: (Edge | undefined)[] = Array.from({ length: graph.size });
  const queue = [0];
  for (let at = 0; at < queue.length; at++) {
    const node = queue[at]!;
    if (SERVER.has(graph.nameOf(node)) && graph.typeOf(node) === 'object') continue;
    for (const edge of graph.edgesOf(node)) {
      if (edge.type === 'weak' || edge.to === 0 || nodes[edge.to] !== -1) continue;
      nodes[edge.to] = node;
      edges[edge.to] = edge;
      queue.push(edge.to);
    }
  }
  return { nodes, edges };
}

/** Such as `ControllerRunner.#queue WorkQueue.#waiting Heap.#items`. */
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

/** What one hop adds to a path: a field or variable by its name, a place in a list or table as such. */
function stepOf({ type, name }: Edge): string {
  if (type === 'property' || type === 'context') return `.${name}`;
  return type === 'element' ? '[]' : '';
}

function count<T>(items: Iterable<T>, isMeant: (item: T) => boolean): number {
  let found = 0;
  for (const item of items) if (isMeant(item)) found++;
  return found;
}

/** Something of which there is more than there was. */
export interface Growth {
  readonly what: string;
  readonly before: number;
  readonly after: number;
}

/**
 * What has grown from one census to the next by more than chance allows: a few, or one in a hundred, since at either
 * moment something may just be under way.
 */
export function findGrowth(before: Census, after: Census, allowed: number): readonly Growth[] {
  const grown: Growth[] = [];
  for (const [what, now] of after) {
    const then = before.get(what) ?? 0;
    if (now > then + allowed + then / 100) grown.push({ what, before: then, after: now });
  }
  return grown.sort((a, b) => b.after - b.before - (a.after - a.before));
}
