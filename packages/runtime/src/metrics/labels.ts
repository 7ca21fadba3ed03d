/** A value for each label of a definition. A metric without labels takes `{}`. */
export type Labels<L extends string> = [L] extends [never]
  ? Readonly<Record<string, never>>
  : Readonly<Record<L, string>>;

/**
 * Labels as they stand between the braces of a sample, in the order of `names`. Equal labels give equal texts and
 * different ones different texts, so the text is also the key of a series. An absent value is written as empty.
 */
export function labelText(names: readonly string[], labels: Readonly<Record<string, string>>): string {
  let text = '';
  for (const name of names) {
    const value = labels[name] ?? '';
    text += `${text === '' ? '' : ','}${name}="${NEEDS_ESCAPE.test(value) ? escapeQuoted(value) : value}"`;
  }
  return text;
}

/** Label texts put together; either may be empty. */
export function joinLabels(first: string, second: string): string {
  return first === '' || second === '' ? first + second : `${first},${second}`;
}

const NEEDS_ESCAPE = /["\\\n]/;

/** Escapes what may not stand within double quotes. */
export function escapeQuoted(text: string): string {
  return text.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n');
}
