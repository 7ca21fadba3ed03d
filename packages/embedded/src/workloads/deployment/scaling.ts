import type { Deployment, ReplicaSet } from '@karpenter-ts/kubernetes';
import { desiredReplicas, maxReplicas, olderFirst, type Revisions } from './revision.ts';
import { rolloutLimits } from './rollout-limits.ts';

/** A set and the number of pods it is to have. */
export interface Resize {
  readonly set: ReplicaSet;
  readonly replicas: number;
}

/** Sets that have pods, or should have. */
export function activeSets(sets: readonly (ReplicaSet | undefined)[]): readonly ReplicaSet[] {
  return sets.filter((set) => set !== undefined && set.spec.replicas > 0) as ReplicaSet[];
}

/** The number of pods that sets ask for. */
export function wantedPods(sets: readonly (ReplicaSet | undefined)[]): number {
  return sets.reduce((sum, set) => sum + (set?.spec.replicas ?? 0), 0);
}

/** Whether the Deployment's replicas changed since its ReplicaSets were scaled. */
export function isBeingScaled({ spec }: Deployment, { current, old }: Revisions): boolean {
  return activeSets([...old, current]).some((set) => (desiredReplicas(set) ?? spec.replicas) !== spec.replicas);
}

/**
 * Distributes a new number of replicas. A single ReplicaSet gets all; in the middle of a rollout all are scaled in
 * proportion, so that the share of the new template stays the same.
 */
export function scale(deployment: Deployment, revisions: Revisions): readonly Resize[] {
  const { current, old } = revisions;
  const { replicas } = deployment.spec;
  const only = onlySet(revisions);
  if (only !== undefined) return only.spec.replicas === replicas ? [] : [{ set: only, replicas }];
  if (current !== undefined && isSaturated(deployment, current)) {
    return activeSets(old).map((set) => ({ set, replicas: 0 }));
  }
  return deployment.spec.strategy.type === 'RollingUpdate' ? shareOut(deployment, activeSets([...old, current])) : [];
}

/** The one active set, or the newest if none is; undefined if there are several. */
function onlySet({ current, old }: Revisions): ReplicaSet | undefined {
  const active = activeSets([...old, current]);
  if (active.length > 1) return undefined;
  return active[0] ?? current ?? old.toSorted(olderFirst).at(-1);
}

function isSaturated({ spec }: Deployment, set: ReplicaSet): boolean {
  const counts = [set.spec.replicas, desiredReplicas(set), set.status?.availableReplicas ?? 0];
  return counts.every((count) => count === spec.replicas);
}

function shareOut(deployment: Deployment, sets: readonly ReplicaSet[]): readonly Resize[] {
  const { replicas } = deployment.spec;
  const allowed = replicas > 0 ? replicas + rolloutLimits(deployment).maxSurge : 0;
  const toAdd = allowed - wantedPods(sets);
  const largestFirst = sets.toSorted(
    (a, b) => b.spec.replicas - a.spec.replicas || (toAdd > 0 ? olderFirst(b, a) : olderFirst(a, b)),
  );
  let left = toAdd;
  const sizes = largestFirst.map((set) => {
    const share = left === 0 ? 0 : within(left, fraction(deployment, set));
    left -= share;
    return { set, replicas: set.spec.replicas + share };
  });
  // The largest ReplicaSet gets what rounding leaves.
  return sizes.map((size, i) => (i === 0 ? { ...size, replicas: Math.max(0, size.replicas + left) } : size));
}

/** No more than is left, in its direction. */
function within(left: number, share: number): number {
  return left > 0 ? Math.min(share, left) : Math.max(share, left);
}

/** By how much a set grows or shrinks if it keeps its part of the whole. */
function fraction(deployment: Deployment, set: ReplicaSet): number {
  const { replicas } = deployment.spec;
  if (replicas === 0) return -set.spec.replicas;
  const before = maxReplicas(set) || (deployment.status?.replicas ?? 0);
  if (before === 0) return 0;
  const allowed = replicas + rolloutLimits(deployment).maxSurge;
  return Math.round((set.spec.replicas * allowed) / before) - set.spec.replicas;
}
