import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { getHeapSnapshot, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** The part of V8's format that is read here: rows of numbers, whose columns `meta` names. */
interface SnapshotFile {
  readonly snapshot: {
    readonly meta: {
      readonly node_fields: readonly string[];
      readonly node_types: readonly [readonly string[], ...unknown[]];
      readonly edge_fields: readonly string[];
      readonly edge_types: readonly [readonly string[], ...unknown[]];
    };
  };
  readonly nodes: readonly number[];
  readonly edges: readonly number[];
  readonly strings: readonly string[];
}

/** A reference from one object to another. */
export interface Edge {
  readonly type: string; // property, context, element, internal, hidden, shortcut or weak
  readonly name: string; // of the property or variable; a number for others
  readonly to: number;
}

/** All live objects of this process and the references between them, private ones included. Nodes are numbers. */
export class HeapGraph {
  readonly #file: SnapshotFile;
  readonly #width: number;
  readonly #firstEdges: Uint32Array;
  readonly size: number;

  constructor(file: SnapshotFile) {
    const { node_fields: fields } = file.snapshot.meta;
    this.#file = file;
    this.#width = fields.length;
    this.size = file.nodes.length / this.#width;
    this.#firstEdges = new Uint32Array(this.size + 1);
    const edgeCount = fields.indexOf('edge_count');
    for (let node = 0; node < this.size; node++) {
      this.#firstEdges[node + 1] = this.#firstEdges[node]! + file.nodes[node * this.#width + edgeCount]!;
    }
  }

  /** Takes a snapshot after collecting garbage, in rounds, so that finalization callbacks run in between. */
  static async take(): Promise<HeapGraph> {
    for (let round = 0; round < 3; round++) {
      collect();
      await delay(20);
    }
    return new HeapGraph(JSON.parse(await text(getHeapSnapshot())) as SnapshotFile);
  }

  /** Object, closure, string, array (which backs a list or a table), hidden … */
  typeOf(node: number): string {
    return this.#file.snapshot.meta.node_types[0][this.#file.nodes[node * this.#width]!]!;
  }

  /** The class of an object, the name of a function, the text of a string. */
  nameOf(node: number): string {
    return this.#file.strings[this.#file.nodes[node * this.#width + 1]!]!;
  }

  *edgesOf(node: number): Iterable<Edge> {
    for (let edge = this.#firstEdges[node]!; edge < this.#firstEdges[node + 1]!; edge++) yield this.#edge(edge);
  }

  #edge(edge: number): Edge {
    const { edges, strings, snapshot } = this.#file;
    const type = snapshot.meta.edge_types[0][edges[edge * 3]!]!;
    const name = edges[edge * 3 + 1]!;
    const isNumbered = type === 'element' || type === 'hidden';
    return { type, name: isNumbered ? String(name) : strings[name]!, to: edges[edge * 3 + 2]! / this.#width };
  }
}
