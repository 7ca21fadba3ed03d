import type { Offering } from '@karpenter-ts/scheduling';
import type { PriceSource } from '../pricing/price-source.ts';
import type { ReservationCounter } from '../reservations/reservation-counter.ts';
import type { ZonalShiftSource } from '../zonal-shift/zonal-shift-source.ts';
import { isShifted } from './base-offerings.ts';
import type { NodeClassSettings } from './node-class-settings.ts';
import type { OfferedType, OfferingContext, OfferingResolver } from './offering-resolver.ts';

/** Reserved capacity is paid for, so it costs next to nothing more; what is left of the price keeps the order of types. */
const PART_OF_PRICE = 10_000_000;

export interface ReservedOfferingsDeps {
  readonly prices: PriceSource;
  readonly reservations: ReservationCounter;
  readonly zonalShift: ZonalShiftSource;
}

/** One offering for each reservation of the type in the status of the NodeClass (spec 07 §8.2). */
export class ReservedOfferings implements OfferingResolver {
  readonly #deps: ReservedOfferingsDeps;

  constructor(deps: ReservedOfferingsDeps) {
    this.#deps = deps;
  }

  get version(): number {
    const { prices, reservations, zonalShift } = this.#deps;
    return prices.version + reservations.version + zonalShift.version;
  }

  /** Launches into reservations change the counts all the time, and concern few types. */
  versionOf(instanceType: string, settings: NodeClassSettings): number {
    return reservationsOf(instanceType, settings).length === 0 ? 0 : this.version;
  }

  resolve(type: OfferedType, offerings: readonly Offering[], context: OfferingContext): readonly Offering[] {
    const reservations = reservationsOf(type.name, context.settings);
    if (reservations.length === 0) return offerings;
    const { prices, reservations: counter, zonalShift } = this.#deps;
    const { settings, requirements } = context;
    const reserved = reservations.map((reservation): Offering => {
      const { id, availabilityZone: zone, state } = reservation;
      const capacity = counter.available(id);
      const isOpen = type.isCompatible && type.isUsableIn(zone) && !isShifted(zone, settings.subnetZones, zonalShift);
      return {
        requirements: requirements.reserved(reservation, settings),
        pricePerHour: (prices.onDemand(type.name) ?? 0) / PART_OF_PRICE,
        available: isOpen && capacity !== 0 && state !== 'expiring',
        reservation: { id, capacity },
      };
    });
    return [...offerings, ...reserved];
  }
}

function reservationsOf(instanceType: string, { types }: NodeClassSettings) {
  const { capacityReservations } = types;
  return capacityReservations.length === 0
    ? capacityReservations
    : capacityReservations.filter((reservation) => reservation.instanceType === instanceType);
}
