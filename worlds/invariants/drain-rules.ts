import { isProtecting, type NodeClaim, readDoNotDisrupt, TERMINATION_TIMESTAMP } from '@karpenter-ts/apis';
import { nanosToMilliseconds, parseDuration, type Pod } from '@karpenter-ts/kubernetes';
import { type Instant, SECOND } from '@karpenter-ts/runtime';

/** Times of objects are whole seconds. */
const ROUNDING = 1 * SECOND;

/** By when the pods of a claim's node must be gone; Infinity if they may take for ever. */
export function deadlineOf({ metadata, spec }: NodeClaim): Instant {
  const written = metadata.annotations?.[TERMINATION_TIMESTAMP];
  if (written !== undefined) return Date.parse(written);
  if (metadata.deletionTimestamp === undefined || spec.terminationGracePeriod === undefined) return Infinity;
  return Date.parse(metadata.deletionTimestamp) + nanosToMilliseconds(parseDuration(spec.terminationGracePeriod));
}

/** Whether the deadline leaves this pod no more time than it needs to stop. */
export function isDue({ spec }: Pod, deadline: Instant, now: Instant): boolean {
  return now + ROUNDING >= deadline - (spec.terminationGracePeriodSeconds ?? 0) * SECOND;
}

export function isProtected(pod: Pod, now: Instant): boolean {
  return isProtecting(readDoNotDisrupt(pod, now));
}

/** Whether a drain waits for this pod: it still runs, is not being deleted, and does not tolerate every taint. */
export function blocksDrain({ metadata, spec, status }: Pod): boolean {
  const isTerminal = status?.phase === 'Succeeded' || status?.phase === 'Failed';
  const toleratesAll = spec.tolerations?.some(({ key, operator }) => key === undefined && operator === 'Exists');
  return !isTerminal && metadata.deletionTimestamp === undefined && !toleratesAll;
}
