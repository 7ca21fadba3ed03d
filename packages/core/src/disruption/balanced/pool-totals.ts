import {
  CAPACITY_TYPE_LABEL,
  INSTANCE_TYPE_LABEL,
  type NodeClaim,
  NODEPOOL_LABEL,
  ZONE_LABEL,
} from '@karpenter-ts/apis';
import type { Pod } from '@karpenter-ts/kubernetes';
import { isDaemonPod } from '../../kinds/pod.ts';
import { evictionCost, NODE_COST } from '../../pods/eviction-cost.ts';
import type { StateNode } from '../../state/state-node.ts';
import type { Candidate } from '../candidates/candidate.ts';
import type { CandidateSelection } from '../candidates/candidate-filters.ts';
import type { DisruptionPool, DisruptionState } from '../view/disruption-state.ts';
import type { OfferingPrices } from '../candidates/offering-prices.ts';

/** What a NodePool costs in all: the measure for what a move saves and disrupts (spec 04 §13). */
export interface PoolTotals {
  /** The hourly price of its nodes. */
  readonly cost: number;
  /** What it would cost to disrupt all its nodes. */
  readonly disruptionCost: number;
}

/**
 * The totals of every NodePool with a candidate, whether or not the candidate is eligible for a method. Nodes that are
 * no candidates count too: otherwise the same move would look larger the more nodes are blocked.
 */
export function findPoolTotals(
  { candidates, blocked }: CandidateSelection,
  { stateNodes, pools }: Pick<DisruptionState, 'stateNodes' | 'pools'>,
  prices: OfferingPrices,
): ReadonlyMap<string, PoolTotals> {
  const sums = new Map<string, PoolSums>();
  for (const candidate of candidates) sumOf(sums, poolName(candidate)).candidateCost += candidate.price;
  const sumsWithCandidates = (name: string | undefined) => (name === undefined ? undefined : sums.get(name));
  for (const { nodeClaim } of [...stateNodes.active, ...stateNodes.deleting]) {
    const name = nodeClaim?.metadata.labels?.[NODEPOOL_LABEL];
    const sum = sumsWithCandidates(name);
    if (sum !== undefined) sum.cost += priceOf(nodeClaim!, pools.get(name!), prices);
  }
  for (const candidate of candidates)
    sums.get(poolName(candidate))!.disruptionCost += candidate.rescheduleDisruptionCost;
  for (const { stateNode } of blocked) {
    const sum = sumsWithCandidates(stateNode.existing.labels[NODEPOOL_LABEL]);
    if (sum !== undefined) sum.disruptionCost += disruptionCostOf(stateNode);
  }
  return new Map([...sums].map(([name, sum]) => [name, toTotals(sum)]));
}

interface PoolSums {
  /** Of the candidates, by the labels of their Nodes. */
  candidateCost: number;
  /** Of all NodeClaims, by their labels. */
  cost: number;
  disruptionCost: number;
}

function sumOf(sums: Map<string, PoolSums>, name: string): PoolSums {
  let sum = sums.get(name);
  if (sum === undefined) sums.set(name, (sum = { candidateCost: 0, cost: 0, disruptionCost: 0 }));
  return sum;
}

function toTotals({ candidateCost, cost, disruptionCost }: PoolSums): PoolTotals {
  return { cost: cost > 0 ? cost : candidateCost, disruptionCost };
}

function poolName({ pool }: Candidate): string {
  return pool.nodePool.metadata.name;
}

/** 0 if it is not known. */
function priceOf({ metadata }: NodeClaim, pool: DisruptionPool | undefined, prices: OfferingPrices): number {
  const { labels = {} } = metadata;
  const instanceType = pool?.instanceTypes.get(labels[INSTANCE_TYPE_LABEL] ?? '');
  const purchase = { zone: labels[ZONE_LABEL] ?? '', capacityType: labels[CAPACITY_TYPE_LABEL] ?? '' };
  return prices.find(instanceType, purchase) ?? 0;
}

/**
 * As upstream counts a node that is no candidate: all pods of the node but those of DaemonSets, even mirror pods and
 * pods that are going, which do not count on a candidate.
 */
function disruptionCostOf({ existing }: StateNode): number {
  return existing.pods.reduce((sum, pod) => sum + trackedCost(pod), NODE_COST);
}

function trackedCost(pod: Pod): number {
  return isDaemonPod(pod) ? 0 : Math.max(0, evictionCost(pod));
}
