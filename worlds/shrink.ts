import type { WorldPlan } from './plan/world-plan.ts';

/** The parts of a plan that a world can do without: the nth pool, workload or step, as `p0`, `w2`, `s11`. */
export type Part = `${'p' | 'w' | 's'}${number}`;

/** All of them. */
export function partsOf({ pools, workloads, steps }: WorldPlan): readonly Part[] {
  return [
    ...pools.map((_, index): Part => `p${index}`),
    ...workloads.map((_, index): Part => `w${index}`),
    ...steps.map((_, index): Part => `s${index}`),
  ];
}

/** The world with only these parts. */
export function keepParts(plan: WorldPlan, parts: readonly string[]): WorldPlan {
  const kept = new Set(parts);
  return {
    ...plan,
    pools: plan.pools.filter((_, index) => kept.has(`p${index}`)),
    workloads: plan.workloads.filter((_, index) => kept.has(`w${index}`)),
    steps: plan.steps.filter((_, index) => kept.has(`s${index}`)),
  };
}

/**
 * Parts of the plan that are enough to fail, none of which can be left out by itself. Halves are left out first, then
 * ever smaller groups, so that a long plan takes few runs.
 */
export async function shrink(
  plan: WorldPlan,
  stillFails: (smaller: WorldPlan) => Promise<boolean>,
): Promise<readonly Part[]> {
  let parts = partsOf(plan);
  let size = Math.ceil(parts.length / 2);
  for (;;) {
    const smaller = await leaveOut(plan, parts, size, stillFails);
    const isSmallest = size <= 1 && smaller.length === parts.length; // leaving one out may make another needless
    parts = smaller;
    if (isSmallest) return parts;
    size = Math.ceil(size / 2);
  }
}

/** Tries to do without each group of so many parts in turn. */
async function leaveOut(
  plan: WorldPlan,
  parts: readonly Part[],
  size: number,
  stillFails: (smaller: WorldPlan) => Promise<boolean>,
): Promise<readonly Part[]> {
  let kept = parts;
  for (let start = 0; start < kept.length; ) {
    const rest = kept.toSpliced(start, size);
    if (await stillFails(keepParts(plan, rest))) kept = rest;
    else start += size;
  }
  return kept;
}
