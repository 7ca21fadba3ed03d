import type { RequirementSets } from '../model/requirements/requirement-set.ts';
import type { CostPool } from './cost-pool.ts';
import type { Effort } from './effort.ts';
import type { PodGroup } from './pod-groups.ts';

/** One value of a label: pod groups that need different values of a label cannot share a node. */
export interface ExclusiveNeed {
  /** The label's number: from zero on, in the order in which pod groups name them. */
  readonly label: number;
  /** Equal for equal values. */
  readonly value: number;
}

const STEPS_PER_NEED = 2;
const NONE: readonly ExclusiveNeed[] = [];

/**
 * By pod group, the labels of which it needs one value that the pool leaves open. Labels of types and offerings are not
 * among them: a node option has one value of each, and takes no pod group that needs another.
 */
export function exclusiveNeeds(
  groups: readonly PodGroup[],
  pools: readonly CostPool[],
  { table }: Pick<RequirementSets, 'table'>,
  effort: Effort,
): readonly (readonly ExclusiveNeed[])[] {
  const catalogues = [...new Set(pools.map(({ template }) => template.market.catalogue))];
  const labels = new Map<string, number | undefined>();
  const labelOf = (key: string): number | undefined => {
    if (!labels.has(key)) {
      const isOffered = catalogues.some((catalogue) => catalogue.speaksOf(key));
      labels.set(key, isOffered ? undefined : labels.size);
    }
    return labels.get(key);
  };
  return groups.map(({ needs }) => {
    effort.spend(STEPS_PER_NEED * needs.ids.length);
    const found: ExclusiveNeed[] = [];
    for (const value of needs.ids) {
      const { key, complement, values } = table.get(value);
      const label = complement || values.size !== 1 ? undefined : labelOf(key);
      if (label !== undefined) found.push({ label, value });
    }
    return found.length === 0 ? NONE : found;
  });
}
