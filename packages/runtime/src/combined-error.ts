import { findCause } from './cause.ts';
import { errorText } from './logging/error-text.ts';
import { isConflict, StatusError } from './client/status-error.ts';

/**
 * The errors of several attempts as one to throw; undefined for none. Write conflicts count only when there is nothing
 * else: they say no more than "look again", which any error brings about.
 */
export function combineErrors(errors: readonly unknown[]): unknown {
  const real = errors.filter((error) => !isConflict(findCause(error, StatusError)));
  if (real.length <= 1) return real[0] ?? errors[0];
  return new AggregateError(real, real.map(errorText).join('; '));
}
