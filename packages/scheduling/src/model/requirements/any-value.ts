import { operatorOf, type Requirement } from '@karpenter-ts/apis';

const MOST = 2n ** 63n - 1n;

/**
 * A value that meets the requirement, to put a label on a node before anyone knows better (spec 02 §9.6): the first of
 * those listed, or an integer within the bounds; `undefined` if there is none. `random` gives a number from 0 up to 1.
 *
 * Where upstream panics, because no integer from 0 on is left, there is no value (remark 20). Upstream may pick a value
 * that the requirement excludes; here it is the next that is not.
 */
export function findAnyValue(requirement: Requirement, random: () => number): string | undefined {
  switch (operatorOf(requirement)) {
    case 'DoesNotExist':
      return undefined;
    case 'In':
      return [...requirement.values].sort()[0];
    default: {
      const { least, most } = boundsOf(requirement);
      const count = most - least + 1n;
      if (count <= 0n || admitsNothing(requirement)) return undefined;
      let offset = scale(random(), count);
      while (requirement.values.has(String(least + offset))) offset = (offset + 1n) % count;
      return String(least + offset);
    }
  }
}

/**
 * Whether no label meets it: none is listed, or bounds and exclusions leave no integer. Label values do not begin with a
 * minus sign.
 */
export function admitsNothing(requirement: Requirement): boolean {
  const { complement, values, highest } = requirement;
  if (!complement) return values.size === 0;
  if (highest === undefined) return false;
  const { least, most } = boundsOf(requirement);
  if (most - least >= BigInt(values.size)) return false;
  for (let value = least; value <= most; value++) if (!values.has(String(value))) return false;
  return true;
}

function boundsOf({ lowest = 0n, highest = MOST - 1n }: Requirement) {
  return { least: lowest < 0n ? 0n : lowest, most: highest };
}

/** A whole number below `count`, as far along as `fraction` is from 0 to 1. */
function scale(fraction: number, count: bigint): bigint {
  const PRECISION = 2 ** 53;
  return (BigInt(Math.floor(fraction * PRECISION)) * count) / BigInt(PRECISION);
}
