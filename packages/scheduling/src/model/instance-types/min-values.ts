import type { ValueShortage } from '../../plan.ts';
import type { Catalogue } from './catalogue.ts';
import type { BitSet } from '../interning/bit-set.ts';
import type { RequirementSet, RequirementSets } from '../requirements/requirement-set.ts';

/**
 * The labels of which the variants left have fewer distinct values than `minValues` asks for, sorted.
 * The types' own values count, whether or not the requirement admits them (spec 02 §21).
 */
export function findShortages(
  set: RequirementSet,
  sets: RequirementSets,
  catalogue: Catalogue,
  variants: BitSet,
): readonly ValueShortage[] {
  const shortages: ValueShortage[] = [];
  for (const id of set.ids) {
    const { key, minValues } = sets.table.get(id);
    if (minValues === undefined) continue;
    const found = countValues(catalogue, key, variants, minValues);
    if (found < minValues) shortages.push({ label: key, wanted: minValues, found });
  }
  return shortages.sort((a, b) => (a.label < b.label ? -1 : 1));
}

/** The set with `minValues` lowered to what there is. */
export function withLoweredMinValues(
  set: RequirementSet,
  sets: RequirementSets,
  shortages: readonly ValueShortage[],
): RequirementSet {
  let lowered = set;
  for (const { label, found } of shortages) {
    const id = set.find(sets.table.keys.find(label));
    const requirement = { ...sets.table.get(id), minValues: found };
    lowered = sets.withReplaced(lowered, sets.table.intern(requirement, !sets.table.admitsAbsence(id)));
  }
  return lowered;
}

/** How many there are, or some number from `enough` on. */
function countValues(catalogue: Catalogue, key: string, variants: BitSet, enough: number): number {
  const values = new Set<string>();
  for (const declaration of catalogue.declarations(key)) {
    if (!declaration.variants.overlaps(variants)) continue;
    for (const value of declaration.requirement.values) values.add(value);
    if (values.size >= enough) break;
  }
  return values.size;
}
