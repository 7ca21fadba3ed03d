import { nanosToMilliseconds, nextCronHit, nextCronInstant, parseCron, parseDuration } from '@karpenter-ts/kubernetes';
import type { Budget } from '../kinds/core/node-pool.ts';
import { type BudgetQuestion, findBudgetProblems, neverFires } from './budgets.ts';

/** Of a budget whose schedule fires again and again before it ends, so many hits are followed. */
const MOST_HITS = 64;

/**
 * When a budget for this reason next becomes active or inactive. Undefined if none ever does, or if that is further
 * than `MOST_HITS` hits of its schedule away. Budgets that cannot be read block their pool whatever the time is.
 */
export function nextBudgetChange(question: Omit<BudgetQuestion, 'nodeCount'>): number | undefined {
  const { budgets, reason } = question;
  if (findBudgetProblems(budgets).length > 0) return undefined;
  const changes = budgets
    .filter(({ reasons }) => reasons?.includes(reason) ?? true)
    .flatMap((budget) => nextChangeOf(budget, question) ?? []);
  return changes.length === 0 ? undefined : Math.min(...changes);
}

function nextChangeOf(
  { schedule, duration }: Budget,
  { now, timeZone }: Pick<BudgetQuestion, 'now' | 'timeZone'>,
): number | undefined {
  if (schedule === undefined || neverFires(schedule)) return undefined;
  const cron = parseCron(schedule);
  // `@every 1h` counts from the instant that is asked about, so such a budget is always active or never.
  if (cron.kind === 'every') return undefined;
  const length = nanosToMilliseconds(parseDuration(duration ?? '0'));
  const hitAfter = (at: number): number | undefined =>
    timeZone === undefined ? nextCronHit(cron, at) : nextCronInstant(cron, at, timeZone);
  let hit = hitAfter(now - length);
  if (hit === undefined || hit > now) return hit;
  for (let hits = 0; hits < MOST_HITS; hits++) {
    const end: number = hit + length;
    hit = hitAfter(hit);
    if (hit === undefined || hit > end) return end;
  }
  return undefined;
}
