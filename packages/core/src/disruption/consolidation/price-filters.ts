import {
  admits,
  CAPACITY_TYPE_LABEL,
  type CapacityType,
  combineRequirements,
  CORE_PROFILE,
  type Requirements,
  toRequirement,
} from '@karpenter-ts/apis';
import type { InstanceType, PricesUnder, ValueShortage } from '@karpenter-ts/scheduling';

/** Types of which every launch costs less, wherever it ends up: the strict limit keeps equal nodes from being swapped. */
export function cheaperThan(
  limit: number,
  types: readonly InstanceType[],
  prices: PricesUnder,
): readonly InstanceType[] {
  return types.filter(({ name }) => prices.of(name).worst < limit);
}

/**
 * The labels of which the types left have fewer values than `minValues` asks for, sorted. None if there are no types:
 * upstream then says that there is nothing cheaper.
 */
export function findShortages(types: readonly InstanceType[], requirements: Requirements): readonly ValueShortage[] {
  if (types.length === 0) return [];
  const shortages: ValueShortage[] = [];
  for (const { key, minValues } of withMinValues(requirements)) {
    const found = new Set(types.flatMap((type) => valuesOf(type, key))).size;
    if (found < minValues) shortages.push({ label: key, wanted: minValues, found });
  }
  return shortages.sort((a, b) => (a.label < b.label ? -1 : 1));
}

/** How many of the first types it takes to have the values that `minValues` asks for; 0 if it asks for none. */
export function countNeededTypes(types: readonly InstanceType[], requirements: Requirements): number {
  let needed = 0;
  for (const { key, minValues } of withMinValues(requirements)) {
    const values = new Set<string>();
    const last = types.findIndex((type) => {
      for (const value of valuesOf(type, key)) values.add(value);
      return values.size >= minValues;
    });
    needed = Math.max(needed, last < 0 ? types.length : last + 1);
  }
  return needed;
}

/** The requirements with the capacity type limited to this one. */
export function pinCapacityType(requirements: Requirements, capacityType: CapacityType): Requirements {
  const spec = { key: CAPACITY_TYPE_LABEL, operator: 'In', values: [capacityType] };
  return combineRequirements([...requirements.values(), toRequirement(spec, CORE_PROFILE)]);
}

/** Whether a node with these requirements may be of this capacity type. */
export function admitsCapacityType(requirements: Requirements, capacityType: CapacityType): boolean {
  const requirement = requirements.get(CAPACITY_TYPE_LABEL);
  return requirement === undefined || admits(requirement, capacityType);
}

function* withMinValues(requirements: Requirements): Iterable<{ readonly key: string; readonly minValues: number }> {
  for (const { key, minValues } of requirements.values()) if (minValues !== undefined) yield { key, minValues };
}

/** The type's own values count, whether or not the requirement admits them. */
function valuesOf({ requirements }: InstanceType, label: string): readonly string[] {
  return requirements.filter(({ key }) => key === label).flatMap(({ values = [] }) => values);
}
