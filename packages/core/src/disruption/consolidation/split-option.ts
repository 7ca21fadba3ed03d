import type { MinimumSavings } from '@karpenter-ts/apis';
import {
  addQuantities,
  compareQuantities,
  parseQuantity,
  type Quantity,
  type ResourceList,
  ZERO_QUANTITY,
} from '@karpenter-ts/kubernetes';
import { type Instant, MINUTE } from '@karpenter-ts/runtime';
import type { InstanceType, Plan } from '@karpenter-ts/scheduling';
import type { Candidate } from '../candidates/candidate.ts';
import type { ConsolidationContext } from './consolidation-option.ts';
import { admitsBoth, type NoOffer, type Offer, offerOf, pin, priceOf } from './offer.ts';
import { admitsCapacityType, countNeededTypes, findShortages } from './price-filters.ts';

/** What a replacement by several nodes depends on, besides prices (spec 09 A2). */
export interface SplitContext {
  readonly now: Instant;
  /** Whether a command that replaces nodes of the pool by several is being carried out. */
  isSplitting(nodePool: string): boolean;
  /** The capacity of the nodes of the pool, as its limits count it. */
  capacityOf(nodePool: string): ResourceList;
}

/** Why candidates are not replaced by several nodes. */
export type NoSplit =
  | NoOffer
  /** More than the pools permit, or one of the candidates is too young, or their pool has such a command already. */
  | { readonly kind: 'TooManyNewNodes'; readonly newNodes: number }
  | { readonly kind: 'NothingCheaperTogether'; readonly newNodes: number }
  /** The old nodes and the new ones together would not keep to the limits of the pool. */
  | { readonly kind: 'OverLimits'; readonly nodePool: string; readonly resource: string }
  | { readonly kind: 'SpotToSpotDisabled' }
  | { readonly kind: 'SpotFlexibility'; readonly cheaperTypes: number };

/** A node younger than this may still be filling up. */
const LEAST_AGE = 10 * MINUTE;
/** As many types as upstream asks of a spot node that replaces a single one. */
const LEAST_SPOT_TYPES = 15;

/**
 * The nodes that replace the candidates, one offer for each new node of the plan. Each gets a share of what they may cost
 * together, in proportion to the cheapest price of each, and keeps only types that cost less at every launch: whatever
 * is launched, it costs less than the candidates by as much as their pools ask for.
 */
export function findSplit(
  candidates: readonly Candidate[],
  plan: Plan,
  context: ConsolidationContext,
): readonly Offer[] | NoSplit {
  const newNodes = plan.newNodes.length;
  if (context.splits === undefined || !mayBeSplit(candidates, newNodes, context.splits)) {
    return { kind: 'TooManyNewNodes', newNodes };
  }
  const areSpot = candidates.every(({ capacityType }) => capacityType === 'spot');
  const offers: Offer[] = [];
  for (const planned of plan.newNodes) {
    const offer = offerOf(planned, context);
    const isSpot = areSpot && admitsCapacityType(planned.requirements, 'spot');
    if (isSpot && !context.spotToSpot) return { kind: 'SpotToSpotDisabled' };
    offers.push(isSpot ? pin(offer, 'spot') : offer);
  }
  const cheapest = offers.map(({ types, prices }) => Math.min(...types.map(({ name }) => prices.of(name).cheapest)));
  const sum = cheapest.reduce((total, price) => total + price, 0);
  const cap = capOf(candidates);
  const narrowed: Offer[] = [];
  for (const [i, offer] of offers.entries()) {
    const left = narrow(offer, { candidates, newNodes, areSpot, cap: cap * (cheapest[i]! / sum) });
    if ('kind' in left) return left;
    narrowed.push(left);
  }
  return findLimitProblem(narrowed, context, context.splits) ?? narrowed;
}

/** How many nodes may replace the candidates: as many as all of their pools permit. */
function mayBeSplit(candidates: readonly Candidate[], newNodes: number, splits: SplitContext): boolean {
  return candidates.every(({ nodeClaim, pool }) => {
    const age = splits.now - Date.parse(nodeClaim.metadata.creationTimestamp ?? '');
    const { maxReplacements } = pool.settings;
    return newNodes <= maxReplacements && age >= LEAST_AGE && !splits.isSplitting(pool.nodePool.metadata.name);
  });
}

/** What the new nodes must cost less than, together. */
function capOf(candidates: readonly Candidate[]): number {
  const price = priceOf(candidates);
  const caps = candidates.map(({ pool: { settings } }) => {
    const { part, perHour }: MinimumSavings = settings.minSavings;
    return Math.min(price * (1 - Math.max(settings.splitMinSavings, part)), price - perHour);
  });
  return Math.min(...caps);
}

interface Share {
  readonly candidates: readonly Candidate[];
  readonly newNodes: number;
  readonly areSpot: boolean;
  /** What every launch of this node must cost less than. */
  readonly cap: number;
}

function narrow(offer: Offer, share: Share): Offer | NoSplit {
  const cheaper = keepBelow(offer, share);
  if ('kind' in cheaper) return cheaper;
  if (share.areSpot && admitsCapacityType(offer.planned.requirements, 'spot')) {
    const { types, planned } = cheaper;
    if (types.length < LEAST_SPOT_TYPES) return { kind: 'SpotFlexibility', cheaperTypes: types.length };
    const listed = Math.max(LEAST_SPOT_TYPES, countNeededTypes(types, planned.requirements));
    return { ...cheaper, types: types.slice(0, listed) };
  }
  if (!admitsBoth(cheaper)) return cheaper;
  // As with a single replacement: a shortage of spot must fail the launch instead of buying a dearer node.
  const asSpot = pin(cheaper, 'spot');
  const hasSpot = asSpot.types.some(({ name }) => asSpot.prices.of(name).cheapest < Infinity);
  return hasSpot ? asSpot : keepBelow(pin(cheaper, 'on-demand'), share);
}

/** The offer without types that may cost as much as the share, or as much as a candidate of the same type. */
function keepBelow(offer: Offer, { candidates, newNodes, cap }: Share): Offer | NoSplit {
  const types = offer.types.filter((type) => {
    const { worst } = offer.prices.of(type.name);
    const isSame = candidates.some(({ instanceType, price }) => instanceType?.name === type.name && worst >= price);
    return worst < cap && !isSame;
  });
  const shortOf = findShortages(types, offer.planned.requirements);
  if (shortOf.length > 0) return { kind: 'MinValues', shortOf };
  return types.length === 0 ? { kind: 'NothingCheaperTogether', newNodes } : { ...offer, types };
}

/** The new nodes are counted as large as they may become, and the candidates are counted, because they go last. */
function findLimitProblem(
  offers: readonly Offer[],
  { pools }: ConsolidationContext,
  splits: SplitContext,
): NoSplit | undefined {
  for (const [nodePool, together] of Map.groupBy(offers, ({ planned }) => planned.nodePool)) {
    const limits = pools.get(nodePool)?.nodePool.spec.limits ?? {};
    const held = splits.capacityOf(nodePool);
    for (const [resource, limit] of Object.entries(limits)) {
      const needed = together.reduce(
        (sum, { types }) => addQuantities(sum, largest(types, resource)),
        parseQuantity(held[resource] ?? '0'),
      );
      if (compareQuantities(needed, parseQuantity(limit)) > 0) return { kind: 'OverLimits', nodePool, resource };
    }
  }
  return undefined;
}

function largest(types: readonly InstanceType[], resource: string): Quantity {
  if (resource === 'nodes') return parseQuantity('1');
  return types
    .map(({ capacity }) => parseQuantity(capacity[resource] ?? '0'))
    .reduce((most, one) => (compareQuantities(one, most) > 0 ? one : most), ZERO_QUANTITY);
}
