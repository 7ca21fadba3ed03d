import type { Pod } from '@karpenter-ts/kubernetes';

/** `namespace/name`, as texts and plans name a pod. */
export function podName(pod: Pod): string {
  return `${pod.metadata.namespace ?? 'default'}/${pod.metadata.name}`;
}

/** What tells two pods apart: the UID, or the name where there is none, as in files. */
export function podId(pod: Pod): string {
  return pod.metadata.uid ?? podName(pod);
}
