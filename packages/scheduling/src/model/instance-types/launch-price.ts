import {
  CAPACITY_TYPE_LABEL,
  type CapacityType,
  findIncompatibilities,
  type ProviderProfile,
  type Requirements,
  toRequirements,
} from '@karpenter-ts/apis';
import type { InstanceType, Offering } from '../../snapshot.ts';

/** In the order a provider buys where it may choose. */
export const LAUNCH_ORDER: readonly CapacityType[] = ['reserved', 'spot', 'on-demand'];

/** The available offerings of a type that a node with these requirements may be bought by. */
export function compatibleOfferings(
  { offerings }: InstanceType,
  requirements: Requirements,
  profile: ProviderProfile,
): readonly Offering[] {
  return offerings.filter(
    (offering) =>
      offering.available &&
      findIncompatibilities(requirements, toRequirements(offering.requirements, profile), profile.wellKnownLabels)
        .length === 0,
  );
}

/** The most a launch can cost: the dearest offering of the capacity type it will be of; Infinity if it cannot be had. */
export function worstLaunchPrice(type: InstanceType, requirements: Requirements, profile: ProviderProfile): number {
  const compatible = compatibleOfferings(type, requirements, profile);
  for (const capacityType of LAUNCH_ORDER) {
    const prices = compatible
      .filter((offering) => capacityTypeOf(offering) === capacityType)
      .map(({ pricePerHour }) => pricePerHour);
    if (prices.length > 0) return Math.max(...prices);
  }
  return Number.POSITIVE_INFINITY;
}

/** The price after an overlay: `""` leaves it, `1.5` sets it, `+0.1` and `-10%` change it; never below zero. */
export function adjustPrice(pricePerHour: number, change: string): number {
  if (change === '') return pricePerHour;
  const isRelative = change.startsWith('+') || change.startsWith('-');
  if (!isRelative) return Number(change);
  const amount = Number.parseFloat(change);
  const adjusted = change.endsWith('%') ? pricePerHour * (1 + amount / 100) : pricePerHour + amount;
  return Math.max(0, adjusted);
}

function capacityTypeOf({ requirements }: Offering): string | undefined {
  return requirements.find(({ key }) => key === CAPACITY_TYPE_LABEL)?.values?.[0];
}
