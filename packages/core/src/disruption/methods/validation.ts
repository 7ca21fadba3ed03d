import type { PlannedNode } from '@karpenter-ts/scheduling';
import type { BudgetCounter } from '../budgets/budget-allowances.ts';
import { type Candidate, candidateName } from '../candidates/candidate.ts';
import { bySavingsRatio } from '../candidates/candidate-order.ts';
import type { Command, Replacement } from '../commands/command.ts';
import type { ConsolidationContext } from '../consolidation/consolidation-option.ts';
import type { DisruptionState } from '../view/disruption-state.ts';
import { offerOf, priceOf } from '../consolidation/offer.ts';
import type { Simulation, SimulationError } from '../simulation/simulator.ts';

/** Why a command is given up after the wait (spec 04 §14). The kinds say what upstream's texts say. */
export type ValidationFailure =
  /** Candidates are none any more. */
  | { readonly category: 'churn'; readonly missing: number }
  /** Every candidate of an Emptiness command is nominated or over budget. */
  | { readonly category: 'budget'; readonly kind: 'AllRefused'; readonly candidates: number }
  | { readonly category: 'budget'; readonly kind: 'Nominated' | 'OverBudget' }
  | { readonly category: 'scheduling'; readonly kind: 'PodsUnschedulable'; readonly errors: readonly SimulationError[] }
  /** Other nodes would be bought now, or the replacement would not be cheaper any more. */
  | { readonly category: 'scheduling'; readonly kind: 'NewResults' };

/** The category of an event; `unknown` for failures that upstream has no name for. */
export type ValidationCategory = ValidationFailure['category'] | 'unknown';

/** The state after the wait. */
export interface FreshState {
  /** All candidates that the command's method has no obstacle for now. */
  readonly eligible: readonly Candidate[];
  readonly budgets: BudgetCounter;
  readonly state: Pick<DisruptionState, 'isNominated'>;
}

/** The candidates that are left, or why the command is given up. */
export type CheckedCandidates =
  | { readonly isValid: true; readonly candidates: readonly Candidate[]; readonly dropped: number }
  | { readonly isValid: false; readonly failure: ValidationFailure; readonly dropped: number };

/**
 * Checks the candidates of an Emptiness command: those that are still empty and within the budgets are deleted, the
 * others are dropped. `dropped` is what the metric of failed validations counts.
 */
export function checkEmptyNodes(command: Pick<Command, 'candidates'>, fresh: FreshState): CheckedCandidates {
  const candidates = bySavingsRatio(findAgain(command.candidates, fresh.eligible)); // the best stay if budgets shrink
  const asked = command.candidates.length;
  if (candidates.length === 0) {
    return { isValid: false, failure: { category: 'churn', missing: asked }, dropped: asked };
  }
  const left = candidates.filter(
    (candidate) => !fresh.state.isNominated(candidate.stateNode) && fresh.budgets.take(candidate),
  );
  const dropped = candidates.length - left.length;
  if (left.length > 0) return { isValid: true, candidates: left, dropped };
  return { isValid: false, failure: { category: 'budget', kind: 'AllRefused', candidates: asked }, dropped };
}

/** Checks the candidates of a consolidation. All of them must still be candidates within the budgets. */
export function checkCandidates(command: Pick<Command, 'candidates'>, fresh: FreshState): CheckedCandidates {
  const candidates = findAgain(command.candidates, fresh.eligible);
  const asked = command.candidates.length;
  const failure = findCandidateFailure(asked, candidates, fresh);
  return failure === undefined
    ? { isValid: true, candidates, dropped: 0 }
    : { isValid: false, failure, dropped: asked };
}

function findCandidateFailure(
  asked: number,
  candidates: readonly Candidate[],
  { budgets, state }: FreshState,
): ValidationFailure | undefined {
  if (candidates.length !== asked) return { category: 'churn', missing: asked - candidates.length };
  for (const candidate of candidates) {
    if (state.isNominated(candidate.stateNode)) return { category: 'budget', kind: 'Nominated' };
    if (!budgets.take(candidate)) return { category: 'budget', kind: 'OverBudget' };
  }
  return undefined;
}

/**
 * Checks a consolidation against a new simulation of its candidates: the pods must still have places, as many nodes must
 * be bought, the types asked for must be among those planned now, and they must still be cheaper than the candidates are
 * now. Upstream does not look at prices again.
 */
export function findPlanFailure(
  { replacements }: Pick<Command, 'replacements'>,
  candidates: readonly Candidate[],
  simulation: Simulation | 'CandidateIsDeleting',
  context: Pick<ConsolidationContext, 'pools' | 'prices'>,
): ValidationFailure | undefined {
  // Somebody deletes a candidate, so it is none any more.
  if (simulation === 'CandidateIsDeleting') return { category: 'churn', missing: 1 };
  const { errors, plan } = simulation;
  if (errors.length > 0) return { category: 'scheduling', kind: 'PodsUnschedulable', errors };
  const { newNodes } = plan;
  // Of several replacements one may be needed no more (spec 09 A2); the others are those that were planned.
  const isEnough = newNodes.length <= replacements.length && newNodes.length > 0 === replacements.length > 0;
  if (!isEnough || !replacements.every((one) => isOffered(one, context))) return NEW_RESULTS;
  if (!arePlannedStill(newNodes, replacements)) return NEW_RESULTS;
  const worst = replacements.map((replacement) => worstPrice(replacement, context));
  const isDearer = worst.length > 0 && worst.reduce((sum, price) => sum + price, 0) >= priceOf(candidates);
  return isDearer ? NEW_RESULTS : undefined;
}

/** Whether the replacement's NodePool still exists and offers its types. */
function isOffered({ planned }: Replacement, { pools }: Pick<ConsolidationContext, 'pools'>): boolean {
  const pool = pools.get(planned.nodePool);
  return pool !== undefined && planned.instanceTypes.every((name) => pool.instanceTypes.has(name));
}

/**
 * Whether each node that would be bought now may be of the types that a replacement of its own asks for, and of its
 * NodePool. Upstream compares types only, and then fails to create what a NodePool that is gone or full was to have.
 */
function arePlannedStill(newNodes: readonly PlannedNode[], replacements: readonly Replacement[]): boolean {
  const left = [...replacements];
  return newNodes.every(({ nodePool, instanceTypes }) => {
    const offered = new Set(instanceTypes);
    const at = left.findIndex(
      ({ planned }) => planned.nodePool === nodePool && planned.instanceTypes.every((name) => offered.has(name)),
    );
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
}

/** The most that the launch of a replacement can cost. Types without an offering cannot be launched, at whatever price. */
function worstPrice({ planned }: Replacement, context: Pick<ConsolidationContext, 'pools' | 'prices'>): number {
  const { types, prices } = offerOf(planned, context);
  return types.reduce((most, { name }) => {
    const { worst } = prices.of(name);
    return worst < Infinity ? Math.max(most, worst) : most;
  }, 0);
}

const NEW_RESULTS: ValidationFailure = { category: 'scheduling', kind: 'NewResults' };

/** The current objects of a command's candidates, by the names of their nodes. */
function findAgain(candidates: readonly Candidate[], eligible: readonly Candidate[]): readonly Candidate[] {
  const names = new Set(candidates.map(candidateName));
  return eligible.filter((candidate) => names.has(candidateName(candidate)));
}
