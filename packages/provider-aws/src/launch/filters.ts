import { CAPACITY_TYPE_LABEL } from '@karpenter-ts/apis';
import { canHold, type InstanceType, type Offering } from '@karpenter-ts/scheduling';
import { isLastResort } from '../instance-types/last-resort.ts';
import { type Demand, hasMinValues, leavesOpen } from './demand.ts';
import { cheapestPrice, type Matcher, offeredValue } from './matcher.ts';

// The filters that types pass before a launch (spec 07 §12). Each is a decision: it logs nothing, and changes no type. A
// type that keeps some of its offerings only is a copy.

/** What a filter made of a list of types. */
export interface Filtered {
  readonly kept: readonly InstanceType[];
  readonly rejected: readonly InstanceType[];
}

/** What a filter may look at. */
export interface FilterInput {
  readonly types: readonly InstanceType[];
  readonly demand: Demand;
  /** Of the requirements of the demand. */
  readonly matcher: Matcher;
}

/** Keeps the types that meet the requirements and have an available offering by which they hold what is requested. */
export function keepAvailable({ types, demand, matcher }: FilterInput): Filtered {
  return partition(
    types,
    (type) => matcher.admits(type) && canBeBought(type, matcher.available(type), demand.requests),
  );
}

/** Offerings without overrides deliver the same, so one of them stands for all. */
function canBeBought(type: InstanceType, offerings: readonly Offering[], requests: Demand['requests']): boolean {
  const plain = offerings.find((offering) => !hasOverride(offering));
  if (plain !== undefined && canHold(type, plain, requests)) return true;
  return offerings.some((offering) => hasOverride(offering) && canHold(type, offering, requests));
}

function hasOverride({ capacityOverride, overheadOverride }: Offering): boolean {
  return overheadOverride !== undefined || Object.keys(capacityOverride ?? {}).length > 0;
}

/** Leaves metal types and those with accelerators to those who can use nothing else, or who ask for variety. */
export function rejectLastResort({ types, demand }: FilterInput): Filtered {
  if (hasMinValues(demand.requirements)) return { kept: types, rejected: [] };
  const { kept, rejected } = partition(types, (type) => !isLastResort(type));
  return kept.length === 0 ? { kept: types, rejected: [] } : { kept, rejected };
}

/**
 * Where both spot and on-demand can be had, rejects spot that costs more than the cheapest on-demand: spot is bought
 * first, so it would be bought at that price.
 */
export function rejectDearSpot({ types, demand, matcher }: FilterInput): Filtered {
  const unchanged = { kept: types, rejected: [] };
  const { requirements } = demand;
  const isFlexible = ['spot', 'on-demand'].every((one) => leavesOpen(requirements, CAPACITY_TYPE_LABEL, one));
  if (hasMinValues(requirements) || !isFlexible) return unchanged;
  const available = types.flatMap((type) => matcher.available(type));
  const onDemand = cheapestPrice(available.filter((offering) => isOf(offering, 'on-demand')));
  if (onDemand === Number.POSITIVE_INFINITY || !available.some((offering) => isOf(offering, 'spot'))) return unchanged;
  return keepOfferings(types, (offering) => !isOf(offering, 'spot') || offering.pricePerHour <= onDemand);
}

function isOf(offering: Offering, capacityType: string): boolean {
  return offeredValue(offering, CAPACITY_TYPE_LABEL) === capacityType;
}

/** The types with those of their offerings that pass; a type that is left without any is rejected. */
function keepOfferings(types: readonly InstanceType[], passes: (offering: Offering) => boolean): Filtered {
  const kept: InstanceType[] = [];
  const rejected: InstanceType[] = [];
  for (const type of types) {
    const offerings = type.offerings.filter(passes);
    if (offerings.length === 0) rejected.push(type);
    else kept.push(offerings.length === type.offerings.length ? type : { ...type, offerings });
  }
  return { kept, rejected };
}

function partition(types: readonly InstanceType[], passes: (type: InstanceType) => boolean): Filtered {
  const kept: InstanceType[] = [];
  const rejected: InstanceType[] = [];
  for (const type of types) (passes(type) ? kept : rejected).push(type);
  return { kept, rejected };
}
