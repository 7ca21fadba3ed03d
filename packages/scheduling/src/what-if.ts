import { podId } from './model/pods/pod-id.ts';
import type { Pod } from '@karpenter-ts/kubernetes';
import type { PlanScope } from './packing/plan-scope.ts';
import type { Pool, Snapshot } from './snapshot.ts';
import type { IndexedSnapshot } from './packing/indexed-snapshot.ts';

/** What a what-if changes of the snapshot. */
export interface Change {
  /** Provider ids of nodes that are not there. Pods on them still count for topology unless they are among `withPods`. */
  readonly withoutNodes?: readonly string[];
  /** To be placed as well. One that is bound to a node counts there no more. */
  readonly withPods?: readonly Pod[];
  /** Added, or put in the place of the pool of that name. */
  readonly withPools?: readonly Pool[];
}

/**
 * What a run plans after a change. The result is `undefined` if a pod refers to a label or a resource that nothing in the
 * snapshot refers to: the snapshot must then be indexed again.
 */
export function findScope(index: IndexedSnapshot, change: Change): PlanScope | undefined {
  const added = (change.withPods ?? []).filter((pod) => !index.queue.has(pod));
  const queued = added.map((pod) => index.queue.find(pod));
  if (!queued.every((one) => one !== undefined)) return undefined;
  const removedNodes = (change.withoutNodes ?? [])
    .map((providerId) => index.nodes.find(providerId))
    .filter((node) => node !== undefined)
    .filter((node) => node.index < index.nodes.schedulableCount);
  const pods = [...index.queue.all, ...queued];
  return { pods, pools: changedPools(index.snapshot, change), removedNodes, packing: undefined };
}

/** The snapshot a what-if is about. */
export function applyChange(snapshot: Snapshot, change: Change): Snapshot {
  const { withoutNodes = [], withPods = [] } = change;
  const removedNodes = new Set(withoutNodes);
  const known = new Set(snapshot.pods.map(podId));
  return {
    ...snapshot,
    nodes: snapshot.nodes.filter(({ providerId }) => !removedNodes.has(providerId)),
    absentNodes: [
      ...(snapshot.absentNodes ?? []),
      ...snapshot.nodes.filter(({ providerId }) => removedNodes.has(providerId)),
    ],
    pods: [...snapshot.pods, ...withPods.filter((pod) => !known.has(podId(pod)))],
    pools: changedPools(snapshot, change),
  };
}

function changedPools({ pools }: Snapshot, { withPools = [] }: Change): readonly Pool[] {
  if (withPools.length === 0) return pools;
  const changed = new Set(withPools.map(({ nodePool }) => nodePool.metadata.name));
  return [...pools.filter(({ nodePool }) => !changed.has(nodePool.metadata.name)), ...withPools];
}
