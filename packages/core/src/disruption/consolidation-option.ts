import type { CapacityType } from '@karpenter-ts/apis';
import type {
  InstanceType,
  LaunchPriceIndexes,
  Plan,
  PlannedNode,
  PricesUnder,
  ValueShortage,
} from '@karpenter-ts/scheduling';
import type { Candidate } from './candidate.ts';
import type { Replacement } from './command.ts';
import type { DisruptionPool } from './disruption-state.ts';
import { admitsCapacityType, cheaperThan, countNeededTypes, findShortages, pinCapacityType } from './price-filters.ts';
import type { Simulation, SimulationError, Simulator } from './simulator.ts';

/** A way to save money: the candidates can go, alone or for a cheaper node. */
export interface PossibleConsolidation {
  readonly decision: 'delete' | 'replace';
  readonly candidates: readonly Candidate[];
  readonly replacements: readonly Replacement[];
  /** Where the pods go. Its new nodes are those of the replacements. */
  readonly plan: Plan;
  /** Dollars per hour, by upstream's estimate (spec 04 §13). */
  readonly savings: number;
}

/** What consolidation can do with a set of candidates (spec 04 §11.3). */
export type ConsolidationOption =
  | PossibleConsolidation
  | { readonly decision: 'no-op'; readonly candidates: readonly Candidate[]; readonly why: NoConsolidation };

/** Why candidates stay. */
export type NoConsolidation =
  | { readonly kind: 'CandidateIsDeleting' }
  | { readonly kind: 'PodsUnschedulable'; readonly errors: readonly SimulationError[] }
  | { readonly kind: 'TooManyNewNodes'; readonly newNodes: number }
  | { readonly kind: 'SpotToSpotDisabled' }
  /** Too few kinds of cheaper instance types are left for `minValues`. */
  | { readonly kind: 'MinValues'; readonly shortOf: readonly ValueShortage[] }
  | { readonly kind: 'NothingCheaper' }
  /** Too few instance types are cheaper than the candidate, so that spot nodes would be replaced again and again. */
  | { readonly kind: 'SpotFlexibility'; readonly cheaperTypes: number };

/** What an option is computed from, besides the candidates. */
export interface ConsolidationContext {
  readonly pools: ReadonlyMap<string, DisruptionPool>;
  readonly prices: LaunchPriceIndexes;
  /** The feature gate `SpotToSpotConsolidation`. */
  readonly spotToSpot: boolean;
}

/** How many instance types must be cheaper than a single spot candidate, and how many its replacement lists. */
export const SPOT_FLEXIBILITY = 15;

/** Computes what can be done with these candidates together. Rejects if the simulation fails or is aborted. */
export async function findOption(
  candidates: readonly Candidate[],
  context: ConsolidationContext,
  simulator: Simulator,
  signal: AbortSignal,
): Promise<ConsolidationOption> {
  return chooseOption(candidates, await simulator.simulate(candidates, signal), context);
}

/** What the simulation allows to do with the candidates, and what of that saves money. */
export function chooseOption(
  candidates: readonly Candidate[],
  simulation: Simulation | 'CandidateIsDeleting',
  context: ConsolidationContext,
): ConsolidationOption {
  const none = (why: NoConsolidation): ConsolidationOption => ({ decision: 'no-op', candidates, why });
  if (simulation === 'CandidateIsDeleting') return none({ kind: simulation });
  const { plan, errors } = simulation;
  if (errors.length > 0) return none({ kind: 'PodsUnschedulable', errors });
  const [planned, ...more] = plan.newNodes;
  const currentPrice = priceOf(candidates);
  if (planned === undefined) return { decision: 'delete', candidates, replacements: [], plan, savings: currentPrice };
  if (more.length > 0) return none({ kind: 'TooManyNewNodes', newNodes: plan.newNodes.length });
  const offer = offerOf(planned, context);
  const narrowed =
    areAllSpot(candidates) && admitsCapacityType(planned.requirements, 'spot')
      ? narrowSpotToSpot(offer, { candidates, currentPrice, isAllowed: context.spotToSpot })
      : narrowByPrice(offer, candidates.length, currentPrice);
  return 'kind' in narrowed ? none(narrowed) : replaceBy(narrowed, { candidates, plan });
}

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

/** The node as the simulation planned it, before anything is filtered. */
export function offerOf(
  planned: PlannedNode,
  { pools, prices }: Pick<ConsolidationContext, 'pools' | 'prices'>,
): Offer {
  const pool = pools.get(planned.nodePool)!; // plans are made from these pools
  return {
    planned,
    types: planned.instanceTypes.map((name) => pool.instanceTypes.get(name)!),
    prices: prices.of(pool.offered).under(planned.requirements),
  };
}

/** The replacement made of an offer. */
function toReplacement({ planned, types, prices }: Offer): Replacement {
  const names = types.map(({ name }) => name);
  const pricePerHour = names.reduce((least, name) => Math.min(least, prices.of(name).cheapest), Infinity);
  return {
    planned: { ...planned, instanceTypes: names, capacityTypes: prices.capacityTypes(names), pricePerHour },
    instanceTypes: types,
  };
}

function narrowByPrice(offer: Offer, candidates: number, currentPrice: number): Offer | NoConsolidation {
  const cheaper = keepCheaper(offer, currentPrice);
  if ('kind' in cheaper) return cheaper;
  const { requirements } = offer.planned;
  if (!admitsCapacityType(requirements, 'spot') || !admitsCapacityType(requirements, 'on-demand')) return cheaper;
  // The prices compared are those of spot, where there is some. Without this requirement a shortage of spot would buy a
  // dearer on-demand node; with it the launch fails and the candidates stay.
  const asSpot = pin(cheaper, 'spot');
  // A single node would be replaced by one that can only fail to launch, again and again. Of several nodes upstream never
  // gets that far, because the filter for equal types drops types without an offering.
  const mustFail = candidates === 1 && !asSpot.types.some(({ name }) => asSpot.prices.of(name).cheapest < Infinity);
  return mustFail ? keepCheaper(pin(cheaper, 'on-demand'), currentPrice) : asSpot;
}

interface SpotTask {
  readonly candidates: readonly Candidate[];
  readonly currentPrice: number;
  readonly isAllowed: boolean;
}

/** Spot nodes for a spot node (spec 04 §11.5). */
function narrowSpotToSpot(offer: Offer, { candidates, currentPrice, isAllowed }: SpotTask): Offer | NoConsolidation {
  if (!isAllowed) return { kind: 'SpotToSpotDisabled' };
  const cheaper = keepCheaper(pin(offer, 'spot'), currentPrice);
  if ('kind' in cheaper || candidates.length > 1) return cheaper;
  const { types, planned } = cheaper;
  if (types.length < SPOT_FLEXIBILITY) return { kind: 'SpotFlexibility', cheaperTypes: types.length };
  // The new node is one of those listed, so it will not have as many cheaper types itself and is left alone.
  const listed = Math.max(SPOT_FLEXIBILITY, countNeededTypes(types, planned.requirements));
  return { ...cheaper, types: types.slice(0, listed) };
}

/** The offer without types that may cost as much as the limit, or why none is left. */
export function keepCheaper(offer: Offer, limit: number): Offer | NoConsolidation {
  const types = cheaperThan(limit, offer.types, offer.prices);
  const shortOf = findShortages(types, offer.planned.requirements);
  if (shortOf.length > 0) return { kind: 'MinValues', shortOf };
  return types.length === 0 ? { kind: 'NothingCheaper' } : { ...offer, types };
}

function pin({ planned, types, prices }: Offer, capacityType: CapacityType): Offer {
  const requirements = pinCapacityType(planned.requirements, capacityType);
  return { planned: { ...planned, requirements }, types, prices: prices.pinnedTo(capacityType) };
}

/** The consolidation that replaces the candidates by a node of this offer. */
export function replaceBy(
  offer: Offer,
  { candidates, plan }: Pick<PossibleConsolidation, 'candidates' | 'plan'>,
): PossibleConsolidation {
  const replacement = toReplacement(offer);
  const { planned } = replacement;
  return {
    decision: 'replace',
    candidates,
    replacements: [replacement],
    plan: { ...plan, newNodes: [planned], pricePerHour: planned.pricePerHour },
    savings: priceOf(candidates) - estimatedPrice(offer),
  };
}

/** Upstream's estimate of the new price: the first type's cheapest offering, or nothing if it has none. */
function estimatedPrice({ types, prices }: Offer): number {
  const { cheapest } = prices.of(types[0]!.name);
  return cheapest === Infinity ? 0 : cheapest;
}

function areAllSpot(candidates: readonly Candidate[]): boolean {
  return candidates.every(({ capacityType }) => capacityType === 'spot');
}
