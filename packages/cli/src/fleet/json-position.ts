import type { FieldPath } from '@karpenter-ts/apis';

/** A place in a text, counted from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Where the text stops being JSON; `undefined` if it never does. `JSON.parse` does not always say. */
export function findSyntaxError(text: string): Position | undefined {
  const scan = new JsonScan(text, () => {});
  return scan.run() ? undefined : new Lines(text).positionAt(scan.offset);
}

/**
 * Where fields stand in a JSON text: the name, or of a list's item the item. Of a missing one, its nearest parent. One
 * pass over the text, however many are asked for.
 */
export function locateFields(text: string, paths: readonly FieldPath[]): readonly Position[] {
  const root = new PathNode();
  const wanted = paths.map((path) => path.reduce<PathNode>((node, segment) => node.grow(segment), root));
  root.offset = 0;
  const leading: (PathNode | undefined)[] = [root]; // by depth: the node that leads to where the scan is
  new JsonScan(text, (depth, segment, offset) => {
    const node = leading[depth]?.children.get(segment);
    leading[depth + 1] = node;
    if (node !== undefined) node.offset = offset;
  }).run();
  const lines = new Lines(text);
  return wanted.map((node) => lines.positionAt(node.nearestOffset()));
}

/** A field somebody asks for, or a parent of one. */
class PathNode {
  readonly children = new Map<string | number, PathNode>();
  readonly #parent: PathNode | undefined;
  /** Where it was found. */
  offset: number | undefined;

  constructor(parent?: PathNode) {
    this.#parent = parent;
  }

  /** The child of that name, new if need be. */
  grow(segment: string | number): PathNode {
    let child = this.children.get(segment);
    if (child === undefined) {
      child = new PathNode(this);
      this.children.set(segment, child);
    }
    return child;
  }

  nearestOffset(): number {
    return this.offset ?? this.#parent!.nearestOffset();
  }
}

/** Finds lines by offset. */
class Lines {
  readonly #starts: readonly number[];

  constructor(text: string) {
    const starts = [0];
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
    this.#starts = starts;
  }

  positionAt(offset: number): Position {
    let low = 0;
    let high = this.#starts.length;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if (this.#starts[middle]! <= offset) low = middle;
      else high = middle;
    }
    return { line: low + 1, column: offset - this.#starts[low]! + 1 };
  }
}

/** Called for each field and item in the order of the text; those of the outermost value are at depth 0. */
type Visit = (depth: number, segment: string | number, offset: number) => void;

const SPACE = /[\t\n\r ]*/y;
// oxlint-disable-next-line no-control-regex -- JSON bars exactly these from strings
const STRING = /"(?:[^"\\\u0000-\u001f]+|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/y;
const LITERAL = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/** No file of ours is this deep; one that is shall not exhaust the stack. */
export const MAX_DEPTH = 500;

/** One pass over a JSON text. Each method leaves `offset` behind what it read, or at what it could not read. */
class JsonScan {
  readonly #text: string;
  readonly #visit: Visit;
  offset = 0;

  constructor(text: string, visit: Visit) {
    this.#text = text;
    this.#visit = visit;
  }

  /** Whether the whole text is one JSON value. */
  run(): boolean {
    if (!this.#value(0)) return false;
    this.#read(SPACE);
    return this.offset === this.#text.length;
  }

  #value(depth: number): boolean {
    this.#read(SPACE);
    if (depth > MAX_DEPTH) return false;
    if (this.#mark('{')) return this.#members('}', () => this.#member(depth));
    if (this.#mark('[')) {
      let index = 0;
      return this.#members(']', () => this.#item(depth, index++));
    }
    return this.#read(STRING) !== undefined || this.#read(LITERAL) !== undefined;
  }

  #members(close: '}' | ']', member: () => boolean): boolean {
    if (this.#mark(close)) return true;
    do {
      if (!member()) return false;
    } while (this.#mark(','));
    return this.#mark(close);
  }

  #member(depth: number): boolean {
    this.#read(SPACE);
    const begin = this.offset;
    const name = this.#read(STRING);
    if (name === undefined) return false;
    this.#visit(depth, String(JSON.parse(name)), begin);
    return this.#mark(':') && this.#value(depth + 1);
  }

  #item(depth: number, index: number): boolean {
    this.#read(SPACE);
    this.#visit(depth, index, this.offset);
    return this.#value(depth + 1);
  }

  #mark(mark: string): boolean {
    this.#read(SPACE);
    if (this.#text[this.offset] !== mark) return false;
    this.offset++;
    return true;
  }

  #read(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.offset;
    const match = pattern.exec(this.#text)?.[0];
    if (match !== undefined) this.offset += match.length;
    return match;
  }
}
