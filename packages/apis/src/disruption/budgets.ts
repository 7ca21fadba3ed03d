import type { Budget } from '../kinds/core/node-pool.ts';
import {
  CronError,
  DurationError,
  goQuote,
  nanosToMilliseconds,
  nextCronHit,
  parseCron,
  parseDuration,
  parseInt64,
} from '@karpenter-ts/kubernetes';

/** The reason of a voluntary disruption. */
export type DisruptionReason = NonNullable<Budget['reasons']>[number];

/** What a budget allows while it is inactive: more than any pool has. Dashboards know the number. */
export const UNLIMITED = 2 ** 31 - 1;

/** The input of `allowedDisruptions`. Percentages refer to `nodeCount`; `now` is in milliseconds since the epoch. */
export interface BudgetQuestion {
  readonly budgets: readonly Budget[];
  readonly reason: DisruptionReason;
  readonly nodeCount: number;
  readonly now: number;
}

/** A problem of the budget at `index`. */
export interface BudgetProblem {
  readonly index: number;
  readonly message: string;
}

/** How many Nodes may be disrupted at once, and the budgets that are invalid. */
export interface AllowedDisruptions {
  readonly nodes: number;
  readonly problems: readonly BudgetProblem[];
}

/**
 * The smallest number that any active budget for this reason allows (spec 01 §2.5). A budget without `reasons` applies
 * to all reasons, one with an empty list to none. An invalid budget allows no disruption for any reason, because it is
 * unknown what its author wanted to protect.
 */
export function allowedDisruptions({ budgets, reason, nodeCount, now }: BudgetQuestion): AllowedDisruptions {
  let nodes = UNLIMITED;
  const problems: BudgetProblem[] = [];
  for (const [index, budget] of budgets.entries()) {
    const limit = readBudget(budget, nodeCount, now);
    if (typeof limit === 'string') problems.push({ index, message: limit });
    else if (budget.reasons?.includes(reason) ?? true) nodes = Math.min(nodes, limit);
  }
  return { nodes: problems.length > 0 ? 0 : nodes, problems };
}

/** Budgets that are invalid at any time. They block all disruption of their pool. */
export function findBudgetProblems(budgets: readonly Budget[]): readonly BudgetProblem[] {
  return budgets.flatMap((budget, index) => {
    const problem = findActivityProblem(budget) ?? readNodes(budget.nodes, 0);
    return typeof problem === 'string' ? [{ index, message: problem }] : [];
  });
}

/** Whether the schedule never fires, as on 31 February. Such a budget counts as always active, as upstream. */
export function neverFires(schedule: string): boolean {
  try {
    return nextCronHit(parseCron(schedule), 0) === undefined;
  } catch (error) {
    if (error instanceof CronError) return false;
    throw error;
  }
}

function readBudget(budget: Budget, nodeCount: number, now: number): number | string {
  const problem = findActivityProblem(budget);
  if (problem !== undefined) return problem;
  return isActive(budget, now) ? readNodes(budget.nodes, nodeCount) : UNLIMITED;
}

/** A budget is active for the duration after each time its schedule fires. */
function isActive({ schedule, duration }: Budget, now: number): boolean {
  if (schedule === undefined && duration === undefined) return true;
  const hit = nextCronHit(parseCron(schedule ?? ''), now - nanosToMilliseconds(parseDuration(duration ?? '0')));
  return hit === undefined || hit <= now;
}

function findActivityProblem({ schedule, duration }: Budget): string | undefined {
  if (schedule === undefined && duration === undefined) return undefined;
  try {
    parseCron(schedule ?? '');
    parseDuration(duration ?? '0');
    return undefined;
  } catch (error) {
    if (error instanceof CronError) return `invariant violated, invalid cron, ${error.message}`;
    if (error instanceof DurationError) return error.message;
    throw error;
  }
}

/**
 * Parses a number, or a percentage of the pool, which is rounded up so that small pools can be disrupted too. Returns a
 * text if it is invalid.
 */
function readNodes(text: string, nodeCount: number): number | string {
  const count = parseInt64(text);
  if (typeof count === 'bigint') return Math.min(Number(count), UNLIMITED);
  if (!text.endsWith('%')) return 'invalid value for IntOrString: invalid type: string is not a percentage';
  const digits = text.slice(0, -1);
  const percent = parseInt64(digits);
  if (typeof percent === 'bigint') return Math.ceil((Number(percent) * nodeCount) / 100);
  return `invalid value for IntOrString: invalid value ${goQuote(text)}: strconv.Atoi: parsing ${goQuote(digits)}: ${percent}`;
}
