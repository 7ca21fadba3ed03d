import { NODEPOOL_LABEL } from '@karpenter-ts/apis';
import { isTrue, READY } from '@karpenter-ts/kubernetes';
import type { Moment } from '../observer/moment.ts';
import type { ObservedClaim, ObservedCluster, PoolSample } from '../observer/observed-cluster.ts';
import { countAllowed } from './budget-windows.ts';
import { findBlocker, isMovable } from './command-grounds.ts';
import type { Violation } from './violation.ts';

/**
 * Finds nodes that should be deleted or replaced by now: empty ones, and those that have drifted, in pools whose budgets
 * would allow it at this moment. Nothing keeps them, so that in a calm cluster each of them goes in the end.
 */
export function findLeftovers(cluster: ObservedCluster, moment: Moment): readonly Violation[] {
  return cluster.claims.flatMap((claim): readonly Violation[] => {
    const reason = findReason(cluster, claim);
    if (reason === undefined || !mayGo(cluster, claim, reason, moment)) return [];
    return [{ invariant: 'rest', detail: `${claim.nodeClaim.metadata.name} is ${reason} and stays` }];
  });
}

function findReason(cluster: ObservedCluster, { nodeClaim }: ObservedClaim): 'Drifted' | 'Empty' | undefined {
  const name = nodeClaim.status?.nodeName ?? '';
  const pool = cluster.findPool(cluster.findNode(name)?.node.metadata.labels?.[NODEPOOL_LABEL] ?? '');
  if (pool === undefined || !isTrue(nodeClaim, 'Initialized')) return undefined;
  if (isTrue(nodeClaim, 'Drifted')) return 'Drifted';
  const isConsolidated = pool.spec.disruption?.consolidateAfter !== 'Never';
  return isConsolidated && !cluster.podsOn(name).some(({ pod }) => isMovable(pod)) ? 'Empty' : undefined;
}

function mayGo(
  cluster: ObservedCluster,
  { nodeClaim }: ObservedClaim,
  reason: 'Drifted' | 'Empty',
  moment: Moment,
): boolean {
  const { name: claimName, deletionTimestamp } = nodeClaim.metadata;
  const node = cluster.findNode(nodeClaim.status?.nodeName ?? '')?.node;
  if (node === undefined || deletionTimestamp !== undefined || !isTrue(node, READY)) return false;
  const { name, labels } = node.metadata;
  const sample = cluster.samplesOf(labels?.[NODEPOOL_LABEL] ?? '', moment.now).at(-1);
  if (sample === undefined || !hasRoom(sample, reason, moment)) return false;
  // What keeps the node may have come a moment ago: it is not judged before it is certain that nothing does.
  const strict = { ...moment, since: moment.now };
  return findBlocker(cluster, { node: name, nodeClaim: claimName }, reason, strict) === undefined;
}

function hasRoom({ pool, nodes, unavailable }: PoolSample, reason: string, { walls }: Moment): boolean {
  const budgets = pool.spec.disruption?.budgets ?? [];
  return walls.every((wall) => countAllowed(budgets, { reason, total: nodes.size, wall }) > unavailable.size);
}
