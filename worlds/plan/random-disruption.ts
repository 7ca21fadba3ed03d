import type { Random } from '@karpenter-ts/kubernetes/testing';
import type { BudgetPlan, DisruptionPlan } from './world-plan.ts';

const REASONS = ['Empty', 'Drifted', 'Underutilized'] as const;
const POLICIES = ['WhenEmpty', 'WhenEmptyOrUnderutilized', 'WhenEmptyOrUnderutilized', 'Balanced'] as const;
const MOST_BUDGETS = 3;

/** How nodes of a pool may be disrupted: mostly at once, with up to three budgets. */
export function randomDisruption(random: Random): DisruptionPlan {
  return {
    consolidationPolicy: random.pick(POLICIES),
    consolidateAfter: random.pick(['0s', '0s', '0s', '30s', '3m', 'Never']),
    budgets: Array.from({ length: random.below(MOST_BUDGETS + 1) }, () => randomBudget(random)),
  };
}

function randomBudget(random: Random): BudgetPlan {
  const nodes = random.pick(['0', '0', '1', '1', '2', '3', '10%', '30%', '50%', '100%']);
  const reasons = REASONS.filter(() => random.chance(0.5));
  return {
    nodes,
    ...(random.chance(0.5) && reasons.length > 0 && { reasons }),
    ...(random.chance(0.6) && randomWindow(random)),
  };
}

/** Within the hour that a world lasts. */
function randomWindow(random: Random): Pick<BudgetPlan, 'schedule' | 'duration'> {
  const minutes = random.pick([2, 10, 20, 40]);
  const schedule = random.pick([`${random.below(60)} * * * *`, '*/15 * * * *', '*/20 * * * *', '*/30 * * * *']);
  return { schedule, duration: `${minutes}m` };
}
