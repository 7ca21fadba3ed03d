import { findCause } from './cause.ts';
import { errorText } from './logging/error-text.ts';
import { isConflict, StatusError } from './client/status-error.ts';

/**
 * Combines the errors of several attempts into one to throw; undefined if there are none. Write conflicts are left out
 * if there are other errors: they only ask for a retry, which any error causes.
 */
export function combineErrors(errors: readonly unknown[]): unknown {
  const real = errors.filter((error) => !isConflict(findCause(error, StatusError)));
  if (real.length <= 1) return real[0] ?? errors[0];
  return new AggregateError(real, real.map(errorText).join('; '));
}
