import type { Command } from '../commands/command.ts';
import { BudgetCounter, findAllowances } from '../budgets/budget-allowances.ts';
import { commandFields } from '../reports/disruption-log.ts';
import { failedValidations } from '../reports/disruption-metrics.ts';
import { findEmptinessObstacle, selectEligible } from '../candidates/eligibility.ts';
import { deleteEmptyNodes, findEmptyNodes } from './empty-nodes.ts';
import {
  type Decided,
  type Method,
  type MethodDeps,
  type MethodTurn,
  rememberNothingFound,
  VALIDATION_WAIT,
} from './method.ts';
import type { PassView } from '../view/pass-view.ts';
import { checkEmptyNodes } from './validation.ts';

const ABANDONED = 'abandoning empty node consolidation attempt due to pod churn, command is no longer valid';

/** Deletes empty nodes, all at once as far as budgets allow (spec 04 §8). */
export class Emptiness implements Method {
  readonly name = 'Emptiness';
  readonly reason = 'Empty';
  readonly class = 'graceful';
  readonly consolidationType = 'empty';
  readonly findObstacle = findEmptinessObstacle;
  readonly #deps: MethodDeps;

  constructor(deps: MethodDeps) {
    this.#deps = deps;
  }

  async decide(turn: MethodTurn): Promise<readonly Decided[]> {
    const { clock, cluster, memory } = this.#deps;
    const { candidates, budgets, slices, logger } = turn;
    if (memory.isConsolidated(this.name, cluster.consolidationState())) return [];
    const chosen = findEmptyNodes(candidates, budgets);
    if (chosen === undefined) {
      rememberNothingFound(this.#deps, this.name, turn);
      return [];
    }
    await clock.sleep(VALIDATION_WAIT, slices.signal);
    const view = await turn.lookAgain();
    const command = this.#validate(chosen, view);
    if (command === undefined) {
      logger.debug(ABANDONED, commandFields(chosen));
      return [];
    }
    return [{ command, view }];
  }

  /** The command with those of its nodes that are still empty and allowed (spec 04 §14.1). */
  #validate(command: Command, { scan, state, nodeCounts }: PassView): Command | undefined {
    const { eligible } = selectEligible(scan.graceful.candidates, this.findObstacle, state.now);
    const budgets = new BudgetCounter(findAllowances(this.reason, state, nodeCounts));
    const checked = checkEmptyNodes(command, { eligible, budgets, state });
    if (checked.dropped > 0) {
      this.#deps.metrics.increment(failedValidations, { consolidation_type: this.consolidationType }, checked.dropped);
    }
    return checked.isValid ? deleteEmptyNodes(checked.candidates) : undefined;
  }
}
