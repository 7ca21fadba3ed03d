import type { Fields } from './log-entry.ts';
import { valueText } from './value-text.ts';

/**
 * An error with values to search for. They appear in its message as ` (key=value, …)`, sorted, and on the log line as
 * fields.
 */
export class StructuredError extends Error {
  override readonly name = 'StructuredError';
  readonly values: Fields;

  constructor(message: string, values: Fields, options?: ErrorOptions) {
    super(
      `${message} (${sortedEntries(values)
        .map(([key, value]) => `${key}=${valueText(value)}`)
        .join(', ')})`,
      options,
    );
    this.values = values;
  }
}

/**
 * The values of an error, of its causes and of errors thrown together with it, sorted by key. If a key occurs more than
 * once, an `s` is appended to it and it holds all values.
 */
export function errorValues(error: unknown): Fields {
  const found = new Map<string, unknown[]>();
  collect(error, found, new Set());
  return Object.fromEntries(
    sortedEntries(Object.fromEntries(found)).map(([key, values]) =>
      values.length === 1 ? [key, values[0]] : [`${key}s`, values],
    ),
  );
}

function collect(error: unknown, found: Map<string, unknown[]>, seen: Set<unknown>): void {
  if (!(error instanceof Error) || seen.has(error)) return;
  seen.add(error);
  if (hasValues(error)) {
    for (const [key, value] of Object.entries(error.values)) {
      const values = found.get(key);
      if (values === undefined) found.set(key, [value]);
      else values.push(value);
    }
  }
  if (error instanceof AggregateError) for (const one of error.errors) collect(one, found, seen);
  collect(error.cause, found, seen);
}

/** Errors of other classes may have values too. */
function hasValues(error: Error): error is Error & Pick<StructuredError, 'values'> {
  return 'values' in error && typeof error.values === 'object' && error.values !== null;
}

function sortedEntries<V>(values: Readonly<Record<string, V>>): [string, V][] {
  return Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1));
}
