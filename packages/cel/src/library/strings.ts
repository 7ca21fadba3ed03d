import { describe } from '../runtime/describe.ts';
import { ArrayList, type CelList } from '../runtime/list.ts';
import { CelError, type CelResult } from '../runtime/value.ts';
import { global, member, type Overload } from './overload.ts';
import { formatString } from './string-format.ts';

// The strings extension, version 2. Positions count code points, as Go's runes do.

/** Methods of strings, `join` of lists of them, `strings.quote`. */
export const strings: readonly Overload[] = [
  member('string', 'charAt(int): string', charAt),
  member('string', 'indexOf(string): int', (text: string, part: string) => indexOf(text, part, 0n)),
  member('string', 'indexOf(string, int): int', indexOf),
  member('string', 'lastIndexOf(string): int', (text: string, part: string) => lastIndexOf(text, part)),
  member('string', 'lastIndexOf(string, int): int', lastIndexOf),
  member('string', 'lowerAscii(): string', (text: string) => text.replace(/[A-Z]+/g, (match) => match.toLowerCase())),
  member('string', 'upperAscii(): string', (text: string) => text.replace(/[a-z]+/g, (match) => match.toUpperCase())),
  member('string', 'replace(string, string): string', replaceAll, replaceCost),
  member('string', 'replace(string, string, int): string', replace, replaceCost),
  member('string', 'split(string): list(string)', (text: string, separator: string) => split(text, separator, -1n)),
  member('string', 'split(string, int): list(string)', split),
  member('string', 'substring(int): string', substringFrom),
  member('string', 'substring(int, int): string', substring),
  member('string', 'trim(): string', trim),
  member('string', 'format(list(dyn)): string', formatString),
  member('list(string)', 'join(): string', (list: CelList) => join(list, '')),
  member(
    'list(string)',
    'join(string): string',
    join,
    (list: CelList, separator: string) => list.size * separator.length,
  ),
  global('strings.quote(string): string', quote),
];

function outOfRange(index: bigint | number): CelError {
  return new CelError(`index out of range: ${index}`);
}

function charAt(text: string, index: bigint): CelResult {
  const chars = [...text];
  if (index < 0n || index > chars.length) return outOfRange(index);
  return chars[Number(index)] ?? '';
}

function indexOf(text: string, part: string, offset: bigint): CelResult {
  if (part === '') return offset;
  if (offset < 0n) return outOfRange(offset);
  return find([...text], [...part], Number(offset), 1);
}

function lastIndexOf(text: string, part: string, offset?: bigint): CelResult {
  const chars = [...text];
  if (part === '') return offset ?? BigInt(chars.length);
  const partChars = [...part];
  if (offset === undefined) return find(chars, partChars, chars.length - partChars.length, -1);
  if (offset < 0n) return outOfRange(offset);
  if (offset >= chars.length) return -1n;
  return find(chars, partChars, Math.min(Number(offset), chars.length - partChars.length), -1);
}

function find(chars: readonly string[], part: readonly string[], from: number, step: 1 | -1): bigint {
  for (let i = from; i >= 0 && i <= chars.length - part.length; i += step) {
    if (part.every((char, j) => chars[i + j] === char)) return BigInt(i);
  }
  return -1n;
}

function replaceAll(text: string, old: string, replacement: string): string {
  return replace(text, old, replacement, -1n);
}

/** An empty `old` is found before every character and at the end. */
function replace(text: string, old: string, replacement: string, limit: bigint): string {
  const parts = old === '' ? ['', ...text, ''] : text.split(old);
  const count = limit < 0n ? parts.length - 1 : Math.min(Number(limit), parts.length - 1);
  return [parts.slice(0, count + 1).join(replacement), ...parts.slice(count + 1)].join(old);
}

/** The most the result can grow by. */
function replaceCost(text: string, old: string, replacement: string): number {
  return ((text.length + 1) / Math.max(old.length, 1)) * replacement.length;
}

function split(text: string, separator: string, limit: bigint): CelList {
  if (limit === 0n) return new ArrayList([]);
  const parts = separator === '' ? [...text] : text.split(separator);
  if (limit < 0n || parts.length <= limit) return new ArrayList(parts);
  const count = Number(limit) - 1;
  return new ArrayList([...parts.slice(0, count), parts.slice(count).join(separator)]);
}

function substringFrom(text: string, start: bigint): CelResult {
  const chars = [...text];
  if (start < 0n || start > chars.length) return outOfRange(start);
  return chars.slice(Number(start)).join('');
}

function substring(text: string, start: bigint, end: bigint): CelResult {
  const chars = [...text];
  if (start > end) return new CelError(`invalid substring range. start: ${start}, end: ${end}`);
  if (start < 0n || start > chars.length) return outOfRange(start);
  if (end > chars.length) return outOfRange(end);
  return chars.slice(Number(start), Number(end)).join('');
}

const SPACE = '[\\t-\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]+';
const OUTER_SPACE = new RegExp(`^${SPACE}|${SPACE}$`, 'g'); // Go's idea of white space, not JavaScript's

function trim(text: string): string {
  return text.replace(OUTER_SPACE, '');
}

function join(list: CelList, separator: string): CelResult {
  const parts: string[] = [];
  for (const element of list) {
    if (typeof element !== 'string') return new CelError(`join: invalid input: ${describe(element)}`);
    parts.push(element);
  }
  return parts.join(separator);
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
  ['\\', '\\\\'],
  ['"', '\\"'],
]);

/** Unlike Go's own quoting, other unprintable characters stay. */
function quote(text: string): string {
  return `"${Array.from(text.toWellFormed(), (char) => ESCAPES.get(char) ?? char).join('')}"`;
}
