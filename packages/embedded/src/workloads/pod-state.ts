import { instantOf, isTrue, type Pod, READY } from '@karpenter-ts/kubernetes';
import { type Instant, SECOND } from '@karpenter-ts/runtime';
import { findCondition } from './conditions.ts';

/** Succeeded or Failed. */
export function isTerminal(pod: Pod): boolean {
  return pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
}

/** Counts as one of its workload's: neither terminal nor terminating. */
export function isActive(pod: Pod): boolean {
  return !isTerminal(pod) && !isTerminating(pod);
}

export function isTerminating(pod: Pod): boolean {
  return pod.metadata.deletionTimestamp !== undefined;
}

export function isReady(pod: Pod): boolean {
  return isTrue(pod, READY);
}

/** The time from which a ready pod counts as available; undefined while it is not ready. */
function availableFrom(pod: Pod, minReadySeconds = 0): Instant | undefined {
  if (!isReady(pod)) return undefined;
  const since = instantOf(findCondition(pod.status?.conditions, 'Ready')?.lastTransitionTime);
  if (minReadySeconds === 0) return since ?? 0;
  return since === undefined ? undefined : since + minReadySeconds * SECOND;
}

/** Ready for at least minReadySeconds. */
export function isAvailable(pod: Pod, now: Instant, minReadySeconds = 0): boolean {
  const from = availableFrom(pod, minReadySeconds);
  return from !== undefined && from <= now;
}

/** Milliseconds until the next of these pods becomes available by the passing of time alone; undefined if none will. */
export function nextAvailability(pods: readonly Pod[], now: Instant, minReadySeconds = 0): number | undefined {
  let next: number | undefined;
  for (const pod of pods) {
    const from = availableFrom(pod, minReadySeconds);
    if (from !== undefined && from > now && (next === undefined || from - now < next)) next = from - now;
  }
  return next;
}
