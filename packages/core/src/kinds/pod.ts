import type { Pod } from '@karpenter-ts/kubernetes';

/** Whether the pod has ended: it uses no resources of its node any more. */
export function isTerminal({ status }: Pod): boolean {
  return status?.phase === 'Failed' || status?.phase === 'Succeeded';
}

/** Whether the pod's deletion was requested. */
export function isTerminating({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** Whether the pod has neither ended nor begun to terminate. */
export function isActive(pod: Pod): boolean {
  return !isTerminal(pod) && !isTerminating(pod);
}

export function isDaemonPod(pod: Pick<Pod, 'metadata'>): boolean {
  return isOwnedBy(pod, 'apps/v1', 'DaemonSet');
}

function isStatefulSetPod(pod: Pod): boolean {
  return isOwnedBy(pod, 'apps/v1', 'StatefulSet');
}

/** Whether the pod mirrors a static pod of the kubelet. The API server cannot stop such a pod. */
export function isMirrorPod(pod: Pod): boolean {
  return isOwnedBy(pod, 'v1', 'Node');
}

/**
 * Whether the pod needs another node when its node is deleted. A StatefulSet creates its next pod only after the old
 * one is gone, so a terminating StatefulSet pod stands for the next one (spec 02 §4.3).
 */
export function isReschedulable(pod: Pod): boolean {
  const comesBack = isActive(pod) || (isStatefulSetPod(pod) && isTerminating(pod));
  return comesBack && !isDaemonPod(pod) && !isMirrorPod(pod);
}

function isOwnedBy({ metadata }: Pick<Pod, 'metadata'>, apiVersion: string, kind: string): boolean {
  return metadata.ownerReferences?.some((owner) => owner.apiVersion === apiVersion && owner.kind === kind) ?? false;
}
