import { inspect } from 'node:util';

/**
 * What an error says, its causes included: each comes after a comma, unless what stands before quotes it already. Errors
 * thrown together are separated by semicolons. No stack traces.
 */
export function errorText(error: unknown): string {
  return textOf(error, new Set());
}

function textOf(error: unknown, seen: Set<unknown>): string {
  const [first = '', ...others] = partsOf(error, seen);
  return others.reduce((text, part) => (text.includes(part) ? text : `${text}, ${part}`), first);
}

/** What the error says, then what its causes say, one by one: an error that quotes its cause may not quote the next. */
function partsOf(error: unknown, seen: Set<unknown>): readonly string[] {
  if (typeof error === 'string') return [error];
  if (!(error instanceof Error)) return [inspect(error, { breakLength: Infinity })];
  if (seen.has(error)) return []; // an error that caused itself
  seen.add(error);
  const together = error instanceof AggregateError ? error.errors.map((one) => textOf(one, seen)).join('; ') : '';
  const causes = error.cause === undefined ? [] : partsOf(error.cause, seen);
  return [error.message || together || error.name, together, ...causes];
}
