import type { Requirements } from '@karpenter-ts/apis';
import { InsufficientCapacityError } from '@karpenter-ts/cloudprovider';
import { StructuredError } from '@karpenter-ts/runtime';
import type { InstanceType } from '@karpenter-ts/scheduling';
import type { Demand } from './demand.ts';
import { type Filtered, type FilterInput, keepAvailable, rejectDearSpot, rejectLastResort } from './filters.ts';
import { cheapestPrice, Matcher } from './matcher.ts';
import { keepLargestReservations, keepOneCapacityBlock, keepOneReservationKind } from './reserved-filters.ts';

/** EC2 takes a limited number of offerings in a request, so only the cheapest types are offered to it. */
const MOST_TYPES = 60;

/** In their order, by the names that the log line has. */
const FILTERS: readonly (readonly [name: string, filter: (input: FilterInput) => Filtered])[] = [
  ['compatible-available-filter', keepAvailable],
  ['capacity-reservation-type-filter', keepOneReservationKind],
  ['capacity-block-filter', keepOneCapacityBlock],
  ['reserved-offering-filter', keepLargestReservations],
  ['exotic-instance-filter', rejectLastResort],
  ['spot-offering-filter', rejectDearSpot],
];

/** What the types of a NodeClass come to for one NodeClaim. */
export interface LaunchTypes {
  /** The types to offer to EC2, the cheapest first, each with the offerings that are left of it. */
  readonly types: readonly InstanceType[];
  /** What filters took out, apart from what could not be had anyway. */
  readonly rejections: readonly Rejection[];
}

interface Rejection {
  readonly filter: string;
  readonly names: readonly string[];
}

/** Chooses the types to launch with. Throws InsufficientCapacityError if nothing is left. */
export function chooseLaunchTypes(
  types: readonly InstanceType[],
  demand: Demand,
  minValuesPolicy: 'Strict' | 'BestEffort',
): LaunchTypes {
  const matcher = new Matcher(demand.requirements);
  const rejections: Rejection[] = [];
  let left = types;
  for (const [filter, decide] of FILTERS) {
    const { kept, rejected } = decide({ types: left, demand, matcher });
    if (kept.length === 0) {
      throw new InsufficientCapacityError(new Error('all requested instance types were unavailable during launch'));
    }
    if (rejected.length > 0 && decide !== keepAvailable) {
      rejections.push({ filter, names: rejected.map(({ name }) => name) });
    }
    left = kept;
  }
  return { types: truncate(left, matcher, { demand, minValuesPolicy }), rejections };
}

/** The cheapest types. Of those that cost the same, the first by name: the order of the catalogue means nothing. */
function truncate(
  types: readonly InstanceType[],
  matcher: Matcher,
  { demand, minValuesPolicy }: { readonly demand: Demand; readonly minValuesPolicy: 'Strict' | 'BestEffort' },
): readonly InstanceType[] {
  const priced = types.map((type) => ({ type, price: cheapestPrice(matcher.available(type)) }));
  priced.sort((a, b) => a.price - b.price || (a.type.name < b.type.name ? -1 : 1));
  const cheapest = priced.slice(0, MOST_TYPES).map(({ type }) => type);
  const short = minValuesPolicy === 'BestEffort' ? [] : findShortLabels(cheapest, demand.requirements);
  if (short.length === 0) return cheapest;
  const cause = new StructuredError('minValues requirement is not met for label(s)', { 'label(s)': short });
  const text = `truncating instance types based on the passed-in requirements, validating minValues, ${cause.message}`;
  throw new InsufficientCapacityError(new Error(text, { cause }));
}

/** The labels of which the types have fewer values than `minValues` asks for. */
function findShortLabels(types: readonly InstanceType[], requirements: Requirements): readonly string[] {
  const asked = [...requirements.values()].filter(({ minValues }) => minValues !== undefined);
  const short = asked.filter(({ key, minValues }) => countValues(types, key) < minValues!);
  return short.map(({ key }) => key).sort();
}

function countValues(types: readonly InstanceType[], key: string): number {
  const values = types.flatMap(({ requirements }) => requirements.find((one) => one.key === key)?.values ?? []);
  return new Set(values).size;
}
