import type { BitSet } from '../interning/bit-set.ts';
import type { RequirementSet } from '../requirements/requirement-set.ts';
import type { Catalogue } from './catalogue.ts';

/**
 * Those of these variants among which a launch chooses: last resorts are dropped where others are left, unless the node's
 * requirements have `minValues` (spec 07 §12). All variants must be offered to the node. The result is not to be changed.
 */
export function withoutLastResorts(
  variants: BitSet,
  { hasMinValues }: Pick<RequirementSet, 'hasMinValues'>,
  { lastResorts }: Pick<Catalogue, 'lastResorts'>,
): BitSet {
  if (hasMinValues || !lastResorts.overlaps(variants) || lastResorts.includes(variants)) return variants;
  const others = variants.clone();
  others.subtract(lastResorts);
  return others;
}
