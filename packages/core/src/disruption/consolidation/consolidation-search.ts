import type { LaunchPriceIndexes } from '@karpenter-ts/scheduling';
import { errorText } from '@karpenter-ts/runtime';
import { type MoveScore, scoreMove } from '../balanced/balanced-score.ts';
import { BudgetCounter, findAllowances } from '../budgets/budget-allowances.ts';
import type { Candidate } from '../candidates/candidate.ts';
import { type Command, isSplit } from '../commands/command.ts';
import { type ConsolidationContext, findOption, type PossibleConsolidation } from './consolidation-option.ts';
import { candidateCommandText } from '../commands/command-text.ts';
import { DisjointNodes } from '../commands/disjoint-nodes.ts';
import { consolidationCandidate, consolidationRejected } from '../reports/disruption-events.ts';
import { failedValidations } from '../reports/disruption-metrics.ts';
import { selectEligible } from '../candidates/eligibility.ts';
import { type Method, type MethodDeps, type MethodTurn, VALIDATION_WAIT } from '../methods/method.ts';
import type { OptionFinder } from './multi-node.ts';
import type { ClusterModel } from '../../state/cluster-model.ts';
import type { PassView } from '../view/pass-view.ts';
import { checkCandidates, findPlanFailure, type ValidationFailure } from '../methods/validation.ts';
import { categoryOf } from '../methods/validation-text.ts';

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
export interface ValidCommand {
  /** Which of the commands it is. */
  readonly index: number;
  readonly command: Command;
  readonly view: PassView;
}

/**
 * Waits, and looks which of the commands still hold (spec 04 §14.2). Why another does not is published and counted.
 * Rejects if nobody can tell, because a simulation fails.
 */
export async function validate(
  method: Method,
  commands: readonly Command[],
  turn: MethodTurn,
  deps: ConsolidationDeps,
): Promise<readonly ValidCommand[]> {
  await deps.clock.sleep(VALIDATION_WAIT, turn.slices.signal);
  const outcomes = await checkAll(method, commands, turn, deps);
  const valid: ValidCommand[] = [];
  for (const [index, outcome] of outcomes.entries()) {
    if ('command' in outcome) valid.push({ ...outcome, index });
    else publishRejection(method, commands[index]!, outcome, deps);
  }
  return valid;
}

function publishRejection(
  { consolidationType }: Method,
  command: Command,
  { failure, dropped }: Rejection,
  { events, metrics }: ConsolidationDeps,
): void {
  if (dropped > 0) metrics.increment(failedValidations, { consolidation_type: consolidationType }, dropped);
  for (const candidate of command.candidates) {
    const part = { text: candidateCommandText(command, candidate), savings: command.savings };
    events.publish(...consolidationRejected(candidate, part, categoryOf(failure)));
  }
}

interface Rejection {
  readonly failure: ValidationFailure;
  /** How many candidates the metric of failed validations counts. */
  readonly dropped: number;
}

type Outcome = Omit<ValidCommand, 'index'> | Rejection;

/** One outcome for each command, in order. */
async function checkAll(
  method: Method,
  commands: readonly Command[],
  turn: MethodTurn,
  deps: ConsolidationDeps,
): Promise<readonly Outcome[]> {
  const view = await turn.lookAgain();
  const recheck = recheckIn(method, view);
  const nodes = new DisjointNodes();
  const checked: (Command | Rejection)[] = [];
  for (const command of commands) checked.push(await check(command, { view, recheck, nodes }, turn, deps));
  // Pods may have been bound to the candidates while the simulations ran.
  const last = await turn.lookAgain();
  const recheckLast = recheckIn(method, last);
  return checked.map((one) => {
    if ('failure' in one) return one;
    const rechecked = recheckLast(one);
    return rechecked.isValid ? { command: { ...one, candidates: rechecked.candidates }, view: last } : rechecked;
  });
}

interface CheckedAgainst {
  readonly view: PassView;
  readonly recheck: ReturnType<typeof recheckIn>;
  /** Of the commands before. */
  readonly nodes: DisjointNodes;
}

/** The command with the places that its pods have now. */
async function check(
  command: Command,
  { view, recheck, nodes }: CheckedAgainst,
  turn: MethodTurn,
  deps: ConsolidationDeps,
): Promise<Command | Rejection> {
  const checked = recheck(command);
  if (!checked.isValid) return checked;
  const { candidates } = checked;
  const simulation = await simulate(candidates, view, turn.slices.signal);
  const failure = findPlanFailure(command, candidates, simulation, contextOf(view, deps));
  if (failure !== undefined || simulation === 'CandidateIsDeleting') {
    return { failure: failure ?? { category: 'churn', missing: 1 }, dropped: 0 };
  }
  const plan = { ...simulation.plan, newNodes: command.plan?.newNodes ?? [] };
  if (!nodes.add({ candidates, plan })) return { failure: { category: 'scheduling', kind: 'NewResults' }, dropped: 0 };
  return { ...command, candidates, plan };
}

async function simulate(candidates: readonly Candidate[], view: PassView, signal: AbortSignal) {
  try {
    return await view.simulators.for('Quiet').simulate(candidates, signal);
  } catch (cause) {
    signal.throwIfAborted();
    throw new Error(`validating consolidation, simluating scheduling, ${errorText(cause)}`, { cause }); // sic
  }
}

/** Asks whether the candidates of commands are candidates still, all of them together within the budgets. */
function recheckIn(method: Method, { scan, state, nodeCounts }: PassView) {
  const { eligible } = selectEligible(scan[method.class].candidates, method.findObstacle, state.now);
  const budgets = new BudgetCounter(findAllowances(method.reason, state, nodeCounts));
  return (command: Command) => checkCandidates(command, { eligible, budgets, state });
}
