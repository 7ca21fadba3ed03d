import { allowedDisruptions, type WindowReason, type WindowVerdict, windowState } from '@karpenter-ts/apis';
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
  const reason = question.reason === 'Expired' ? 'Drifted' : question.reason;
  const { budgets } = nodePool.spec.disruption;
  const isUnreadable =
    budgetTimeZone === 'Unreadable' &&
    budgets.some((one) => one.schedule !== undefined && (one.reasons?.includes(reason) ?? true));
  const timeZone = budgetTimeZone === 'Unreadable' ? undefined : budgetTimeZone;
  const byBudgets = isUnreadable ? 0 : allowedDisruptions({ ...question, budgets, reason, timeZone }).nodes;
  const { verdict } = windowState({ ...question, windows });
  return { nodes: Math.min(byBudgets, allowedByWindow(verdict)), byBudgets, window: verdict };
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
