import type { BudgetCounter } from '../budgets/budget-allowances.ts';
import type { Candidate } from '../candidates/candidate.ts';
import { bySavingsRatio } from '../candidates/candidate-order.ts';
import type { Command } from '../commands/command.ts';

/**
 * The command that deletes empty nodes, as many as budgets allow (spec 04 §8). Undefined if there are none. `candidates`
 * are those that Emptiness has no obstacle for. Nobody is asked where their pods would go, because either there are none
 * or they say that their eviction costs nothing.
 */
export function findEmptyNodes(candidates: readonly Candidate[], budgets: BudgetCounter): Command | undefined {
  const chosen = bySavingsRatio(candidates).filter((candidate) => budgets.take(candidate));
  return chosen.length === 0 ? undefined : deleteEmptyNodes(chosen);
}

/** The command that deletes these empty nodes. */
export function deleteEmptyNodes(candidates: readonly Candidate[]): Command {
  return {
    method: 'Emptiness',
    reason: 'Empty',
    consolidationType: 'empty',
    candidates,
    replacements: [],
    plan: undefined,
    savings: candidates.reduce((sum, { price }) => sum + price, 0),
  };
}
