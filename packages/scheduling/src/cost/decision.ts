import type { PackingDecision, PackingReason, Plan, PlanCost, PlannedNode } from '../plan.ts';
import type { PackingOptions } from '../snapshot.ts';

/** What a node of a pool costs beside its price, by the pool's name. */
export type NodeFees = ReadonlyMap<string, number>;

/** Costs that differ by less are the same: adding up prices leaves noise. */
const NOISE = 1e-9;

/** Upstream's plan, with the reason that it is. */
export function keepUpstream(plan: Plan, fees: NodeFees, why: PackingReason): Plan {
  return { ...plan, packing: { taken: 'upstream', why, upstream: costOf(plan.newNodes, fees), costAware: undefined } };
}

/** The cheaper of two plans for the same pods, if it is cheaper by enough. */
export function decide(plan: Plan, others: readonly PlannedNode[], fees: NodeFees, { minGain }: PackingOptions): Plan {
  const upstream = costOf(plan.newNodes, fees);
  const costAware = costOf(others, fees);
  const [before, after] = [totalOf(upstream), totalOf(costAware)];
  const isCheaper = after <= before * (1 - minGain) + NOISE && after < before - NOISE;
  if (!isCheaper) return { ...plan, packing: { taken: 'upstream', why: 'GainTooSmall', upstream, costAware } };
  const packing: PackingDecision = { taken: 'cost-aware', why: 'Cheaper', upstream, costAware };
  return { ...plan, newNodes: others, pricePerHour: costAware.pricePerHour, packing };
}

function costOf(nodes: readonly PlannedNode[], fees: NodeFees): PlanCost {
  return {
    nodes: nodes.length,
    pricePerHour: nodes.reduce((sum, { pricePerHour }) => sum + pricePerHour, 0),
    feesPerHour: nodes.reduce((sum, { nodePool }) => sum + (fees.get(nodePool) ?? 0), 0),
  };
}

function totalOf({ pricePerHour, feesPerHour }: PlanCost): number {
  return pricePerHour + feesPerHour;
}
