import { DO_NOT_DISRUPT } from '../names/annotations.ts';
import { DurationError, goQuote, nanosToMilliseconds, parseDuration } from '@karpenter-ts/kubernetes';

/** The fields of a pod that the annotation's effect depends on. */
export interface ProtectedPod {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> | undefined };
  readonly status?: { readonly startTime?: string | undefined } | undefined;
}

/** The meaning of a pod's do-not-disrupt annotation. Times are in milliseconds since the epoch. */
export type DoNotDisrupt =
  | { readonly kind: 'Absent' }
  | { readonly kind: 'Always' }
  /** A duration, while the pod has not started. */
  | { readonly kind: 'NotStarted' }
  | { readonly kind: 'Until'; readonly end: number }
  | { readonly kind: 'Elapsed'; readonly end: number }
  /** Neither `true` nor a positive duration, so it is ignored. `why` is for the event. */
  | { readonly kind: 'Invalid'; readonly why: string };

/** Reads the annotation of a pod at `now` (spec 01 §10.3). */
export function readDoNotDisrupt(pod: ProtectedPod, now: number): DoNotDisrupt {
  const text = pod.metadata.annotations?.[DO_NOT_DISRUPT];
  if (text === undefined) return { kind: 'Absent' };
  if (text === 'true') return { kind: 'Always' };
  const duration = readDuration(text);
  if (typeof duration === 'string') return { kind: 'Invalid', why: duration };
  const startTime = pod.status?.startTime;
  if (startTime === undefined) return { kind: 'NotStarted' };
  const end = Date.parse(startTime) + duration;
  return { kind: now < end ? 'Until' : 'Elapsed', end };
}

/** Whether the pod may not be disrupted now. */
export function isProtecting(verdict: DoNotDisrupt): boolean {
  return verdict.kind === 'Always' || verdict.kind === 'NotStarted' || verdict.kind === 'Until';
}

/** Whether a Node or NodeClaim may not be disrupted: exactly `"true"`, no durations. */
export function isNodeProtected(annotations: Readonly<Record<string, string>> | undefined): boolean {
  return annotations?.[DO_NOT_DISRUPT] === 'true';
}

/** Milliseconds, or what is wrong. */
function readDuration(text: string): number | string {
  try {
    const nanos = parseDuration(text);
    return nanos > 0n ? nanosToMilliseconds(nanos) : `duration ${goQuote(text)} must be positive`;
  } catch (error) {
    if (error instanceof DurationError) return `failed to parse ${goQuote(text)} as a duration: ${error.message}`;
    throw error;
  }
}
