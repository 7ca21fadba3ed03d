import { isDeepStrictEqual } from 'node:util';
import type { Pod } from '@karpenter-ts/kubernetes';
import type { ExistingNode, Pool, Snapshot } from '@karpenter-ts/scheduling';
import type { TimeSlices } from '../../state/time-slices.ts';

/**
 * Whether the planner gives the same answers for both snapshots. Objects of the caches are mostly the same ones, which
 * decides at once; the others are compared by what planning reads of them, because the status of pods and NodePools
 * changes all the time. It may say no for snapshots that differ only in the order of their lists.
 */
export async function isSameSnapshot(a: Snapshot, b: Snapshot, slices: TimeSlices): Promise<boolean> {
  return (
    isSameList(a.pools, b.pools, isSamePool) &&
    isSameList(a.namespaces, b.namespaces, isEqual) &&
    isSameList(a.daemonPods, b.daemonPods, isSamePod) &&
    (await isSameLongList(a.pods, b.pods, isSamePod, slices)) &&
    (await isSameLongList(a.nodes, b.nodes, isSameNode, slices)) &&
    (await isSameLongList(a.deletingNodes, b.deletingNodes, isSameNode, slices)) &&
    (await isSameLongList(a.volumes.volumeClaims, b.volumes.volumeClaims, isEqual, slices)) &&
    (await isSameLongList(a.volumes.persistentVolumes, b.volumes.persistentVolumes, isEqual, slices)) &&
    isSameList(a.volumes.storageClasses, b.volumes.storageClasses, isEqual)
  );
}

function isSameList<T>(a: readonly T[], b: readonly T[], isSame: (a: T, b: T) => boolean): boolean {
  return a.length === b.length && a.every((one, i) => one === b[i] || isSame(one, b[i]!));
}

/** After a watch has begun anew every object is another one, and all of them are compared part by part. */
async function isSameLongList<T>(
  a: readonly T[],
  b: readonly T[],
  isSame: (a: T, b: T) => boolean,
  slices: TimeSlices,
): Promise<boolean> {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) {
    if (a[i] === b[i]) continue;
    if (!isSame(a[i]!, b[i]!)) return false;
    if (slices.isOver) await slices.pause();
  }
  return true;
}

/** Providers return the same array as long as types, prices and offerings stay the same. */
function isSamePool(a: Pool, b: Pool): boolean {
  if (a.instanceTypes !== b.instanceTypes) return false;
  if (a.nodePool === b.nodePool) return true;
  const [one, other] = [a.nodePool.metadata, b.nodePool.metadata];
  return (
    one.name === other.name &&
    isEqual(one.annotations, other.annotations) &&
    isEqual(one.labels, other.labels) &&
    isEqual(a.nodePool.spec, b.nodePool.spec)
  );
}

function isSameNode(a: ExistingNode, b: ExistingNode): boolean {
  return (
    a.providerId === b.providerId &&
    a.name === b.name &&
    a.initialized === b.initialized &&
    a.refusesMovedPods === b.refusesMovedPods &&
    isEqual(a.labels, b.labels) &&
    isEqual(a.taints, b.taints) &&
    isEqual(a.node, b.node) &&
    isEqual(a.capacity, b.capacity) &&
    isEqual(a.allocatable, b.allocatable) &&
    isEqual(a.volumeLimits, b.volumeLimits) &&
    isSameList(a.pods, b.pods, isSamePod)
  );
}

/** Of the status, planning reads the phase and how far a resize of the pod has come. */
function isSamePod(a: Pod, b: Pod): boolean {
  const [one, other] = [a.metadata, b.metadata];
  return (
    one.uid === other.uid &&
    one.name === other.name &&
    one.namespace === other.namespace &&
    one.creationTimestamp === other.creationTimestamp &&
    one.deletionTimestamp === other.deletionTimestamp &&
    a.status?.phase === b.status?.phase &&
    isEqual(one.labels, other.labels) &&
    isEqual(one.ownerReferences, other.ownerReferences) &&
    isEqual(a.spec, b.spec) &&
    isEqual(resizeOf(a), resizeOf(b))
  );
}

function resizeOf({ status }: Pod) {
  const statuses = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
  return {
    held: statuses.map(({ name, resources, allocatedResources }) => ({ name, resources, allocatedResources })),
    pending: status?.conditions?.find(({ type }) => type === 'PodResizePending')?.reason,
  };
}

function isEqual(a: unknown, b: unknown): boolean {
  return a === b || isDeepStrictEqual(a, b);
}
