import type { LaunchPriceIndexes } from '@karpenter-ts/scheduling';
import { errorText } from '@karpenter-ts/runtime';
import { type MoveScore, scoreMove } from './balanced-score.ts';
import { BudgetCounter, findAllowances } from './budget-allowances.ts';
import type { Candidate } from './candidate.ts';
import { type Command, isSplit } from './command.ts';
import { type ConsolidationContext, findOption, type PossibleConsolidation } from './consolidation-option.ts';
import { candidateCommandText } from './command-text.ts';
import { consolidationCandidate, consolidationRejected } from './disruption-events.ts';
import { failedValidations } from './disruption-metrics.ts';
import { selectEligible } from './eligibility.ts';
import { type Method, type MethodDeps, type MethodTurn, VALIDATION_WAIT } from './method.ts';
import type { OptionFinder } from './multi-node.ts';
import type { ClusterModel } from '../state/cluster-model.ts';
import type { PassView } from './pass-view.ts';
import { checkCandidates, findPlanFailure, type ValidationFailure } from './validation.ts';
import { categoryOf } from './validation-text.ts';

// What multi-node and single-node consolidation have in common.

export interface ConsolidationDeps extends MethodDeps {
  /** One for the process: what launches cost is indexed once for each catalogue. */
  readonly prices: LaunchPriceIndexes;
  readonly cluster: Pick<ClusterModel, 'consolidationState' | 'usageOf'>;
  /** The commands that are being carried out. */
  readonly queue: { readonly running: Iterable<{ readonly command: Command }> };
}

/** What a search asks about sets of candidates as long as it works on one view. */
export interface ConsolidationQuestions {
  readonly context: ConsolidationContext;
  readonly findOption: OptionFinder;
  readonly approve: (consolidation: PossibleConsolidation) => MoveScore;
}

export function questionsAbout(view: PassView, deps: ConsolidationDeps): ConsolidationQuestions {
  const context = contextOf(view, deps);
  const simulator = view.simulators.for('Quiet');
  return {
    context,
    findOption: (candidates, signal) => findOption(candidates, context, simulator, signal),
    approve: (consolidation) => scoreMove(consolidation, view.totals),
  };
}

function contextOf({ state }: PassView, deps: ConsolidationDeps): ConsolidationContext {
  const { cluster, options, prices, queue } = deps;
  const splits = {
    now: state.now,
    isSplitting: (nodePool: string) => isSplitting(nodePool, queue.running),
    capacityOf: (nodePool: string) => cluster.usageOf(nodePool),
  };
  return { pools: state.pools, prices, spotToSpot: options.featureGates.SpotToSpotConsolidation, splits };
}

function isSplitting(nodePool: string, running: Iterable<{ readonly command: Command }>): boolean {
  for (const { command } of running) {
    const isOfPool = command.candidates.some(({ pool }) => pool.nodePool.metadata.name === nodePool);
    if (isOfPool && isSplit(command)) return true;
  }
  return false;
}

/** The command that carries a consolidation out. */
export function toCommand(method: Method, consolidation: PossibleConsolidation): Command {
  const { name, reason, consolidationType } = method;
  const { candidates, replacements, plan, savings } = consolidation;
  return { method: name, reason, consolidationType, candidates, replacements, plan, savings };
}

/** Publishes that a consolidation was found. Whether it takes place is decided after the wait. */
export function publishFound(command: Command, { events }: Pick<MethodDeps, 'events'>): void {
  for (const candidate of command.candidates) {
    const part = { text: candidateCommandText(command, candidate), savings: command.savings };
    events.publish(...consolidationCandidate(candidate, part));
  }
}

/** A command that still holds after the wait, with the candidates as they are then. */
interface ValidCommand {
  readonly command: Command;
  readonly view: PassView;
}

/**
 * Waits, and looks whether the command still holds (spec 04 §14.2). If it does not, the reason is published and counted.
 * Rejects if nobody can tell, because a simulation fails.
 */
export async function validate(
  method: Method,
  command: Command,
  turn: MethodTurn,
  deps: ConsolidationDeps,
): Promise<ValidCommand | undefined> {
  await deps.clock.sleep(VALIDATION_WAIT, turn.slices.signal);
  const outcome = await check(method, command, turn, deps);
  if ('command' in outcome) return outcome;
  const { failure, dropped } = outcome;
  if (dropped > 0) {
    deps.metrics.increment(failedValidations, { consolidation_type: method.consolidationType }, dropped);
  }
  for (const candidate of command.candidates) {
    const part = { text: candidateCommandText(command, candidate), savings: command.savings };
    deps.events.publish(...consolidationRejected(candidate, part, categoryOf(failure)));
  }
  return undefined;
}

interface Rejection {
  readonly failure: ValidationFailure;
  /** How many candidates the metric of failed validations counts. */
  readonly dropped: number;
}

async function check(
  method: Method,
  command: Command,
  turn: MethodTurn,
  deps: ConsolidationDeps,
): Promise<ValidCommand | Rejection> {
  const view = await turn.lookAgain();
  const checked = recheck(method, command, view);
  if (!checked.isValid) return checked;
  const { candidates } = checked;
  const simulation = await simulate(candidates, view, turn.slices.signal);
  const failure = findPlanFailure(command, candidates, simulation, contextOf(view, deps));
  if (failure !== undefined || simulation === 'CandidateIsDeleting') {
    return { failure: failure ?? { category: 'churn', missing: 1 }, dropped: 0 };
  }
  // Pods may have been bound to the candidates while the simulation ran.
  const last = await turn.lookAgain();
  const rechecked = recheck(method, command, last);
  if (!rechecked.isValid) return rechecked;
  const plan = { ...simulation.plan, newNodes: command.plan?.newNodes ?? [] };
  return { command: { ...command, candidates: rechecked.candidates, plan }, view: last };
}

async function simulate(candidates: readonly Candidate[], view: PassView, signal: AbortSignal) {
  try {
    return await view.simulators.for('Quiet').simulate(candidates, signal);
  } catch (cause) {
    signal.throwIfAborted();
    throw new Error(`validating consolidation, simluating scheduling, ${errorText(cause)}`, { cause }); // sic
  }
}

function recheck(method: Method, command: Command, { scan, state, nodeCounts }: PassView) {
  const { eligible } = selectEligible(scan[method.class].candidates, method.findObstacle, state.now);
  const budgets = new BudgetCounter(findAllowances(method.reason, state, nodeCounts));
  return checkCandidates(command, { eligible, budgets, state });
}
