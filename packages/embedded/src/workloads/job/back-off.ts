import { type Instant, MINUTE, SECOND } from '@karpenter-ts/runtime';
import { findCondition } from '../conditions.ts';
import { instantOf, type Pod } from '@karpenter-ts/kubernetes';

const FIRST_DELAY = 10 * SECOND;
const LONGEST_DELAY = 10 * MINUTE;

/** The number of consecutive failures of a Job's pods, and the time of the last. */
export interface Failures {
  readonly count: number;
  readonly last: Instant;
}

export const NO_FAILURES: Failures = { count: 0, last: 0 };

const later = (a: Instant, b: Instant): Instant => Math.max(a, b);

/** Adds the failures of pods that have just finished. A success resets the count, except for failures after it. */
export function countFailures(before: Failures, succeeded: readonly Pod[], failed: readonly Pod[]): Failures {
  const failures = failed.map(endOf);
  if (succeeded.length === 0) {
    return failures.length === 0 ? before : { count: before.count + failures.length, last: failures.reduce(later) };
  }
  const success = succeeded.map(endOf).reduce(later);
  const since = failures.filter((at) => at > success);
  return since.length === 0 ? NO_FAILURES : { count: since.length, last: since.reduce(later) };
}

/** Milliseconds until the next try: ten seconds after the first failure, doubled after each further one. */
export function untilRetry({ count, last }: Failures, now: Instant): number {
  if (count === 0) return 0;
  return Math.max(0, last + Math.min(FIRST_DELAY * 2 ** (count - 1), LONGEST_DELAY) - now);
}

/** When a pod ended, as well as it is known. */
function endOf({ metadata, status }: Pod): Instant {
  const ends = (status?.containerStatuses ?? []).map(({ state }) => instantOf(state?.terminated?.finishedAt));
  if (ends.length > 0 && ends.every((end) => end !== undefined)) return Math.max(...ends);
  const ready = findCondition(status?.conditions, 'Ready');
  const unready = ready?.status === 'False' ? instantOf(ready.lastTransitionTime) : undefined;
  const deletion = instantOf(metadata.deletionTimestamp);
  const deleted = deletion && deletion - (metadata.deletionGracePeriodSeconds ?? 0) * SECOND;
  return unready ?? deleted ?? instantOf(metadata.creationTimestamp) ?? 0;
}
