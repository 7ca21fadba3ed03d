import { compareQuantities, type PersistentVolumeClaim } from '@karpenter-ts/kubernetes';
import type { VolumeClaimUse } from '../model/volume-claim-use.ts';
import type { PodClass } from '../model/pod-class.ts';
import type { StorageModel } from '../model/storage-model.ts';
import {
  volumeClaimSize,
  isBound,
  isDelayed,
  type PodVolumeClaims,
  planVolumes,
  type VolumeConflict,
} from '../model/volume-plan.ts';
import { type Filter, NOTHING_TO_CHECK, type Rejection } from './filter.ts';
import { claimNotFound } from './volume-restrictions.ts';

const REASONS: Readonly<Record<VolumeConflict, string>> = {
  'volume elsewhere': "node(s) didn't match PersistentVolume's node affinity",
  'volume missing': 'node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)',
  'nothing to bind': "node(s) didn't find available persistent volumes to bind",
};
const UNBOUND = 'pod has unbound immediate PersistentVolumeClaims';

/** The pod's volumes must be accessible from the node, or it must be possible to bind or provision them there. */
export const volumeBinding: Filter = {
  name: 'VolumeBinding',
  scope: 'cluster',
  helpedBy: ['node added', 'node changed', 'storage changed'],
  prepare(pod, { storage }) {
    if (pod.volumeClaims.length === 0) return NOTHING_TO_CHECK;
    const volumeClaims = sortVolumeClaims(pod, storage);
    if (typeof volumeClaims === 'string') return { kind: 'rejected', reason: volumeClaims };
    return {
      kind: 'check',
      check(node) {
        const plan = planVolumes(volumeClaims, node, storage);
        return 'conflicts' in plan ? rejectionFor(plan.conflicts) : undefined;
      },
    };
  },
};

/** Sorts the pod's volume claims by what they need, or returns why the pod fits no node. */
export function sortVolumeClaims(
  { volumeClaims, namespace }: PodClass,
  storage: StorageModel,
): PodVolumeClaims | string {
  const bound: PersistentVolumeClaim[] = [];
  const delayed: PersistentVolumeClaim[] = [];
  let isUnbound = false;
  for (const use of volumeClaims) {
    const volumeClaim = storage.volumeClaims.get(use.key);
    const problem = volumeClaim === undefined ? missing(use) : findProblem(volumeClaim, use, namespace);
    if (volumeClaim === undefined || problem !== undefined) return problem ?? missing(use);
    if (isBound(volumeClaim)) bound.push(volumeClaim);
    else if (isDelayed(volumeClaim, storage)) delayed.push(volumeClaim);
    else isUnbound = true;
  }
  return isUnbound
    ? UNBOUND
    : { bound, delayed: delayed.sort((a, b) => compareQuantities(volumeClaimSize(a), volumeClaimSize(b))) };
}

function missing({ name, pod }: VolumeClaimUse): string {
  return pod === undefined
    ? claimNotFound(name)
    : `waiting for ephemeral volume controller to create the persistentvolumeclaim "${name}"`;
}

function findProblem(
  { metadata, spec, status }: PersistentVolumeClaim,
  { name, pod }: VolumeClaimUse,
  namespace: string,
): string | undefined {
  if (status?.phase === 'Lost') {
    return `persistentvolumeclaim "${name}" bound to non-existent persistentvolume "${spec.volumeName}"`;
  }
  if (metadata.deletionTimestamp !== undefined) return `persistentvolumeclaim "${name}" is being deleted`;
  if (pod === undefined) return undefined;
  const isOwner = metadata.ownerReferences?.some(({ controller, uid }) => controller && uid === pod.uid);
  if (isOwner) return undefined;
  return `PVC ${namespace}/${name} was not created for pod ${namespace}/${pod.name} (pod is not owner)`;
}

function rejectionFor(conflicts: readonly VolumeConflict[]): Rejection {
  return { reasons: conflicts.map((conflict) => REASONS[conflict]), mayPodsYield: false };
}
