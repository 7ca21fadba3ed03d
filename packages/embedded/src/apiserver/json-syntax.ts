import { goQuote, type Json, parseExactJson } from '@karpenter-ts/kubernetes';

/** The real server allows 10,000. No real object has a tenth of it, and our recursion must not overflow the stack. */
export const MAX_DEPTH = 1000;

/** Parses JSON. Errors have the text of Go's decoder, and are made by `toError`. */
export function parseJson(text: string, toError: (problem: string) => Error): Json {
  let value: Json;
  try {
    value = parseExactJson(text) as Json;
  } catch {
    throw toError(syntaxProblemOf(text));
  }
  if (text.length > 2 * MAX_DEPTH && isTooDeep(text)) throw toError('exceeded max depth');
  return value;
}

/** Takes valid JSON. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/g)) {
    if (token === '[' || token === '{') depth++;
    else if (token === ']' || token === '}') depth--;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}

/** The first syntax error of a text that is not JSON. */
function syntaxProblemOf(text: string): string {
  const scanner = new Scanner(text);
  try {
    scanner.scanDocument();
  } catch (error) {
    if (error instanceof SyntaxProblem) return error.message;
    throw error;
  }
  return 'invalid JSON'; // JSON.parse and the scanner disagree: no such text is known
}

class SyntaxProblem extends Error {}

/** Scans a text until it stops being valid JSON. */
class Scanner {
  /** One character per byte, since Go looks at bytes. */
  readonly #bytes: string;
  #at = 0;

  constructor(text: string) {
    this.#bytes = Buffer.from(text).toString('latin1');
  }

  scanDocument(): void {
    this.#value(0);
    this.#skipSpace();
    if (this.#at < this.#bytes.length) this.#fail('after top-level value');
  }

  #value(depth: number): void {
    if (depth > MAX_DEPTH) throw new SyntaxProblem('exceeded max depth');
    const first = this.#peek();
    if (first === '{') this.#list('}', 'after object key:value pair', () => this.#member(depth));
    else if (first === '[') this.#list(']', 'after array element', () => this.#value(depth + 1));
    else if (first === '"') this.#string();
    else if (/[-\d]/.test(first)) this.#number();
    else if (first === 't') this.#literal('true');
    else if (first === 'f') this.#literal('false');
    else if (first === 'n') this.#literal('null');
    else this.#fail('looking for beginning of value');
  }

  #member(depth: number): void {
    if (this.#peek() !== '"') this.#fail('looking for beginning of object key string');
    this.#string();
    if (this.#peek() !== ':') this.#fail('after object key');
    this.#at++;
    this.#value(depth + 1);
  }

  #list(end: string, otherwise: string, item: () => void): void {
    this.#at++;
    if (this.#peek() !== end) {
      item();
      while (this.#peek() === ',') {
        this.#at++;
        item();
      }
    }
    if (this.#peek() !== end) this.#fail(otherwise);
    this.#at++;
  }

  #string(): void {
    this.#take(/"(?:[^"\\\p{Cc}]|[\x7f-\x9f]|\\["\\/bfnrt]|\\u[\da-fA-F]{4})*/uy);
    if (this.#bytes[this.#at] === '"') {
      this.#at++;
      return;
    }
    const isEscape = this.#take(/\\/y);
    if (isEscape && this.#take(/u[\da-fA-F]{0,3}/y)) this.#failInside('in \\u hexadecimal character escape');
    if (isEscape) this.#failInside('in string escape code');
    this.#fail('in string literal');
  }

  #number(): void {
    this.#take(/-/y);
    if (!this.#take(/0|[1-9]\d*/y)) this.#failInside('in numeric literal');
    if (this.#take(/\./y) && !this.#take(/\d+/y)) this.#failInside('after decimal point in numeric literal');
    if (this.#take(/[eE][+-]?/y) && !this.#take(/\d+/y)) this.#failInside('in exponent of numeric literal');
  }

  #literal(word: string): void {
    for (const expected of word) {
      if (this.#bytes[this.#at] !== expected) this.#failInside(`in literal ${word} (expecting '${expected}')`);
      this.#at++;
    }
  }

  #take(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#bytes);
    this.#at += match?.[0].length ?? 0;
    return match !== null;
  }

  #skipSpace(): void {
    this.#take(/[ \t\r\n]*/y);
  }

  #peek(): string {
    this.#skipSpace();
    return this.#bytes[this.#at] ?? '';
  }

  #fail(where: string): never {
    if (this.#at === this.#bytes.length) throw new SyntaxProblem('unexpected end of JSON input');
    this.#failInside(where);
  }

  /** Within a token, Go takes the end for a space. */
  #failInside(where: string): never {
    throw new SyntaxProblem(`invalid character ${quote(this.#bytes[this.#at] ?? ' ')} ${where}`);
  }
}

/** As Go quotes a character. */
function quote(char: string): string {
  if (char === "'") return "'\\''";
  if (char === '"') return `'"'`;
  return goQuote(char).replace(/^"|"$/g, "'");
}
