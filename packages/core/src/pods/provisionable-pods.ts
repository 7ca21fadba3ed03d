import { isDaemonPod, isMirrorPod, isTerminating, type Pod } from '../kinds/pod.ts';

/**
 * Whether a pod needs a new place: the cluster's scheduler has looked at it and found none (spec 02 §4.1). Other
 * schedulers' verdicts do not count, nor does a pod that is about to take another's place. One that is being deleted
 * will not come back: upstream buys a node for it all the same.
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
