import { type ExceededLimit, findExceededLimit } from '@karpenter-ts/apis';
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  type Quantity,
  type ResourceList,
  subtractQuantities,
  ZERO_QUANTITY,
} from '@karpenter-ts/kubernetes';
import type { Command, Replacement } from './command.ts';
import type { DisruptionState } from '../view/disruption-state.ts';

/** What limits are compared with: the NodePools, and their usage as the cluster model counts it. */
export interface UsageNow {
  readonly pools: DisruptionState['pools'];
  usageOf(nodePool: string): ResourceList;
}

/**
 * The first limit that a NodePool would exceed once the replacements have taken the place of the candidates. The plan
 * respected the limits it saw, but a command may wait before it starts, and the provisioner buys meanwhile (spec 04
 * §25-35). While both exist the limit may be exceeded by the replacements: a full NodePool could not be changed
 * otherwise.
 */
export function findLimitExceededAfter(command: Command, { pools, usageOf }: UsageNow): ExceededLimit | undefined {
  for (const nodePool of new Set(command.replacements.map(({ planned }) => planned.nodePool))) {
    const limits = pools.get(nodePool)?.nodePool.spec.limits;
    if (limits === undefined) continue;
    const exceeded = findExceededLimit(limits, usageAfter(command, nodePool, usageOf(nodePool)));
    if (exceeded !== undefined) return exceeded;
  }
  return undefined;
}

function usageAfter({ candidates, replacements }: Command, nodePool: string, usage: ResourceList): ResourceList {
  const sums = new Map(Object.entries(usage).map(([resource, amount]) => [resource, parseQuantity(amount)]));
  const change = (held: ResourceList, by: (sum: Quantity, amount: Quantity) => Quantity): void => {
    for (const [resource, amount] of Object.entries(held)) {
      sums.set(resource, by(sums.get(resource) ?? ZERO_QUANTITY, parseQuantity(amount)));
    }
  };
  for (const { pool, stateNode } of candidates) {
    if (pool.nodePool.metadata.name === nodePool)
      change({ ...stateNode.existing.capacity, nodes: '1' }, subtractQuantities);
  }
  for (const replacement of replacements) {
    if (replacement.planned.nodePool === nodePool) change(largestCapacity(replacement), addQuantities);
  }
  return Object.fromEntries([...sums].map(([resource, sum]) => [resource, formatQuantity(sum)]));
}

/** Nobody knows yet which of its types the provider takes. */
function largestCapacity({ instanceTypes }: Replacement): ResourceList {
  const largest: Record<string, string | number> = { nodes: '1' };
  for (const { capacity } of instanceTypes) {
    for (const [resource, amount] of Object.entries(capacity)) {
      const known = largest[resource];
      if (known === undefined || compareQuantities(parseQuantity(amount), parseQuantity(known)) > 0) {
        largest[resource] = amount;
      }
    }
  }
  return largest;
}
