import { type DoNotDisrupt, isProtecting, readDoNotDisrupt } from '@karpenter-ts/apis';
import { type EventDraft, type EventRecorder, type Instant, subjectOf } from '@karpenter-ts/runtime';
import { type Pod, PODS, timestamp } from '@karpenter-ts/kubernetes';

/** Whether the pod's do-not-disrupt annotation protects it now. Publishes what users should know about it. */
export function isProtected(pod: Pod, now: Instant, events: EventRecorder): boolean {
  const verdict = readDoNotDisrupt(pod, now);
  const draft = findProtectionEvent(pod, verdict);
  if (draft !== undefined) events.publish(draft);
  return isProtecting(verdict);
}

/**
 * The event about a pod's do-not-disrupt annotation: it cannot be parsed, or when its time ends. Undefined without the
 * annotation or if it names no time.
 */
export function findProtectionEvent(pod: Pod, verdict: DoNotDisrupt): EventDraft | undefined {
  const on = subjectOf(PODS, pod);
  const uid = pod.metadata.uid ?? '';
  switch (verdict.kind) {
    case 'Invalid':
      return {
        on,
        type: 'Warning',
        reason: 'InvalidDoNotDisruptAnnotation',
        message: `Invalid karpenter.sh/do-not-disrupt annotation: ${verdict.why}, ignoring annotation`,
        dedupe: [uid, verdict.why],
      };
    case 'Until': {
      const end = timestamp(verdict.end);
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
      return verdict satisfies never;
  }
}
