import { countOf } from '../checks/pool-limits.ts';
import type { BitSet } from '../interning/bit-set.ts';
import type { OpenNode } from '../packing/open-node.ts';
import type { CostPool } from './cost-pool.ts';
import type { Machine } from './machine.ts';

/** What each machine may turn out to be, or a pool whose limits do not allow for its machines. */
export type LimitShares = { readonly choices: readonly BitSet[] } | { readonly exceeded: CostPool };

/**
 * Divides the limits of pools among machines, so that they hold whatever is bought: every machine of a pool may be larger
 * by an equal share of what the limits leave. Nodes that are `fixed` count first, as the largest they may be.
 */
export function divideLimits(machines: readonly Machine[], fixed: readonly OpenNode[]): LimitShares {
  const choices = machines.map(({ pool }) => pool.template.variants.clone());
  for (const pool of new Set(machines.map((machine) => machine.pool))) {
    const own = [...machines.keys()].filter((i) => machines[i]!.pool === pool);
    const { catalogue } = pool.template.market;
    for (const [limit, { nanos }] of remainingBeside(pool, fixed)) {
      const counts = own.map((i) => countOf(limit, machines[i]!.variant, catalogue));
      const rest = nanos - counts.reduce((sum, count) => sum + count, 0n);
      if (rest < 0n) return { exceeded: pool };
      const share = rest / BigInt(own.length);
      const levels = catalogue.capacityLevels(limit);
      for (const [j, i] of own.entries()) choices[i]!.intersect(levels.atMost(counts[j]! + share));
    }
  }
  return { choices };
}

function remainingBeside({ template, limits }: CostPool, fixed: readonly OpenNode[]) {
  const left = limits?.clone();
  for (const node of fixed) {
    if (node.template === template) left?.countPlanned(node.variants, template.market.catalogue);
  }
  return left?.remaining ?? [];
}
