import type { Budget } from '../kinds/core/node-pool.ts';
import {
  CronError,
  DurationError,
  goQuote,
  hasCronHit,
  nanosToMilliseconds,
  nextCronHit,
  parseCron,
  parseDuration,
  parseInt64,
  type TimeZone,
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
  /** Where the clocks are that schedules refer to (spec 09 B1); UTC without one, as upstream. */
  readonly timeZone?: TimeZone | undefined;
}

/** A problem of the budget at `index`. */
export interface BudgetProblem {
  readonly index: number;
  readonly field: 'schedule' | 'duration' | 'nodes';
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
export function allowedDisruptions(question: BudgetQuestion): AllowedDisruptions {
  const { budgets, reason } = question;
  let nodes = UNLIMITED;
  const problems: BudgetProblem[] = [];
  for (const [index, budget] of budgets.entries()) {
    const limit = readBudget(budget, question);
    if (typeof limit === 'object') problems.push({ index, ...limit });
    else if (budget.reasons?.includes(reason) ?? true) nodes = Math.min(nodes, limit);
  }
  return { nodes: problems.length > 0 ? 0 : nodes, problems };
}

/** Budgets that are invalid at any time. They block all disruption of their pool. */
export function findBudgetProblems(budgets: readonly Budget[]): readonly BudgetProblem[] {
  return budgets.flatMap((budget, index) => {
    const problem = findActivityProblem(budget) ?? readNodes(budget, 0);
    return typeof problem === 'object' ? [{ index, ...problem }] : [];
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

type FieldProblem = Omit<BudgetProblem, 'index'>;

function readBudget(budget: Budget, { nodeCount, now, timeZone }: BudgetQuestion): number | FieldProblem {
  const problem = findActivityProblem(budget);
  if (problem !== undefined) return problem;
  return isActive(budget, now, timeZone) ? readNodes(budget, nodeCount) : UNLIMITED;
}

function readNodes({ nodes }: Budget, nodeCount: number): number | FieldProblem {
  const read = nodesOf(nodes, nodeCount);
  return typeof read === 'string' ? { field: 'nodes', message: read } : read;
}

/** A budget is active for the duration after each time its schedule fires. */
function isActive({ schedule, duration }: Budget, now: number, timeZone: TimeZone | undefined): boolean {
  if (schedule === undefined && duration === undefined) return true;
  const cron = parseCron(schedule ?? '');
  const start = now - nanosToMilliseconds(parseDuration(duration ?? '0'));
  if (timeZone !== undefined && !neverFires(schedule ?? '')) {
    return hasCronHit(cron, { after: start, until: now }, timeZone);
  }
  const hit = nextCronHit(cron, start);
  return hit === undefined || hit <= now;
}

function findActivityProblem({ schedule, duration }: Budget): FieldProblem | undefined {
  if (schedule === undefined && duration === undefined) return undefined;
  try {
    parseCron(schedule ?? '');
    parseDuration(duration ?? '0');
    return undefined;
  } catch (error) {
    if (error instanceof CronError) {
      return { field: 'schedule', message: `invariant violated, invalid cron, ${error.message}` };
    }
    if (error instanceof DurationError) return { field: 'duration', message: error.message };
    throw error;
  }
}

/**
 * Parses a number, or a percentage of the pool, which is rounded up so that small pools can be disrupted too. Returns a
 * text if it is invalid.
 */
export function nodesOf(text: string, nodeCount: number): number | string {
  const count = parseInt64(text);
  if (typeof count === 'bigint') return Math.min(Number(count), UNLIMITED);
  if (!text.endsWith('%')) return 'invalid value for IntOrString: invalid type: string is not a percentage';
  const digits = text.slice(0, -1);
  const percent = parseInt64(digits);
  if (typeof percent === 'bigint') return Math.ceil((Number(percent) * nodeCount) / 100);
  return `invalid value for IntOrString: invalid value ${goQuote(text)}: strconv.Atoi: parsing ${goQuote(digits)}: ${percent}`;
}
