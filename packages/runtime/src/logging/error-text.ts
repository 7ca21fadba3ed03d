import { inspect } from 'node:util';

/**
 * What an error says, its causes included: each comes after a comma, unless the message quotes it already. Errors
 * thrown together are separated by semicolons. No stack traces.
 */
export function errorText(error: unknown): string {
  return textOf(error, new Set());
}

function textOf(error: unknown, seen: Set<unknown>): string {
  if (typeof error === 'string') return error;
  if (!(error instanceof Error)) return inspect(error, { breakLength: Infinity });
  if (seen.has(error)) return ''; // an error that caused itself
  seen.add(error);
  const together = error instanceof AggregateError ? error.errors.map((one) => textOf(one, seen)).join('; ') : '';
  const cause = error.cause === undefined ? '' : textOf(error.cause, seen);
  let text = error.message || (together === '' ? error.name : together);
  for (const more of [together, cause]) if (!text.includes(more)) text += `, ${more}`;
  return text;
}
