import { type Instant, MINUTE, SECOND } from '@karpenter-ts/runtime';
import { isMirrorPod, isTerminal, isTerminating } from '../kinds/pod.ts';
import type { Pod } from '@karpenter-ts/kubernetes';
import { toleratesDisruption } from '../pods/predicates.ts';

/** How long a pod that does not terminate is waited for after its grace period has ended. */
const STUCK_AFTER = 1 * MINUTE;

/** Whether draining the node concerns this pod at all (spec 03 §7.4). */
export function isDrainable(pod: Pod, now: Instant): boolean {
  return !toleratesDisruption(pod) && !isStuck(pod, now) && !isMirrorPod(pod);
}

/** Whether the drain waits for this pod. That includes do-not-disrupt pods, which are not evicted. */
export function isWaitingForEviction(pod: Pod, now: Instant): boolean {
  return !isTerminal(pod) && isDrainable(pod, now);
}

/**
 * Whether the pod must be deleted now, because its grace period would end after the deadline otherwise. Neither budgets
 * nor annotations protect it then (spec 03 §7.5).
 */
export function mustBeDeleted(pod: Pod, deadline: Instant | undefined, now: Instant): boolean {
  if (deadline === undefined) return false;
  const { deletionTimestamp } = pod.metadata;
  if (deletionTimestamp !== undefined) return Date.parse(deletionTimestamp) > deadline;
  const grace = pod.spec.terminationGracePeriodSeconds;
  return grace !== undefined && now > deadline - grace * SECOND;
}

/** `deletionTimestamp` is when the grace period ends, not when the deletion was requested. */
function isStuck(pod: Pod, now: Instant): boolean {
  return isTerminating(pod) && now - Date.parse(pod.metadata.deletionTimestamp ?? '') > STUCK_AFTER;
}
