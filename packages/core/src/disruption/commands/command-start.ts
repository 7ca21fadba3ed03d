import { randomUUID } from 'node:crypto';
import {
  DISRUPTED_TAINT,
  formatExceededLimit,
  formatTaint,
  NODE_POOLS,
  type NodeClaim,
  SPLIT,
} from '@karpenter-ts/apis';
import {
  combineErrors,
  errorText,
  type Logger,
  notFoundText,
  nullLogger,
  runParallel,
  StructuredError,
} from '@karpenter-ts/runtime';
import type { LaunchState } from '../../provisioning/launch-state.ts';
import { createNodeClaims, type Order } from '../../provisioning/nodeclaim-creation.ts';
import { toNodeClaim } from '../../provisioning/planned-nodeclaim.ts';
import { OutcomeRecorder } from '../../provisioning/scheduling-outcome.ts';
import type { ClusterModel } from '../../state/cluster-model.ts';
import type { ControllerDeps } from '../../state/controller-deps.ts';
import type { DecisionDraft, DecisionRing } from '../../state/decision-ring.ts';
import type { TimeSlices } from '../../state/time-slices.ts';
import type { Candidate } from '../candidates/candidate.ts';
import { type Command, decisionOf, isSplit } from './command.ts';
import { fullCommandText } from './command-text.ts';
import { commandFields } from '../reports/disruption-log.ts';
import { decisionsByNodePool, decisionsTotal, reasonLabel } from '../reports/disruption-metrics.ts';
import { type DisruptionQueue, providerIdsOf, type RunningCommand } from './disruption-queue.ts';
import type { DisruptionState } from '../view/disruption-state.ts';
import { addReason, addTaint } from './node-marks.ts';
import { findLimitExceededAfter } from './replacement-limits.ts';

/** What starting a command depends on. */
export type StartDeps = ControllerDeps & {
  readonly cluster: ClusterModel;
  readonly launchState: LaunchState;
  readonly decisions: DecisionRing;
  readonly queue: DisruptionQueue;
  /** Numbers in [0, 1), for labels of NodeClaims that may have any value. */
  readonly random: () => number;
};

/** What a command was decided from. */
export type DecidedFrom = Pick<DisruptionState, 'pools' | 'stateNodes'>;

/** A command whose candidates are marked. */
interface MarkedCommand {
  readonly id: string;
  readonly command: Command;
  readonly state: DecidedFrom;
}

const MARKS_AT_ONCE = 32;

/**
 * Starts a command: marks its candidates, creates its replacements and hands it to the queue (spec 04 §16.2). Resolves
 * with false if none of the nodes exists any more, so that there is nothing to do. If it rejects, marks may be left on
 * the candidates and NodeClaims that were created stay: the next pass takes the marks away, and consolidation the nodes
 * if they are of no use.
 */
export async function startCommand(
  deps: StartDeps,
  decided: Command,
  state: DecidedFrom,
  slices: TimeSlices,
  logger: Logger,
): Promise<boolean> {
  const { queue } = deps;
  const id = randomUUID();
  if (!queue.take(id, decided.candidates)) throw new Error('candidate is being disrupted');
  logger.info('disrupting node(s)', { command: fullCommandText(decided, id), ...commandFields(decided) });
  let started: RunningCommand | undefined;
  try {
    const command = await markCandidates(deps, { id, decided }, slices.signal);
    if (command !== undefined) started = await launch(deps, { id, command, state }, slices, logger);
  } finally {
    const kept = new Set(started?.command.candidates);
    queue.giveBack(decided.candidates.filter((candidate) => !kept.has(candidate)));
  }
  if (started === undefined) return false;
  if (decided.plan !== undefined) await recordPlan(deps, decided.plan, state, slices);
  return true;
}

/**
 * Taints the nodes and names the reason on their NodeClaims, before anything is bought, so that no new pods are
 * scheduled there. A command that only deletes does without the nodes that could not be marked.
 *
 * Upstream counts a node that is gone as marked, and buys its replacement all the same (spec 04 §25-39). Here it is left
 * out, and a command with replacements is dropped, because they were planned for the pods of all its nodes.
 */
async function markCandidates(
  deps: StartDeps,
  { id, decided }: { readonly id: string; readonly decided: Command },
  signal: AbortSignal,
): Promise<Command | undefined> {
  const marked: Candidate[] = [];
  const errors = await runParallel(decided.candidates, MARKS_AT_ONCE, async (candidate) => {
    const { node, nodeClaim } = candidate;
    const tainted = await addTaint(deps, node, signal).catch((cause: unknown) => {
      const taint = formatTaint(DISRUPTED_TAINT);
      throw new StructuredError(`tainting nodes, ${errorText(cause)}`, { taint }, { cause });
    });
    if (tainted === 'gone') return;
    if ((await addReason(deps, nodeClaim, decided.reason, signal)) === 'marked') marked.push(candidate);
  });
  const replaces = decided.replacements.length > 0;
  if (errors.length > 0 && (replaces || marked.length === 0)) {
    const cause = combineErrors(errors);
    throw new StructuredError(`marking disrupted, ${errorText(cause)}`, { 'command-id': id }, { cause });
  }
  if (marked.length === decided.candidates.length) return decided;
  if (marked.length === 0 || replaces) return undefined;
  const left = new Set(marked);
  return withCandidates(
    decided,
    decided.candidates.filter((candidate) => left.has(candidate)),
  );
}

/** The command that deletes only these of its candidates. */
function withCandidates(command: Command, candidates: readonly Candidate[]): Command {
  return { ...command, candidates, savings: candidates.reduce((sum, { price }) => sum + price, 0) };
}

/** Creates the replacements and hands the command to the queue. */
async function launch(
  deps: StartDeps,
  marked: MarkedCommand,
  slices: TimeSlices,
  logger: Logger,
): Promise<RunningCommand> {
  const { clock, cluster, decisions, queue } = deps;
  const { id, command } = marked;
  const decision = decisions.record(decisionFor(command));
  const names = await createReplacements(deps, marked, slices, logger).catch((error: unknown) => {
    decision.fail(errorText(error));
    throw error;
  });
  const replacements = names.map((name) => ({ name, isInitialized: false }));
  const running = { id, command, startedAt: clock.elapsed(), replacements, decision };
  // Not before the replacements exist: the provisioner would buy capacity for the pods of these nodes a second time.
  cluster.markForDeletion(running, providerIdsOf(command.candidates));
  queue.add(running);
  countDecision(deps, command);
  return running;
}

/** Creates the replacements. Resolves with their names, in order. */
async function createReplacements(
  deps: StartDeps,
  { id, command, state }: MarkedCommand,
  slices: TimeSlices,
  logger: Logger,
): Promise<readonly string[]> {
  if (command.replacements.length === 0) return [];
  try {
    const usageOf = (nodePool: string) => deps.cluster.usageOf(nodePool);
    const exceeded = findLimitExceededAfter(command, { pools: state.pools, usageOf });
    if (exceeded !== undefined) throw new Error(formatExceededLimit(exceeded));
    const orders = command.replacements.map(({ planned }): Order => {
      const pool = state.pools.get(planned.nodePool); // gone, if it was deleted after the last simulation
      if (pool === undefined) throw new Error(notFoundText(NODE_POOLS, planned.nodePool));
      const { nodePool, offered } = pool;
      const nodeClaim = toNodeClaim(planned, { nodePool, instanceTypes: offered }, deps);
      return { nodeClaim: isSplit(command) ? markAsSplit(nodeClaim, command) : nodeClaim, pods: planned.pods };
    });
    const occasion = { reason: reasonLabel(command.reason), tellsPods: false };
    return await createNodeClaims(deps, orders, occasion, slices, logger);
  } catch (cause) {
    slices.signal.throwIfAborted();
    const message = `launching replacement nodeclaim, ${errorText(cause)}`;
    throw new StructuredError(message, { 'command-id': id }, { cause });
  }
}

/** Keeps consolidation from merging the new nodes again at once. */
function markAsSplit(nodeClaim: NodeClaim, { replacements }: Command): NodeClaim {
  const { metadata } = nodeClaim;
  const annotations = { ...metadata.annotations, [SPLIT]: String(replacements.length) };
  return { ...nodeClaim, metadata: { ...metadata, annotations } };
}

/** Nominates the nodes that receive pods, so that the next command does not disrupt them, and publishes events. */
async function recordPlan(
  deps: StartDeps,
  plan: NonNullable<Command['plan']>,
  { stateNodes }: DecidedFrom,
  slices: TimeSlices,
): Promise<void> {
  const outcome = { plan, stateNodes: stateNodes.active };
  await new OutcomeRecorder(deps, outcome, nullLogger).record(slices); // the log belongs to the provisioner's plans
}

function countDecision({ metrics }: StartDeps, command: Command): void {
  const labels = {
    decision: decisionOf(command),
    reason: reasonLabel(command.reason),
    consolidation_type: command.consolidationType,
  };
  metrics.increment(decisionsTotal, labels);
  for (const nodepool of new Set(command.candidates.map(({ pool }) => pool.nodePool.metadata.name))) {
    metrics.increment(decisionsByNodePool, { ...labels, nodepool });
  }
}

const DECISION_KINDS = {
  Empty: 'empty',
  Expired: 'expire',
  Drifted: 'drift',
  Underutilized: 'underutilized',
} as const;

function decisionFor({ candidates, reason, savings }: Command): DecisionDraft {
  const before = candidates.reduce((sum, { price }) => sum + price, 0);
  return {
    kind: DECISION_KINDS[reason],
    objects: candidates.flatMap(({ node, nodeClaim }) => [
      { kind: 'Node', name: node.metadata.name } as const,
      { kind: 'NodeClaim', name: nodeClaim.metadata.name } as const,
    ]),
    pods: candidates.flatMap(({ reschedulablePods }) => reschedulablePods),
    pricePerHour: { before, after: before - savings },
    extensions: [],
    plannerMs: 0,
  };
}
