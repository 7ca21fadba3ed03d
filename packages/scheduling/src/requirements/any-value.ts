import { operatorOf, type Requirement } from '@karpenter-ts/apis';

const MOST = 2n ** 63n - 1n;

/**
 * A value that meets the requirement, to put a label on a node before anyone knows better (spec 02 §9.6): the first of
 * those listed, or an integer within the bounds; `undefined` if there is none. `random` gives a number from 0 up to 1.
 *
 * Where upstream panics, because no integer from 0 on is left, there is no value (remark 20).
 */
export function findAnyValue(requirement: Requirement, random: () => number): string | undefined {
  switch (operatorOf(requirement)) {
    case 'DoesNotExist':
      return undefined;
    case 'In':
      return [...requirement.values].sort()[0];
    default: {
      const lowest = requirement.lowest ?? 0n;
      const highest = requirement.highest ?? MOST - 1n;
      return lowest > highest ? undefined : String(lowest + scale(random(), highest - lowest + 1n));
    }
  }
}

/** A whole number below `count`, as far along as `fraction` is from 0 to 1. */
function scale(fraction: number, count: bigint): bigint {
  const PRECISION = 2 ** 53;
  return (BigInt(Math.floor(fraction * PRECISION)) * count) / BigInt(PRECISION);
}
