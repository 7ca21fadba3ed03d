import { CAPACITY_TYPE_LABEL, type CapacityType, type RequirementSpec, ZONE_LABEL } from '@karpenter-ts/apis';
import type { Offering } from '@karpenter-ts/scheduling';
import { isOneOf } from './type-description.ts';

/** Makes offerings. Those of one zone and capacity type share their requirements, of which there are thousands. */
export function offeringMaker(): (zone: string, capacityType: CapacityType, pricePerHour: number) => Offering {
  const places = new Map<string, readonly RequirementSpec[]>();
  return (zone, capacityType, pricePerHour) => {
    const place = `${zone}/${capacityType}`;
    let requirements = places.get(place);
    if (requirements === undefined) {
      requirements = [isOneOf(CAPACITY_TYPE_LABEL, capacityType), isOneOf(ZONE_LABEL, zone)];
      places.set(place, requirements);
    }
    return { requirements, pricePerHour, available: true };
  };
}
