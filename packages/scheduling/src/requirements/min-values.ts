import type { Catalogue } from '../instance-types/catalogue.ts';
import type { BitSet } from '../interning/bit-set.ts';
import type { RequirementSet, RequirementSets } from './requirement-set.ts';

/**
 * Labels of which the variants left have fewer distinct values than `minValues` asks for, and how many they have.
 * The types' own values count, whether or not the requirement admits them (spec 02 §21).
 */
export function findShortages(
  set: RequirementSet,
  sets: RequirementSets,
  catalogue: Catalogue,
  variants: BitSet,
): ReadonlyMap<string, number> {
  const shortages = new Map<string, number>();
  for (const id of set.ids) {
    const { key, minValues } = sets.table.get(id);
    if (minValues === undefined) continue;
    const count = countValues(catalogue, key, variants);
    if (count < minValues) shortages.set(key, count);
  }
  return shortages;
}

/** The set with `minValues` lowered to what there is. */
export function withLoweredMinValues(
  set: RequirementSet,
  sets: RequirementSets,
  shortages: ReadonlyMap<string, number>,
): RequirementSet {
  let lowered = set;
  for (const id of set.ids) {
    const requirement = sets.table.get(id);
    const minValues = shortages.get(requirement.key);
    if (minValues !== undefined) lowered = sets.withReplaced(lowered, sets.table.intern({ ...requirement, minValues }));
  }
  return lowered;
}

function countValues(catalogue: Catalogue, key: string, variants: BitSet): number {
  const values = new Set<string>();
  for (const declaration of catalogue.declarations(key)) {
    if (!declaration.variants.overlaps(variants)) continue;
    for (const value of declaration.requirement.values) values.add(value);
  }
  return values.size;
}
