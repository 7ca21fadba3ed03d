import type { InstanceType, LaunchPriceIndexes, Plan } from '@karpenter-ts/scheduling';
import type { Candidate } from '../candidates/candidate.ts';
import type { Replacement } from '../commands/command.ts';
import { findKindOff, type KindOff } from './consolidation-kinds.ts';
import type { DisruptionPool } from '../view/disruption-state.ts';
import { findSavingsShortfall, type SavingsShortfall } from './minimum-savings.ts';
import {
  admitsBoth,
  estimatedPrice,
  keepCheaper,
  type NoOffer,
  type Offer,
  offerOf,
  pin,
  priceOf,
  toReplacement,
} from './offer.ts';
import { admitsCapacityType, countNeededTypes, findShortages } from './price-filters.ts';
import type { Simulation, SimulationError, Simulator } from '../simulation/simulator.ts';
import { findSplit, type NoSplit, type SplitContext } from './split-option.ts';

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
  | { readonly kind: 'SpotToSpotDisabled' }
  | NoOffer
  /** Too few instance types are cheaper than the candidate, so that spot nodes would be replaced again and again. */
  | { readonly kind: 'SpotFlexibility'; readonly cheaperTypes: number }
  | NoSplit
  | ({ readonly kind: 'MethodOff' } & KindOff)
  | ({ readonly kind: 'SavingTooSmall' } & SavingsShortfall);

/** What an option is computed from, besides the candidates. */
export interface ConsolidationContext {
  readonly pools: ReadonlyMap<string, DisruptionPool>;
  readonly prices: LaunchPriceIndexes;
  /** The feature gate `SpotToSpotConsolidation`. */
  readonly spotToSpot: boolean;
  /** Without it no candidate is replaced by more than one node. */
  readonly splits?: SplitContext | undefined;
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
  if (planned === undefined) {
    const shortfall = findSavingsShortfall(candidates, { price: currentPrice, newPrice: 0 }, 'delete');
    if (shortfall !== undefined) return none({ kind: 'SavingTooSmall', ...shortfall });
    return permitted({ decision: 'delete', candidates, replacements: [], plan, savings: currentPrice });
  }
  if (more.length > 0) {
    const split = findSplit(candidates, plan, context);
    return 'kind' in split ? none(split) : permitted(replaceBy(split, { candidates, plan }));
  }
  const offer = offerOf(planned, context);
  const narrowed =
    areAllSpot(candidates) && admitsCapacityType(planned.requirements, 'spot')
      ? narrowSpotToSpot(offer, candidates, context.spotToSpot)
      : narrowByPrice(offer, candidates);
  return 'kind' in narrowed ? none(narrowed) : permitted(replaceBy([narrowed], { candidates, plan }));
}

/** The consolidation, if the pools of its candidates permit its kind. */
function permitted(consolidation: PossibleConsolidation): ConsolidationOption {
  const { candidates, decision } = consolidation;
  const off = findKindOff(candidates, decision);
  return off === undefined ? consolidation : { decision: 'no-op', candidates, why: { kind: 'MethodOff', ...off } };
}

function narrowByPrice(offer: Offer, candidates: readonly Candidate[]): Offer | NoConsolidation {
  const cheaper = keepSaving(offer, candidates);
  if ('kind' in cheaper) return cheaper;
  if (!admitsBoth(offer)) return cheaper;
  // The prices compared are those of spot, where there is some. Without this requirement a shortage of spot would buy a
  // dearer on-demand node; with it the launch fails and the candidates stay.
  const asSpot = pin(cheaper, 'spot');
  // A single node would be replaced by one that can only fail to launch, again and again. Of several nodes upstream never
  // gets that far, because the filter for equal types drops types without an offering.
  const mustFail =
    candidates.length === 1 && !asSpot.types.some(({ name }) => asSpot.prices.of(name).cheapest < Infinity);
  return mustFail ? keepSaving(pin(cheaper, 'on-demand'), candidates) : asSpot;
}

/** Spot nodes for a spot node (spec 04 §11.5). */
function narrowSpotToSpot(offer: Offer, candidates: readonly Candidate[], isAllowed: boolean): Offer | NoConsolidation {
  if (!isAllowed) return { kind: 'SpotToSpotDisabled' };
  const cheaper = keepSaving(pin(offer, 'spot'), candidates);
  if ('kind' in cheaper || candidates.length > 1) return cheaper;
  const { types, planned } = cheaper;
  if (types.length < SPOT_FLEXIBILITY) return { kind: 'SpotFlexibility', cheaperTypes: types.length };
  // The new node is one of those listed, so it will not have as many cheaper types itself and is left alone.
  const listed = Math.max(SPOT_FLEXIBILITY, countNeededTypes(types, planned.requirements));
  return { ...cheaper, types: types.slice(0, listed) };
}

/** The offer without types that may cost too much for their pools, or why none is left. */
function keepSaving(offer: Offer, candidates: readonly Candidate[]): Offer | NoConsolidation {
  const price = priceOf(candidates);
  const cheaper = keepCheaper(offer, price);
  if ('kind' in cheaper) return cheaper;
  const shortfallOf = (newPrice: number): SavingsShortfall | undefined =>
    findSavingsShortfall(candidates, { price, newPrice }, 'replace');
  const worst = ({ name }: InstanceType): number => offer.prices.of(name).worst;
  const types = cheaper.types.filter((type) => shortfallOf(worst(type)) === undefined);
  if (types.length === cheaper.types.length) return cheaper;
  const shortfall = types.length === 0 ? shortfallOf(Math.min(...cheaper.types.map(worst))) : undefined;
  if (shortfall !== undefined) return { kind: 'SavingTooSmall', ...shortfall };
  const shortOf = findShortages(types, offer.planned.requirements);
  return shortOf.length > 0 ? { kind: 'MinValues', shortOf } : { ...cheaper, types };
}

/** The consolidation that replaces the candidates by a node of each of these offers. */
export function replaceBy(
  offers: readonly Offer[],
  { candidates, plan }: Pick<PossibleConsolidation, 'candidates' | 'plan'>,
): PossibleConsolidation {
  const replacements = offers.map(toReplacement);
  const newNodes = replacements.map(({ planned }) => planned);
  return {
    decision: 'replace',
    candidates,
    replacements,
    plan: { ...plan, newNodes, pricePerHour: newNodes.reduce((sum, one) => sum + one.pricePerHour, 0) },
    savings: priceOf(candidates) - offers.reduce((sum, offer) => sum + estimatedPrice(offer), 0),
  };
}

function areAllSpot(candidates: readonly Candidate[]): boolean {
  return candidates.every(({ capacityType }) => capacityType === 'spot');
}
