import { allocatableOf, fits } from '../amounts.ts';
import { hasTooFewValues } from './instance-types.ts';
import type { Rule } from '../rule.ts';
import { isTypeCompatible, type PoolFacts, usableOfferings, type CheckedPlan } from '../checked-plan.ts';

/** A pool counts as unusable just when no type meets its requirements, or too few for `minValues` (§7.7). */
export const unusablePoolsTrue: Rule = (checked) => {
  if (checked.plan.undecided.length > 0) return []; // a run that was stopped may not have got to it
  const said = checked.plan.unusablePools
    .map(({ nodePool, minValuesUnmet }) => verdict(nodePool, minValuesUnmet))
    .sort()
    .join();
  const found = checked.pools
    .filter((pool) => isUnusable(pool, checked))
    .map((pool) => verdict(pool.name, usableTypes(pool, checked).length > 0))
    .sort()
    .join();
  return said === found ? [] : [`[${said}] are called unusable, not [${found}]`];
};

function verdict(name: string, minValuesUnmet: boolean): string {
  return `${name} for ${minValuesUnmet ? 'variety' : 'types'}`;
}

function isUnusable(pool: PoolFacts, checked: CheckedPlan): boolean {
  const types = usableTypes(pool, checked);
  if (types.length === 0) return true;
  if (checked.options.minValuesPolicy === 'BestEffort') return false;
  return [...pool.template.values()].some((requirement) => hasTooFewValues(types, requirement, checked));
}

function usableTypes({ instanceTypes, template }: PoolFacts, { options }: CheckedPlan) {
  return instanceTypes.filter(
    (type) =>
      isTypeCompatible(type, template, options.profile) &&
      usableOfferings(type, template, options.profile).some((offering) =>
        fits(new Map(), allocatableOf(type, offering)),
      ),
  );
}
