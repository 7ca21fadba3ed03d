import { Uint } from '../runtime/value.ts';
import { SyntaxIssue, type Token } from './lexer.ts';

const MAX_INT = 2n ** 63n;
const MAX_UINT = 2n ** 64n;

/** The value of an int literal; a minus belongs to it, or the smallest int could not be written. */
export function parseInt({ text, pos }: Token, sign: '' | '-'): bigint {
  const value = sign === '-' ? -BigInt(text) : BigInt(text);
  if (value < -MAX_INT || value >= MAX_INT) throw new SyntaxIssue(pos, 'invalid int literal');
  return value;
}

/** The value of a uint literal, `1u`. */
export function parseUint({ text, pos }: Token): Uint {
  const value = BigInt(text.slice(0, -1));
  if (value >= MAX_UINT) throw new SyntaxIssue(pos, 'invalid uint literal');
  return new Uint(value);
}

/** The value of a double literal; one too large for a double is refused. */
export function parseDouble({ text, pos }: Token, sign: '' | '-'): number {
  const value = Number(`${sign}${text}`);
  if (!Number.isFinite(value)) throw new SyntaxIssue(pos, 'invalid double literal');
  return value;
}

/** The text of a string literal, quotes off and escapes resolved. */
export function parseString(token: Token): string {
  const { raw, body } = unquote(token.text);
  return raw ? body : body.replace(/\\(?:[xX]..|u.{4}|U.{8}|\d{3}|.)/gs, (escape) => unescape(escape, token));
}

/** The bytes of a bytes literal: text in UTF-8, hexadecimal and octal escapes as the bytes they name. */
export function parseBytes(token: Token): Uint8Array {
  const { raw, body } = unquote(token.text.slice(1));
  if (raw) return Buffer.from(body);
  const parts = body.split(/(\\(?:[xX]..|[uU]|\d{3}|.))/s);
  return Buffer.concat(parts.map((part, i) => (i % 2 === 0 ? Buffer.from(part) : escapedByte(part, token))));
}

function unquote(text: string): { raw: boolean; body: string } {
  const normal = text.replace(/\r\n?/g, '\n');
  const raw = /^[rR]/.test(normal);
  const quoted = raw ? normal.slice(1) : normal;
  const width = /^("""|''').*\1$/s.test(quoted) && quoted.length >= 6 ? 3 : 1;
  return { raw, body: quoted.slice(width, -width) };
}

const SIMPLE: Readonly<Record<string, string>> = { a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

function unescape(escape: string, { pos }: Token): string {
  const code = codeOf(escape);
  if (code === undefined) return SIMPLE[escape[1]!] ?? escape[1]!;
  if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) throw new SyntaxIssue(pos, 'invalid unicode code point');
  return String.fromCodePoint(code);
}

function escapedByte(escape: string, { pos }: Token): Uint8Array {
  if (/^\\u/i.test(escape)) throw new SyntaxIssue(pos, 'unable to unescape string');
  const code = codeOf(escape);
  return code === undefined ? Buffer.from(SIMPLE[escape[1]!] ?? escape[1]!) : Buffer.of(code);
}

function codeOf(escape: string): number | undefined {
  if (/^\\[xu]/i.test(escape)) return Number.parseInt(escape.slice(2), 16);
  return /^\\\d/.test(escape) ? Number.parseInt(escape.slice(1), 8) : undefined;
}
