import type { DescribeCapacityReservationsCommandInput, Filter } from '@aws-sdk/client-ec2';
import type { NodeClassSpec } from '../node-class/node-class-parts.ts';
import { tagFilters } from '../node-class/tag-filters.ts';

export type ReservationSelectorTerm = NonNullable<NodeClassSpec['capacityReservationSelectorTerms']>[number];

/** What to ask EC2 for: reservations by their ids, or those with certain properties. */
export interface ReservationQueries {
  /** Each once, in the order of the terms. */
  readonly ids: readonly string[];
  /** One for each set of properties. */
  readonly searches: readonly ReservationSearch[];
}

export interface ReservationSearch {
  /** Equal for equal searches. */
  readonly key: string;
  readonly filters: readonly Filter[];
}

/** Only these can be launched into. */
const ACTIVE: Filter = { Name: 'state', Values: ['active'] };

/** The most that EC2 allows. */
const PAGE_SIZE = 1000;

/** What the terms ask for, of which a reservation matches one or more (spec 07 §23). An owner alone asks for nothing. */
export function reservationQueries(terms: readonly ReservationSelectorTerm[]): ReservationQueries {
  const ids = new Set<string>();
  const searches = new Map<string, ReservationSearch>();
  for (const term of terms) {
    if (term.id) ids.add(term.id);
    if (Object.keys(term.tags ?? {}).length === 0 && !term.instanceMatchCriteria) continue;
    const filters = [ACTIVE, ...propertyFilters(term)];
    const key = JSON.stringify(filters.map(({ Name, Values }) => [Name, ...(Values ?? [])]));
    searches.set(key, { key, filters });
  }
  return { ids: [...ids], searches: [...searches.values()] };
}

/** A listing by ids has no pages: EC2 refuses a page size there. */
export function idsInput(ids: readonly string[]): DescribeCapacityReservationsCommandInput {
  return { CapacityReservationIds: [...ids], Filters: [ACTIVE] };
}

export function searchInput({ filters }: ReservationSearch): DescribeCapacityReservationsCommandInput {
  return { Filters: [...filters], MaxResults: PAGE_SIZE };
}

function propertyFilters({ ownerID, tags, instanceMatchCriteria }: ReservationSelectorTerm): readonly Filter[] {
  return [
    ...(ownerID ? [filter('owner-id', ownerID)] : []),
    ...tagFilters(tags),
    ...(instanceMatchCriteria ? [filter('instance-match-criteria', instanceMatchCriteria)] : []),
  ];
}

function filter(name: string, value: string): Filter {
  return { Name: name, Values: [value] };
}
