/** A value for each label of a definition. A metric without labels takes `{}`. */
export type Labels<L extends string> = [L] extends [never]
  ? Readonly<Record<string, never>>
  : Readonly<Record<L, string>>;

/**
 * Formats labels as between the braces of a sample, in the order of `names`. Distinct labels give distinct texts, so
 * the text is also the key of a series. An absent value is written as empty.
 */
export function labelText(names: readonly string[], labels: Readonly<Record<string, string>>): string {
  let text = '';
  for (const name of names) {
    const value = labels[name] ?? '';
    text += `${text === '' ? '' : ','}${name}="${NEEDS_ESCAPE.test(value) ? escapeQuoted(value) : value}"`;
  }
  return text;
}

/** Joins two label texts, each of which may be empty. */
export function joinLabels(first: string, second: string): string {
  return first === '' || second === '' ? first + second : `${first},${second}`;
}

const NEEDS_ESCAPE = /["\\\n]/;

/** Escapes the characters that may not occur within double quotes. */
export function escapeQuoted(text: string): string {
  return text.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n');
}
