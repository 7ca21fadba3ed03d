import { admitsAbsence, anything, type Incompatibility, intersect, type Requirement } from '@karpenter-ts/apis';
import { admitsNothing } from './any-value.ts';

/**
 * Where requirements that must all hold leave nothing: no value meets all those of one key, and one of them needs the
 * label. Each is told as the first that leaves nothing against what those before it left.
 *
 * The intersection alone does not show that: upstream's empty set of values also stands for "the label is absent".
 */
export function findContradictions(requirements: Iterable<Requirement>): readonly Incompatibility[] {
  const met = new Map<string, { readonly left: Requirement; readonly needsLabel: boolean }>();
  const contradictions = new Map<string, Incompatibility>();
  for (const incoming of requirements) {
    const { key } = incoming;
    const before = met.get(key) ?? { left: anything(key), needsLabel: false };
    const left = intersect(before.left, incoming);
    const needsLabel = before.needsLabel || !admitsAbsence(incoming);
    met.set(key, { left, needsLabel });
    if (!needsLabel || !admitsNothing(left) || contradictions.has(key)) continue;
    contradictions.set(key, { why: 'NoCommonValue', key, incoming, existing: before.left });
  }
  return [...contradictions.values()];
}
