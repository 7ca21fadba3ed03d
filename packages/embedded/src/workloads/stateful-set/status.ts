import type { Instant } from '@karpenter-ts/runtime';
import type { Pod, StatefulSet, StatefulSetStatus } from '@karpenter-ts/kubernetes';
import { omitEmpty } from '../object-status.ts';
import { isAvailable, isTerminating, isReady } from '../pod-state.ts';
import { podRevision } from './identity.ts';
import type { Revisions } from './plan.ts';

/** `outdated` pods are deleted in this very pass: they count as current no more. */
export function nextStatus(
  set: StatefulSet,
  pods: readonly Pod[],
  revisions: Revisions,
  { now, outdated }: { readonly now: Instant; readonly outdated: number },
): StatefulSetStatus {
  const { metadata, spec } = set;
  const [current, update] = [revisions.current.metadata.name, revisions.update.metadata.name];
  const running = pods.filter((pod) => pod.status?.phase === 'Running' && isReady(pod));
  const staying = pods.filter((pod) => !isTerminating(pod));
  const status = {
    observedGeneration: metadata.generation ?? 0,
    replicas: pods.length,
    readyReplicas: running.length,
    availableReplicas: running.filter((pod) => isAvailable(pod, now, spec.minReadySeconds)).length,
    currentReplicas: Math.max(0, staying.filter((pod) => podRevision(pod) === current).length - outdated),
    updatedReplicas: staying.filter((pod) => podRevision(pod) === update).length,
    currentRevision: current,
    updateRevision: update,
    collisionCount: set.status?.collisionCount ?? 0,
  };
  return omitEmpty(isRolledOut(set, status) ? rolledOut(status) : status, [
    'replicas',
    'availableReplicas',
    'collisionCount',
  ]);
}

function isRolledOut({ spec }: StatefulSet, { updatedReplicas, readyReplicas, replicas }: StatefulSetStatus): boolean {
  const counts = [updatedReplicas, readyReplicas, replicas];
  return spec.updateStrategy.type === 'RollingUpdate' && counts.every((count) => count === spec.replicas);
}

function rolledOut(status: Required<StatefulSetStatus>): StatefulSetStatus {
  const { updatedReplicas: currentReplicas, updateRevision: currentRevision } = status;
  return { ...status, currentReplicas, currentRevision };
}
