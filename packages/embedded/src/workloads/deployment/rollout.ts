import type { Deployment, ReplicaSet } from '@karpenter-ts/kubernetes';
import { olderFirst, type Revisions } from './revision.ts';
import { rolloutLimits } from './rollout-limits.ts';
import { activeSets, type Resize, wantedPods } from './scaling.ts';

/** The replicas the new ReplicaSet may have now: the desired number, within maxSurge. */
export function currentSize(deployment: Deployment, { current, old }: Revisions): number {
  const { replicas, strategy } = deployment.spec;
  const size = current?.spec.replicas ?? 0;
  if (strategy.type === 'Recreate' || size >= replicas) return replicas;
  const room = replicas + rolloutLimits(deployment).maxSurge - wantedPods([...old, current]);
  return size + Math.max(0, Math.min(room, replicas - size));
}

/**
 * How far old ReplicaSets may be scaled down now. Unhealthy pods are deleted first, because they block the rollout and
 * serve nothing; then those that available new pods have replaced.
 */
export function shrinkOld(deployment: Deployment, current: ReplicaSet, old: readonly ReplicaSet[]): readonly Resize[] {
  const active = activeSets(old).toSorted(olderFirst);
  const minAvailable = deployment.spec.replicas - rolloutLimits(deployment).maxUnavailable;
  const notYetUp = current.spec.replicas - (current.status?.availableReplicas ?? 0);
  const spare = wantedPods([...active, current]) - minAvailable - notYetUp;
  if (active.length === 0 || spare <= 0) return [];
  const sizes = new Map(active.map((set) => [set, set.spec.replicas]));
  dropBroken(sizes, spare);
  dropReplaced(sizes, available([...active, current]) - minAvailable);
  const resizes = [...sizes].map(([set, replicas]) => ({ set, replicas }));
  return resizes.filter(({ set, replicas }) => replicas !== set.spec.replicas);
}

function dropBroken(sizes: Map<ReplicaSet, number>, limit: number): void {
  let left = limit;
  for (const [set, size] of sizes) {
    const broken = Math.min(left, size - (set.status?.availableReplicas ?? 0));
    if (broken <= 0) continue;
    sizes.set(set, size - broken);
    left -= broken;
  }
}

function dropReplaced(sizes: Map<ReplicaSet, number>, limit: number): void {
  let left = limit;
  for (const [set, size] of sizes) {
    const replaced = Math.min(size, left);
    if (replaced <= 0) continue;
    sizes.set(set, size - replaced);
    left -= replaced;
  }
}

function available(sets: readonly ReplicaSet[]): number {
  return sets.reduce((sum, set) => sum + (set.status?.availableReplicas ?? 0), 0);
}
