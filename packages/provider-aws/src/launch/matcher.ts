import {
  AWS_LABELS,
  AWS_PROFILE,
  CAPACITY_TYPE_LABEL,
  findIncompatibilities,
  type RequirementSpec,
  type Requirements,
  toRequirements,
  ZONE_LABEL,
} from '@karpenter-ts/apis';
import type { InstanceType, Offering } from '@karpenter-ts/scheduling';

/**
 * Which types and offerings requirements admit. The thousands of offerings of a catalogue share a few hundred objects for
 * what they say of a label, so the verdict on each object is remembered.
 */
export class Matcher {
  readonly #requirements: Requirements;
  readonly #verdicts = new Map<RequirementSpec, boolean>();

  constructor(requirements: Requirements) {
    this.#requirements = requirements;
  }

  /** Whether a node with what is offered meets the requirements. Well-known labels may be missing. */
  admits({ requirements }: Pick<InstanceType | Offering, 'requirements'>): boolean {
    for (const offered of requirements) {
      if (!this.#admitsOne(offered)) return false;
    }
    return true;
  }

  /** The offerings of a type that a launch may use now. */
  available({ offerings }: Pick<InstanceType, 'offerings'>): readonly Offering[] {
    return offerings.filter((offering) => offering.available && this.admits(offering));
  }

  /** Whether there is any such offering. */
  isAvailable({ offerings }: Pick<InstanceType, 'offerings'>): boolean {
    return offerings.some((offering) => offering.available && this.admits(offering));
  }

  #admitsOne(offered: RequirementSpec): boolean {
    if (!this.#requirements.has(offered.key) && AWS_PROFILE.wellKnownLabels.has(offered.key)) return true;
    let verdict = this.#verdicts.get(offered);
    if (verdict === undefined) {
      const one = toRequirements([offered], AWS_PROFILE);
      verdict = findIncompatibilities(this.#requirements, one, AWS_PROFILE.wellKnownLabels).length === 0;
      this.#verdicts.set(offered, verdict);
    }
    return verdict;
  }
}

/** What an offering says of a label; empty if nothing. */
export function offeredValue({ requirements }: Offering, key: string): string {
  return requirements.find((requirement) => requirement.key === key)?.values?.[0] ?? '';
}

export const zoneOf = (offering: Offering): string => offeredValue(offering, ZONE_LABEL);

export const isReserved = (offering: Offering): boolean => offeredValue(offering, CAPACITY_TYPE_LABEL) === 'reserved';

/** Kinds of capacity reservations, which one request to EC2 cannot mix. */
export interface ReservationKind {
  readonly type: 'default' | 'capacity-block';
  readonly interruptible: boolean;
}

/** The kind of reservation that a reserved offering draws on. */
export function reservationKindOf(offering: Offering): ReservationKind {
  const isBlock = offeredValue(offering, AWS_LABELS.capacityReservationType) === 'capacity-block';
  return {
    type: isBlock ? 'capacity-block' : 'default',
    interruptible: offeredValue(offering, AWS_LABELS.capacityReservationInterruptible) === 'true',
  };
}

/** The price of the cheapest of some offerings; Infinity if there are none. */
export function cheapestPrice(offerings: readonly Offering[]): number {
  return offerings.reduce((least, { pricePerHour }) => Math.min(least, pricePerHour), Number.POSITIVE_INFINITY);
}
