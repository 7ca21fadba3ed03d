import { type EventDraft, type EventLimit, MINUTE, subjectOf } from '@karpenter-ts/runtime';
import { type Pod, PODS } from '@karpenter-ts/kubernetes';

// Reasons and messages are interface (spec 02 §25.1): people alert on them.

/** Shared by all pods, so that a large batch does not hold back other events. */
const NOMINATIONS: EventLimit = { perSecond: 5, burst: 10 };

/** Where a pod should schedule: on a NodeClaim, its Node, or both, as far as they exist. */
export function nominated(pod: Pod, { nodeClaim, node }: { nodeClaim?: string; node?: string }): EventDraft {
  const places = [...(nodeClaim ? [`nodeclaim/${nodeClaim}`] : []), ...(node ? [`node/${node}`] : [])];
  return {
    on: subjectOf(PODS, pod),
    type: 'Normal',
    reason: 'Nominated',
    message: `Pod should schedule on: ${places.join(', ')}`,
    dedupe: [pod.metadata.uid ?? ''],
    limit: NOMINATIONS,
  };
}

export function failedScheduling(pod: Pod, error: string): EventDraft {
  return {
    on: subjectOf(PODS, pod),
    type: 'Warning',
    reason: 'FailedScheduling',
    message: `Failed to schedule pod, ${error}`,
    dedupe: [pod.metadata.uid ?? ''],
    dedupeTimeout: 5 * MINUTE,
  };
}
