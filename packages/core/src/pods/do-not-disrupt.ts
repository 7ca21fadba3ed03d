import type { DoNotDisrupt } from '@karpenter-ts/apis';
import { type EventDraft, subjectOf } from '@karpenter-ts/runtime';
import { type Pod, PODS, timestamp } from '@karpenter-ts/kubernetes';

/**
 * The event about a pod's do-not-disrupt annotation: it cannot be parsed, or when its time ends. Undefined without the
 * annotation or if it names no time.
 */
export function findProtectionEvent(pod: Pod, doNotDisrupt: DoNotDisrupt): EventDraft | undefined {
  const on = subjectOf(PODS, pod);
  const uid = pod.metadata.uid ?? '';
  switch (doNotDisrupt.kind) {
    case 'Invalid':
      return {
        on,
        type: 'Warning',
        reason: 'InvalidDoNotDisruptAnnotation',
        message: `Invalid karpenter.sh/do-not-disrupt annotation: ${doNotDisrupt.why}, ignoring annotation`,
        dedupe: [uid, doNotDisrupt.why],
      };
    case 'Until': {
      const end = timestamp(doNotDisrupt.end);
      return {
        on,
        type: 'Normal',
        reason: 'DoNotDisruptUntil',
        message: `The karpenter.sh/do-not-disrupt grace period will elapse at ${end}`,
        dedupe: [uid, end],
      };
    }
    case 'Elapsed':
      return {
        on,
        type: 'Normal',
        reason: 'DoNotDisruptGracePeriodElapsed',
        message: 'The karpenter.sh/do-not-disrupt grace period has elapsed, pod is now disruptable',
        dedupe: [uid],
      };
    case 'Absent':
    case 'Always':
    case 'NotStarted':
      return undefined;
    default:
      return doNotDisrupt satisfies never;
  }
}
