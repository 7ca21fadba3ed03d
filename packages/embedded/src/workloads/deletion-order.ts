import type { Instant } from '@karpenter-ts/runtime';
import { findCondition } from './conditions.ts';
import { isActive, isReady } from './pod-state.ts';
import { instantOf, type Pod } from '@karpenter-ts/kubernetes';

/** The pod-deletion-cost annotation: pods with a low value are deleted first. */
const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';

const PHASE_ORDER: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 };

/** Compares two pods by which to delete first: negative for `a`. */
type Preference = (a: Pod, b: Pod) => number;

/**
 * Sorts pods in the order in which a ReplicaSet deletes them: pods that do less first, then those on nodes with many
 * related pods. `related` are all pods of the same workload. Ages are compared by magnitude, so that the youngest node
 * is not always emptied first.
 */
export function deletionOrder(pods: readonly Pod[], related: readonly Pod[], now: Instant): readonly Pod[] {
  const neighbours = countByNode(related);
  const rank = (pod: Pod): number => neighbours.get(pod.spec.nodeName ?? '') ?? 0;
  const preferences: readonly Preference[] = [
    ...idleFirst,
    (a, b) => deletionCost(a) - deletionCost(b),
    (a, b) => rank(b) - rank(a),
    (a, b) => youngerByMagnitude(readySince(a), readySince(b), [a, b], now),
    restartsFirst,
    (a, b) => youngerByMagnitude(createdAt(a), createdAt(b), [a, b], now),
  ];
  return pods.toSorted((a, b) => firstPreference(preferences, a, b));
}

/** Like `deletionOrder`, but without regard to nodes and with exact ages: the order of Jobs. */
export function plainDeletionOrder(pods: readonly Pod[]): readonly Pod[] {
  const preferences: readonly Preference[] = [
    ...idleFirst,
    (a, b) => (readySince(b) ?? 0) - (readySince(a) ?? 0),
    restartsFirst,
    (a, b) => (createdAt(b) ?? 0) - (createdAt(a) ?? 0),
  ];
  return pods.toSorted((a, b) => firstPreference(preferences, a, b));
}

const idleFirst: readonly Preference[] = [
  (a, b) => Number(Boolean(a.spec.nodeName)) - Number(Boolean(b.spec.nodeName)),
  (a, b) => phaseOrder(a) - phaseOrder(b),
  (a, b) => Number(isReady(a)) - Number(isReady(b)),
];

const restartsFirst: Preference = (a, b) =>
  restarts(b, 'containerStatuses') - restarts(a, 'containerStatuses') ||
  restarts(b, 'initContainerStatuses') - restarts(a, 'initContainerStatuses');

function firstPreference(preferences: readonly Preference[], a: Pod, b: Pod): number {
  for (const prefer of preferences) {
    const order = prefer(a, b);
    if (order !== 0) return order;
  }
  return 0;
}

function countByNode(pods: readonly Pod[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const pod of pods) {
    if (!isActive(pod)) continue;
    const node = pod.spec.nodeName ?? '';
    counts.set(node, (counts.get(node) ?? 0) + 1);
  }
  return counts;
}

function phaseOrder({ status }: Pod): number {
  return PHASE_ORDER[status?.phase ?? ''] ?? 0;
}

function deletionCost({ metadata }: Pod): number {
  const cost = Number(metadata.annotations?.[DELETION_COST] ?? '0');
  return Number.isInteger(cost) ? cost : 0;
}

function readySince(pod: Pod): Instant | undefined {
  return isReady(pod) ? instantOf(findCondition(pod.status?.conditions, 'Ready')?.lastTransitionTime) : undefined;
}

function createdAt({ metadata }: Pod): Instant | undefined {
  return instantOf(metadata.creationTimestamp);
}

/** Ages that differ by less than a factor of two count as equal; then the uid decides, which is as good as random. */
function youngerByMagnitude(
  a: Instant | undefined,
  b: Instant | undefined,
  pods: readonly [Pod, Pod],
  now: Instant,
): number {
  if (a === undefined || b === undefined || a === b) return 0;
  const order = magnitude(now - a) - magnitude(now - b);
  return order !== 0 ? order : compareUids(...pods);
}

/** Of an age in nanoseconds, to the base of two; below everything for none. */
function magnitude(age: number): number {
  return age > 0 ? Math.trunc(Math.log2(age * 1e6)) : -1;
}

function compareUids(a: Pod, b: Pod): number {
  return (a.metadata.uid ?? '') < (b.metadata.uid ?? '') ? -1 : 1;
}

function restarts({ spec, status }: Pod, which: 'containerStatuses' | 'initContainerStatuses'): number {
  const sidecars = new Set((spec.initContainers ?? []).filter((c) => c.restartPolicy === 'Always').map((c) => c.name));
  const counted = (status?.[which] ?? []).filter(({ name }) => which === 'containerStatuses' || sidecars.has(name));
  return Math.max(0, ...counted.map(({ restartCount = 0 }) => restartCount));
}
