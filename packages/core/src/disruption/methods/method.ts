import { isTrue } from '@karpenter-ts/kubernetes';
import { type Instant, type Logger, SECOND } from '@karpenter-ts/runtime';
import type { ClusterModel } from '../../state/cluster-model.ts';
import type { ControllerDeps } from '../../state/controller-deps.ts';
import type { TimeSlices } from '../../state/time-slices.ts';
import type { BlockedNodes } from '../reports/blocked-nodes.ts';
import type { BudgetCounter } from '../budgets/budget-allowances.ts';
import type { Candidate, DisruptionClass } from '../candidates/candidate.ts';
import type { Command, CommandReason, ConsolidationType, MethodName } from '../commands/command.ts';
import type { ConsolidatedMemory } from './consolidated-memory.ts';
import type { DisruptionState } from '../view/disruption-state.ts';
import type { EligibleCandidates, Ineligibility } from '../candidates/eligibility.ts';
import type { PassView } from '../view/pass-view.ts';

/** How long a graceful method waits before it looks whether its decision still holds (spec 04 §14). */
export const VALIDATION_WAIT = 15 * SECOND;

/** What methods depend on. */
export type MethodDeps = Pick<ControllerDeps, 'clock' | 'events' | 'metrics' | 'options' | 'provider'> & {
  readonly cluster: Pick<ClusterModel, 'consolidationState'>;
  readonly memory: ConsolidatedMemory;
  /** What methods found out about single candidates. */
  readonly blocked: Pick<BlockedNodes, 'note'>;
};

/** One call of a method. */
export interface MethodTurn {
  readonly view: PassView;
  /** Those that the method has no obstacle for; at least one. */
  readonly candidates: readonly Candidate[];
  readonly ineligible: EligibleCandidates['ineligible'];
  readonly budgets: BudgetCounter;
  /** Reads the cluster again, to check a decision after a wait. */
  readonly lookAgain: () => Promise<PassView>;
  readonly slices: TimeSlices;
  readonly logger: Logger;
}

/** A way of finding nodes to disrupt. It decides, waits where it must, and tells why it did not find any. */
export interface Method {
  readonly name: MethodName;
  readonly reason: CommandReason;
  readonly class: DisruptionClass;
  readonly consolidationType: ConsolidationType;
  /** Whether any NodePool asks for the method; without it, all do. */
  isUsed?(state: Pick<DisruptionState, 'pools'>): boolean;
  /** Why the method leaves a candidate alone. */
  readonly findObstacle: (candidate: Candidate, now: Instant) => Ineligibility | undefined;
  /** Told of the candidates before every call, also if there are none and `decide` is not called. */
  follow?(candidates: readonly Candidate[]): void;
  /** What to do now. All but single-node consolidation decide about one command at most. */
  decide(turn: MethodTurn): Promise<readonly Decided[]>;
}

/** A command to start now. */
export interface Decided {
  readonly command: Command;
  /** The view that it was last checked against. */
  readonly view: PassView;
  /** Called when the command has started. What is counted there is not counted for decisions that are dropped. */
  readonly onStart?: () => void;
}

/**
 * Remembers that the method found nothing, unless time alone may change that: when budgets open, nominations end or nodes
 * reach an age, there is no event.
 */
export function rememberNothingFound(
  { memory }: Pick<MethodDeps, 'memory'>,
  method: MethodName,
  turn: MethodTurn,
): void {
  const { budgets, ineligible, view } = turn;
  const isNominated = view.scan.graceful.blocked.some(({ why }) => why.kind === 'Nominated');
  const hasWaiting = ineligible.some(({ candidate, why }) => waitsForTime(candidate, why));
  if (!budgets.isConstrained && !isNominated && !hasWaiting) memory.remember(method, view.clusterState);
}

/** Whether the node is left alone for a time that no condition shows (spec 09 B4). */
function waitsForTime({ nodeClaim }: Candidate, { kind }: Ineligibility): boolean {
  return kind === 'TooYoung' || (kind === 'NotConsolidatable' && isTrue(nodeClaim, 'Consolidatable'));
}
