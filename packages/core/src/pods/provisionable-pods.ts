import { isDaemonPod, isMirrorPod, isTerminating } from '../kinds/pod.ts';
import type { Pod } from '@karpenter-ts/kubernetes';

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
