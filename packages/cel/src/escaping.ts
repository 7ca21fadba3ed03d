/** Words CEL keeps for itself, of which Kubernetes has `namespace` in every object. */
export const RESERVED_WORDS: ReadonlySet<string> = new Set(
  (
    'true false null in as break const continue else for function if import let loop package namespace return var void ' +
    'while'
  ).split(' '),
);

const ESCAPES: Readonly<Record<string, string>> = {
  __: '__underscores__',
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
};
const UNESCAPED = new Map(Object.entries(ESCAPES).map(([char, escape]) => [escape, char]));

/** The name rules use for a property, or undefined for a property that rules cannot name. */
export function escapeProperty(name: string): string | undefined {
  if (RESERVED_WORDS.has(name)) return `__${name}__`;
  if (!/^[A-Za-z_.\-/][\w.\-/]*$/.test(name)) return undefined;
  return name.replace(/__|[.\-/]/g, (match) => ESCAPES[match]!);
}

/** The property a name in a rule stands for, or undefined where it holds an escape that does not exist. */
export function unescapeProperty(name: string): string | undefined {
  let isValid = true;
  const property = name.replace(/__([^_]+)__/g, (match, word: string) => {
    const char = UNESCAPED.get(match);
    if (char !== undefined) return char;
    isValid &&= RESERVED_WORDS.has(word) && match === name;
    return word;
  });
  return isValid ? property : undefined;
}
