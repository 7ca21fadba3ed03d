import { type Amounts, milliUnitsOf, type Quantity, unitsOf } from '@karpenter-ts/kubernetes';

/** A resource amount as metrics show it. */
export interface ResourceSample {
  readonly resourceType: string;
  readonly value: number;
}

/** One for each resource: CPU in cores, all else in whole units (spec 05 §4.1). */
export function resourceSamples(amounts: Amounts): readonly ResourceSample[] {
  return Array.from(amounts, ([name, quantity]) => ({
    resourceType: resourceType(name),
    value: name === 'cpu' ? Number(milliUnitsOf(quantity)) / 1000 : Number(unitsOf(quantity)),
  }));
}

/**
 * The requested share of the allocatable amount by resource, in percent. Resources with nothing allocatable are left
 * out.
 */
export function utilizationSamples(allocatable: Amounts, requested: Amounts): readonly ResourceSample[] {
  return Array.from(allocatable)
    .filter(([, quantity]) => unitsOf(quantity) !== 0n)
    .map(([name, quantity]) => ({
      resourceType: resourceType(name),
      value: 100 * shareOf(name, requested.get(name), quantity),
    }));
}

function shareOf(name: string, part: Quantity | undefined, whole: Quantity): number {
  if (part === undefined) return 0;
  const count = name === 'cpu' ? milliUnitsOf : unitsOf;
  return Number(count(part)) / Number(count(whole));
}

function resourceType(name: string): string {
  return name.toLowerCase().replaceAll('-', '_');
}
