import { AssertionError } from 'node:assert';
import { inspect } from 'node:util';

/** Thrown by a bug, not by the world: what an engine throws on wrong code, a failed assertion, or no Error at all. */
export function isPanic(thrown: unknown): boolean {
  return (
    !(thrown instanceof Error) ||
    thrown instanceof TypeError ||
    thrown instanceof ReferenceError ||
    thrown instanceof RangeError ||
    thrown instanceof AssertionError
  );
}

/** A bug that was caught so that the process survives. Its text is upstream's: people alert on it. */
export class RecoveredPanicError extends Error {
  override readonly name = 'RecoveredPanicError';

  constructor(thrown: unknown) {
    super(`panic: ${panicText(thrown)} [recovered]`, { cause: thrown });
  }
}

/** What was thrown, in one line. */
export function panicText(thrown: unknown): string {
  return thrown instanceof Error || typeof thrown === 'string'
    ? String(thrown)
    : inspect(thrown, { breakLength: Infinity });
}
