import { AssertionError } from 'node:assert';
import { inspect } from 'node:util';

/**
 * Whether something was thrown because of a bug: an error of the JavaScript engine, a failed assertion, or a value that
 * is no Error.
 */
export function isPanic(thrown: unknown): boolean {
  return (
    !(thrown instanceof Error) ||
    thrown instanceof TypeError ||
    thrown instanceof ReferenceError ||
    thrown instanceof RangeError ||
    thrown instanceof AssertionError
  );
}

/** A bug that was caught so that the process keeps running. The text is upstream's, because people alert on it. */
export class RecoveredPanicError extends Error {
  override readonly name = 'RecoveredPanicError';

  constructor(thrown: unknown) {
    super(`panic: ${panicText(thrown)} [recovered]`, { cause: thrown });
  }
}

/** The thrown value in one line. */
export function panicText(thrown: unknown): string {
  return thrown instanceof Error || typeof thrown === 'string'
    ? String(thrown)
    : inspect(thrown, { breakLength: Infinity });
}
