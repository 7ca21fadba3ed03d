import type { Market } from '../model/instance-types/market.ts';
import type { BitSet } from '../model/interning/bit-set.ts';
import type { NodeTemplate } from '../packing/new-nodes/node-template.ts';
import type { RequirementSet } from '../model/requirements/requirement-set.ts';
import type { PlanningOptions } from '../snapshot.ts';

/** What of a pool can be bought for these requirements, sizes aside. */
export function buyableVariants(
  { market, variants }: NodeTemplate,
  set: RequirementSet,
  reservedCapacity: PlanningOptions['reservedCapacity'],
): BitSet {
  const buyable = variants.clone();
  buyable.intersect(market.supply(set).usable);
  if (reservedCapacity === 'Strict') dropReserved(buyable, market, set);
  return buyable;
}

/**
 * Drops types of which something is reserved that a node with these requirements could draw on. A node that may not be
 * bought beside a reservation would have to wait for one, where upstream's larger node need not.
 */
export function dropReserved(variants: BitSet, market: Market, set: RequirementSet): void {
  for (const reserved of market.catalogue.reserved) {
    if (market.isOffered(reserved.kind, set)) variants.subtract(reserved.variants);
  }
}
