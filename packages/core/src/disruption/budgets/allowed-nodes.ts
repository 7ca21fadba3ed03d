import {
  allowedDisruptions,
  type DisruptionReason,
  nextBudgetChange,
  type WindowReason,
  type WindowVerdict,
  windowState,
} from '@karpenter-ts/apis';
import type { DisruptionPool } from '../view/disruption-state.ts';

/** How many nodes of a pool may be disrupted at once. */
export interface AllowedNodes {
  /** What budgets and windows allow together. */
  readonly nodes: number;
  readonly byBudgets: number;
  readonly window: WindowVerdict;
}

/** The input of `allowedNodes`: of how many nodes, and when. */
export interface AllowanceQuestion {
  readonly reason: WindowReason;
  readonly nodeCount: number;
  readonly now: number;
}

/**
 * What the budgets of a pool allow (spec 04 §6.3) while its windows are open (spec 09 B1). Budgets do not know expired
 * nodes: those that are for drifted ones hold for them.
 */
export function allowedNodes({ nodePool, settings }: DisruptionPool, question: AllowanceQuestion): AllowedNodes {
  const { windows, budgetTimeZone } = settings;
  const reason = budgetReason(question.reason);
  const { budgets } = nodePool.spec.disruption;
  const isUnreadable =
    budgetTimeZone === 'Unreadable' &&
    budgets.some((one) => one.schedule !== undefined && (one.reasons?.includes(reason) ?? true));
  const timeZone = budgetTimeZone === 'Unreadable' ? undefined : budgetTimeZone;
  const byBudgets = isUnreadable ? 0 : allowedDisruptions({ ...question, budgets, reason, timeZone }).nodes;
  const { verdict } = windowState({ ...question, windows });
  return { nodes: Math.min(byBudgets, allowedByWindow(verdict)), byBudgets, window: verdict };
}

/** When that may change because a budget or a window begins or ends; undefined if never. */
export function nextAllowanceChange(
  { nodePool, settings }: DisruptionPool,
  { reason, now }: Omit<AllowanceQuestion, 'nodeCount'>,
): number | undefined {
  const { windows, budgetTimeZone } = settings;
  const timeZone = budgetTimeZone === 'Unreadable' ? undefined : budgetTimeZone;
  const { budgets } = nodePool.spec.disruption;
  const byBudgets = nextBudgetChange({ budgets, reason: budgetReason(reason), now, timeZone });
  const byWindows = windowState({ windows, reason, nodeCount: 0, now }).nextChange;
  const changes = [byBudgets, byWindows].filter((at) => at !== undefined);
  return changes.length === 0 ? undefined : Math.min(...changes);
}

function budgetReason(reason: WindowReason): DisruptionReason {
  return reason === 'Expired' ? 'Drifted' : reason;
}

function allowedByWindow(verdict: WindowVerdict): number {
  switch (verdict.kind) {
    case 'Unnamed':
      return Number.POSITIVE_INFINITY;
    case 'Open':
      return verdict.nodes;
    case 'Closed':
    case 'Frozen':
    case 'Unreadable':
      return 0;
    default:
      return verdict satisfies never;
  }
}
