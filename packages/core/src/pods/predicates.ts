import { DISRUPTED_TAINT, type DoNotDisrupt, isProtecting } from '@karpenter-ts/apis';
import type { Pod } from '@karpenter-ts/kubernetes';
import { findUntolerated } from '@karpenter-ts/scheduling';
import { isActive, isDaemonPod, isMirrorPod, isStatefulSetPod, isTerminating } from '../kinds/pod.ts';

// What provisioning, disruption and termination ask about a pod, with upstream's words for the answers (spec 02 §4,
// 03 §7.4, 04 §4). Whether do-not-disrupt is active depends on the time, so the caller reads the annotation, hands in
// what it says and publishes the event about it.

/**
 * Whether a pod needs a new node: kube-scheduler has found none for it (spec 02 §4.1). The verdict of another scheduler
 * does not count, and neither does a pod that is going to preempt others. A pod under deletion is left out, because it
 * does not come back; upstream creates a node for it.
 */
export function isProvisionable(pod: Pod): boolean {
  return (
    !pod.spec.nodeName &&
    !pod.status?.nominatedNodeName &&
    hasNoPlace(pod) &&
    !isTerminating(pod) &&
    !isDaemonPod(pod) &&
    !isMirrorPod(pod)
  );
}

function hasNoPlace({ status }: Pod): boolean {
  return status?.conditions?.some(({ type, reason }) => type === 'PodScheduled' && reason === 'Unschedulable') ?? false;
}

/**
 * Whether the pod needs another node when its node is deleted. A StatefulSet creates its next pod only after the old
 * one is gone, so a terminating StatefulSet pod stands for the next one (spec 02 §4.3).
 */
export function isReschedulable(pod: Pod): boolean {
  const comesBack = isActive(pod) || (isStatefulSetPod(pod) && isTerminating(pod));
  return comesBack && !isDaemonPod(pod) && !isMirrorPod(pod);
}

/** Whether the pod's node may be disrupted as far as do-not-disrupt goes. It no longer holds for a pod that is going. */
export function isDisruptable(pod: Pod, doNotDisrupt: DoNotDisrupt): boolean {
  return !isActive(pod) || !isProtecting(doNotDisrupt);
}

/** Why a pod is not evicted from a node under disruption. */
export type EvictionObstacle = 'NotActive' | 'ToleratesDisruption' | 'MirrorPod' | 'DoNotDisrupt';

/**
 * The first reason why the pod is not evicted from a node under disruption, before budgets are asked. Undefined for an
 * evictable pod. Pods of a DaemonSet are evictable.
 */
export function findEvictionObstacle(pod: Pod, doNotDisrupt: DoNotDisrupt): EvictionObstacle | undefined {
  if (!isActive(pod)) return 'NotActive';
  if (toleratesDisruption(pod)) return 'ToleratesDisruption';
  if (isMirrorPod(pod)) return 'MirrorPod';
  return isProtecting(doNotDisrupt) ? 'DoNotDisrupt' : undefined;
}

/** Whether the pod tolerates the disruption taint and so stays on the node. */
export function toleratesDisruption({ spec }: Pod): boolean {
  return findUntolerated([DISRUPTED_TAINT], spec.tolerations ?? []).length === 0;
}
