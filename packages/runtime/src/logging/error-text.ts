import { inspect } from 'node:util';

/**
 * The message of an error with those of its causes. Causes follow after a comma, unless the text before quotes them
 * already; several errors thrown together are separated by semicolons. Without stack traces.
 */
export function errorText(error: unknown): string {
  return textOf(error, new Set());
}

function textOf(error: unknown, seen: Set<unknown>): string {
  const [first = '', ...others] = partsOf(error, seen);
  return others.reduce((text, part) => (text.includes(part) ? text : `${text}, ${part}`), first);
}

/**
 * The message of the error, then the messages of its causes one by one: an error that quotes its cause may not quote
 * the cause of that.
 */
function partsOf(error: unknown, seen: Set<unknown>): readonly string[] {
  if (typeof error === 'string') return [error];
  if (!(error instanceof Error)) return [inspect(error, { breakLength: Infinity })];
  if (seen.has(error)) return []; // a cycle of causes
  seen.add(error);
  const together = error instanceof AggregateError ? error.errors.map((one) => textOf(one, seen)).join('; ') : '';
  const causes = error.cause === undefined ? [] : partsOf(error.cause, seen);
  return [error.message || together || error.name, together, ...causes];
}
