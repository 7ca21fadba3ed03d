const NAMED: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
};

/** A string in double quotes as Go's `%q` writes it: what cannot be printed is escaped. */
export function goQuote(text: string): string {
  return `"${text.replace(/[\\"]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, escape)}"`;
}

function escape(char: string): string {
  const code = char.codePointAt(0)!;
  if (code < 0x80) return NAMED[char] ?? `\\x${code.toString(16).padStart(2, '0')}`;
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, '0')}` : `\\U${code.toString(16).padStart(8, '0')}`;
}
