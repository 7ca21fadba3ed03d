import type { FieldPath } from '@karpenter-ts/apis';

/** A place in a text, counted from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Where the text stops being JSON; `undefined` if it never does. `JSON.parse` does not always say. */
export function findSyntaxError(text: string): Position | undefined {
  const scan = new JsonScan(text, () => {});
  return scan.run() ? undefined : positionAt(text, scan.offset);
}

/** Where a field stands in a JSON text: its name, or of a list's item the item. Of a missing one, its nearest parent. */
export function locateField(text: string, path: FieldPath): Position {
  let found = 0;
  let matched = 0; // how many segments of the path lead to where the scan is
  const scan = new JsonScan(text, (depth, segment, offset) => {
    if (depth < matched) matched = depth;
    if (depth !== matched || path[depth] !== segment) return;
    matched = depth + 1;
    found = offset;
  });
  scan.run();
  return positionAt(text, found);
}

/** Called for each field and item in the order of the text; those of the outermost value are at depth 0. */
type Visit = (depth: number, segment: string | number, offset: number) => void;

const SPACE = /[\t\n\r ]*/y;
// oxlint-disable-next-line no-control-regex -- JSON bars exactly these from strings
const STRING = /"(?:[^"\\\u0000-\u001f]+|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/y;
const LITERAL = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/** No file of ours is this deep; one that is shall not exhaust the stack. */
const MAX_DEPTH = 500;

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

function positionAt(text: string, offset: number): Position {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: before.at(-1)!.length + 1 };
}
