import { DISRUPTED_TAINT } from '@karpenter-ts/apis';
import { type Instant, MINUTE, SECOND } from '@karpenter-ts/runtime';
import { findUntolerated } from '@karpenter-ts/scheduling';
import { isMirrorPod, isTerminal, isTerminating, type Pod } from '../kinds/pod.ts';

/** How long after its grace has ended a pod that will not go is still waited for. */
const STUCK_AFTER = 1 * MINUTE;

/** Whether it wants to stay on a node that is being emptied. */
export function toleratesDisruption({ spec }: Pod): boolean {
  return findUntolerated([DISRUPTED_TAINT], spec.tolerations ?? []).length === 0;
}

/** Whether emptying the node has to do with this pod at all (spec 03 §7.4). */
export function isDrainable(pod: Pod, now: Instant): boolean {
  return !toleratesDisruption(pod) && !isStuck(pod, now) && !isMirrorPod(pod);
}

/** Whether the node is not empty because of it. A protected pod is waited for, though nobody will evict it. */
export function isWaitingForEviction(pod: Pod, now: Instant): boolean {
  return !isTerminal(pod) && isDrainable(pod, now);
}

/**
 * Whether only a deletion gets it out in time: its grace would end after the deadline. Neither budgets nor annotations
 * hold it then (spec 03 §7.5).
 */
export function mustBeDeleted(pod: Pod, deadline: Instant | undefined, now: Instant): boolean {
  if (deadline === undefined) return false;
  const { deletionTimestamp } = pod.metadata;
  if (deletionTimestamp !== undefined) return Date.parse(deletionTimestamp) > deadline;
  const grace = pod.spec.terminationGracePeriodSeconds;
  return grace !== undefined && now > deadline - grace * SECOND;
}

/** `deletionTimestamp` is when its grace ends, not when it was asked to go. */
function isStuck(pod: Pod, now: Instant): boolean {
  return isTerminating(pod) && now - Date.parse(pod.metadata.deletionTimestamp ?? '') > STUCK_AFTER;
}
