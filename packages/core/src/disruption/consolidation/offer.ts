import type { CapacityType } from '@karpenter-ts/apis';
import {
  type InstanceType,
  launchChoices,
  type PlannedNode,
  type PricesUnder,
  type ValueShortage,
} from '@karpenter-ts/scheduling';
import type { Candidate } from '../candidates/candidate.ts';
import type { Replacement } from '../commands/command.ts';
import type { ConsolidationContext } from './consolidation-option.ts';
import { admitsCapacityType, cheaperThan, findShortages, pinCapacityType } from './price-filters.ts';

/** What the candidates cost, per hour. */
export function priceOf(candidates: readonly Candidate[]): number {
  return candidates.reduce((sum, { price }) => sum + price, 0);
}

/** A node that could be bought: its types, cheapest first, and what they cost within its requirements. */
export interface Offer {
  readonly planned: PlannedNode;
  readonly types: readonly InstanceType[];
  readonly prices: PricesUnder;
}

/**
 * The node as the simulation planned it, before anything is filtered, but without types that are only its last resorts: the
 * price filters could leave nothing else, and then pods would move to a metal instance because it is cheaper.
 */
export function offerOf(
  planned: PlannedNode,
  { pools, prices }: Pick<ConsolidationContext, 'pools' | 'prices'>,
): Offer {
  const pool = pools.get(planned.nodePool)!; // plans are made from these pools
  const instanceTypes = launchChoices(planned);
  return {
    planned: { ...planned, instanceTypes, lastResorts: 0 },
    types: instanceTypes.map((name) => pool.instanceTypes.get(name)!),
    prices: prices.of(pool.offered).under(planned.requirements),
  };
}

/** The replacement made of an offer. */
export function toReplacement({ planned, types, prices }: Offer): Replacement {
  const names = types.map(({ name }) => name);
  const pricePerHour = names.reduce((least, name) => Math.min(least, prices.of(name).cheapest), Infinity);
  return {
    planned: { ...planned, instanceTypes: names, capacityTypes: prices.capacityTypes(names), pricePerHour },
    instanceTypes: types,
  };
}

/** Why nothing of an offer is left. */
export type NoOffer =
  /** Too few kinds of cheaper instance types are left for `minValues`. */
  { readonly kind: 'MinValues'; readonly shortOf: readonly ValueShortage[] } | { readonly kind: 'NothingCheaper' };

/** The offer without types that may cost as much as the limit, or why none is left. */
export function keepCheaper(offer: Offer, limit: number): Offer | NoOffer {
  const types = cheaperThan(limit, offer.types, offer.prices);
  const shortOf = findShortages(types, offer.planned.requirements);
  if (shortOf.length > 0) return { kind: 'MinValues', shortOf };
  return types.length === 0 ? { kind: 'NothingCheaper' } : { ...offer, types };
}

/** Whether a node of the offer could be of either capacity type, so that a provider would choose between them. */
export function admitsBoth({ planned: { requirements } }: Offer): boolean {
  return admitsCapacityType(requirements, 'spot') && admitsCapacityType(requirements, 'on-demand');
}

/** The offer limited to a capacity type. */
export function pin({ planned, types, prices }: Offer, capacityType: CapacityType): Offer {
  const requirements = pinCapacityType(planned.requirements, capacityType);
  return { planned: { ...planned, requirements }, types, prices: prices.pinnedTo(capacityType) };
}

/** Upstream's estimate of the new price: the first type's cheapest offering. A node without either counts as free. */
export function estimatedPrice({ types: [first], prices }: Offer): number {
  const cheapest = first === undefined ? Infinity : prices.of(first.name).cheapest;
  return cheapest === Infinity ? 0 : cheapest;
}
