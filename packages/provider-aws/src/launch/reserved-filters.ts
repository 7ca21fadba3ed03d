import { AWS_LABELS, CAPACITY_TYPE_LABEL } from '@karpenter-ts/apis';
import type { InstanceType, Offering } from '@karpenter-ts/scheduling';
import { leavesOpen } from './demand.ts';
import type { Filtered, FilterInput } from './filters.ts';
import { cheapestPrice, isReserved, type ReservationKind, reservationKindOf, zoneOf } from './matcher.ts';

// The filters that are about capacity reservations (spec 07 §12, 2 to 4). They do nothing to a launch that reserved
// capacity is not open for, and leave everything as it is where nothing reserved is available.

/** Of kinds that cost the same, the first is chosen. */
const KINDS: readonly ReservationKind[] = [
  { type: 'default', interruptible: false },
  { type: 'capacity-block', interruptible: false },
  { type: 'default', interruptible: true },
];

/** Chooses the kind of reservation with the cheapest offering: one request to EC2 is for one kind only. */
export function keepOneReservationKind(input: FilterInput): Filtered {
  const { types, matcher } = input;
  if (!isReservedOpen(input)) return unchanged(types);
  const usable = types.flatMap((type) => matcher.available(type).filter(isReserved));
  const [cheapest] = KINDS.map((kind) => ({ kind, price: cheapestPrice(usable.filter(isOfKind(kind))) }))
    .filter(({ price }) => price !== Number.POSITIVE_INFINITY)
    .sort((a, b) => a.price - b.price);
  if (cheapest === undefined) return unchanged(types);
  const isChosen = isOfKind(cheapest.kind);
  return narrow(types, (type) =>
    matcher.available(type).some((offering) => isReserved(offering) && isChosen(offering))
      ? type.offerings.filter((offering) => isReserved(offering) && isChosen(offering))
      : [],
  );
}

/**
 * Chooses the cheapest capacity block: EC2 takes one block in a request. It acts if the choice before has left blocks only.
 * Whether it has is told by the first offering that says anything of the type of a reservation; that of an on-demand or
 * spot offering is that there is none.
 */
export function keepOneCapacityBlock(input: FilterInput): Filtered {
  const { types, matcher } = input;
  const first = types.flatMap(({ offerings }) => offerings).find(saysReservationType);
  if (!isReservedOpen(input) || first === undefined || !isBlock(first)) return unchanged(types);
  const blocks = types.flatMap((type) =>
    matcher
      .available(type)
      .filter((offering) => isReserved(offering) && isBlock(offering))
      .map((offering) => ({ type, offering })),
  );
  if (blocks.length === 0) return unchanged(types);
  const chosen = blocks.reduce((a, b) => (b.offering.pricePerHour < a.offering.pricePerHour ? b : a));
  return narrow(types, (type) => (type === chosen.type ? [chosen.offering] : []));
}

/** Chooses the reservation of each type and zone that has most left: EC2 takes one for each pool of capacity. */
export function keepLargestReservations(input: FilterInput): Filtered {
  const { types, matcher } = input;
  if (!isReservedOpen(input)) return unchanged(types);
  const narrowed = narrow(types, (type) => {
    const byZone = Map.groupBy(matcher.available(type).filter(isReserved), zoneOf);
    return [...byZone.values()].map((ofZone) => ofZone.reduce((a, b) => (capacityOf(b) > capacityOf(a) ? b : a)));
  });
  return narrowed.kept.length === 0 ? unchanged(types) : narrowed;
}

function isReservedOpen({ demand }: FilterInput): boolean {
  return leavesOpen(demand.requirements, CAPACITY_TYPE_LABEL, 'reserved');
}

function unchanged(types: readonly InstanceType[]): Filtered {
  return { kept: types, rejected: [] };
}

/** Copies of the types with the chosen offerings; those for which none is chosen are rejected. */
function narrow(types: readonly InstanceType[], choose: (type: InstanceType) => readonly Offering[]): Filtered {
  const kept: InstanceType[] = [];
  const rejected: InstanceType[] = [];
  for (const type of types) {
    const offerings = choose(type);
    if (offerings.length === 0) rejected.push(type);
    else kept.push({ ...type, offerings });
  }
  return { kept, rejected };
}

function isOfKind({ type, interruptible }: ReservationKind): (offering: Offering) => boolean {
  return (offering) => {
    const kind = reservationKindOf(offering);
    return kind.type === type && kind.interruptible === interruptible;
  };
}

function isBlock(offering: Offering): boolean {
  return reservationKindOf(offering).type === 'capacity-block';
}

function saysReservationType({ requirements }: Offering): boolean {
  return requirements.some(({ key }) => key === AWS_LABELS.capacityReservationType);
}

function capacityOf({ reservation }: Offering): number {
  return reservation?.capacity ?? 0;
}
