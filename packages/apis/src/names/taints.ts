import type { Taint } from '@karpenter-ts/kubernetes';

/** On every Node that Karpenter disrupts or terminates: nothing new may land there. */
export const DISRUPTED_TAINT = { key: 'karpenter.sh/disrupted', effect: 'NoSchedule' } as const satisfies Taint;

/** On every Node from boot until it is registered, so that no pod runs on a Node not yet known. */
export const UNREGISTERED_TAINT = {
  key: 'karpenter.sh/unregistered',
  effect: 'NoExecute',
} as const satisfies Taint;

/** Taints a starting Node carries and loses by itself; planning ignores them until the Node is initialised. */
const KNOWN_EPHEMERAL_TAINTS: readonly Taint[] = [
  { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule' },
  { key: 'node.cloudprovider.kubernetes.io/uninitialized', value: 'true', effect: 'NoSchedule' },
  UNREGISTERED_TAINT,
];

/** The node readiness controller names its taints by rule, so only this much of the key is known. */
const EPHEMERAL_TAINT_PREFIX = 'readiness.k8s.io/';

/** Whether a starting Node is expected to lose this taint by itself (spec 01 §10.4). */
export function isKnownEphemeralTaint(taint: Taint): boolean {
  return (
    KNOWN_EPHEMERAL_TAINTS.some((known) => isSameTaint(known, taint)) || taint.key.startsWith(EPHEMERAL_TAINT_PREFIX)
  );
}

/** Kubernetes' notion of the same taint: equal key and effect, whatever the value. */
export function isSameTaint(a: Taint, b: Taint): boolean {
  return a.key === b.key && a.effect === b.effect;
}

/** `existing` followed by what `added` brings that is not there yet; existing values win. */
export function mergeTaints<T extends Taint>(existing: readonly T[], added: readonly T[]): readonly T[] {
  const merged = [...existing];
  for (const taint of added) {
    if (!merged.some((present) => isSameTaint(present, taint))) merged.push(taint);
  }
  return merged;
}

/** `key=value:effect`, or `key:effect` without a value: as conditions and events name a taint. */
export function formatTaint(taint: Taint): string {
  return taint.value ? `${taint.key}=${taint.value}:${taint.effect}` : `${taint.key}:${taint.effect}`;
}
