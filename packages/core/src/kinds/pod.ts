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

export function isStatefulSetPod(pod: Pod): boolean {
  return isOwnedBy(pod, 'apps/v1', 'StatefulSet');
}

/** Whether the pod mirrors a static pod of the kubelet. The API server cannot stop such a pod. */
export function isMirrorPod(pod: Pod): boolean {
  return isOwnedBy(pod, 'v1', 'Node');
}

function isOwnedBy({ metadata }: Pick<Pod, 'metadata'>, apiVersion: string, kind: string): boolean {
  return metadata.ownerReferences?.some((owner) => owner.apiVersion === apiVersion && owner.kind === kind) ?? false;
}
