import type { Json } from './json.ts';
import { LargeInteger } from './large-integer.ts';

// Text as Go's standard library writes it: error messages and hashes depend on it.

/** Go's encoding/json: keys sorted, `<`, `>` and `&` escaped. */
export function goJson(value: Json): string {
  return JSON.stringify(sorted(value)).replace(/[<>&\u2028\u2029]/g, unicodeEscape);
}

function sorted(value: Json): Json {
  if (value === null || typeof value !== 'object' || value instanceof LargeInteger) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const entries = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(
    entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, member]) => [key, sorted(member!)]),
  );
}

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '"': '\\"',
  '\\': '\\\\',
};

/** Go's `strconv.Quote`: printable text stays, the rest is escaped. */
export function goQuote(text: string): string {
  return `"${text.replace(/["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, (char) => SHORT_ESCAPES[char] ?? goEscape(char))}"`;
}

function goEscape(char: string): string {
  const code = char.codePointAt(0)!;
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : unicodeEscape(char);
}

function unicodeEscape(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
