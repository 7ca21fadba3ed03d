import { type EventDraft, type Instant, nameList, subjectOf } from '@karpenter-ts/runtime';
import { type Node, NODES, type Pod, PODS, type VolumeAttachment } from '@karpenter-ts/kubernetes';

/** Messages and reasons are upstream's (spec 03 §7). */

export function evicted(pod: Pod, reason: string): EventDraft {
  return {
    on: subjectOf(PODS, pod),
    type: 'Normal',
    reason: 'Evicted',
    message: `Evicted pod: ${reason}`,
    dedupe: [pod.metadata.name],
  };
}

export function deletedForDeadline(pod: Pod, grace: number, deadline: Instant): EventDraft {
  const asked = pod.spec.terminationGracePeriodSeconds ?? 0;
  const message =
    `Deleting the pod to accommodate the terminationTime ${goTime(deadline)} of the node. ` +
    `The pod was granted ${grace} seconds of grace-period of its ${asked} terminationGracePeriodSeconds. ` +
    'This bypasses the PDB of the pod and the do-not-disrupt annotation.';
  return { on: subjectOf(PODS, pod), type: 'Normal', reason: 'Disrupted', message, dedupe: [pod.metadata.name] };
}

/**
 * `what` deduplicates by cause. Upstream uses one key for all, so the event about waiting pods suppresses the one about
 * the budget that blocks them (spec 03 §18-8).
 */
export function failedDraining(node: Node, what: 'waiting' | 'eviction', why: string): EventDraft {
  return {
    on: subjectOf(NODES, node),
    type: 'Warning',
    reason: 'FailedDraining',
    message: `Failed to drain node, ${why}`,
    dedupe: [node.metadata.name, what],
  };
}

export function deadlineExpiring(node: Node, text: string): EventDraft {
  return {
    on: subjectOf(NODES, node),
    type: 'Warning',
    reason: 'TerminationGracePeriodExpiring',
    message: `All pods will be deleted by ${text}`,
    dedupe: [node.metadata.name],
  };
}

const NAMED_ATTACHMENTS = 5;

export function awaitingDetachment(node: Node, attachments: readonly VolumeAttachment[]): EventDraft {
  const names = attachments.map(({ metadata }) => metadata.name);
  return {
    on: subjectOf(NODES, node),
    type: 'Normal',
    reason: 'AwaitingVolumeDetachment',
    message: `Awaiting deletion of bound volumeattachments (${nameList(names, NAMED_ATTACHMENTS)})`,
    dedupe: [node.metadata.name],
  };
}

/** Formats a time as Go does: `2026-01-02 15:04:05 +0000 UTC`. */
function goTime(at: Instant): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} +0000 UTC`;
}
