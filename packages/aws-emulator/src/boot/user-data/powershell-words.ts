/** A quoted text in which the quote is doubled, one with escapes, or a bare word. */
const WORD = /'((?:[^']|'')*)'|"((?:[^"`]|`[^]|"")*)"|[^\s'"]+/g;

/** The commands of a PowerShell script as lists of words, a line each. Variables are left as they are written. */
export function powershellCommands(script: string): readonly (readonly string[])[] {
  return script
    .replaceAll(/`\r?\n/g, ' ') // a line that goes on in the next one
    .split(/\r?\n/)
    .map((line) => [...line.matchAll(WORD)].map(wordOf));
}

function wordOf([word, single, double]: RegExpMatchArray): string {
  if (single !== undefined) return single.replaceAll("''", "'");
  if (double !== undefined) return double.replaceAll('""', '"').replaceAll(/`([^])/g, '$1');
  return word;
}
