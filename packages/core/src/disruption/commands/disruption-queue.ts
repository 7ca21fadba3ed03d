import { isCutOff } from '@karpenter-ts/apis';
import { isTrue } from '@karpenter-ts/kubernetes';
import {
  combineErrors,
  type Controller,
  DONE,
  type Enqueuer,
  HOUR,
  type Logger,
  MILLISECOND,
  MINUTE,
  type Result,
  runParallel,
  scaleConcurrency,
  SECOND,
  StructuredError,
} from '@karpenter-ts/runtime';
import type { NodeClaimDeletions } from '../../nodeclaim/deletions.ts';
import { PoolSettings } from '../../options/pool-settings.ts';
import { reschedulablePodsOn } from '../../pods/reschedulable-pods.ts';
import type { ClusterModel } from '../../state/cluster-model.ts';
import type { ControllerDeps } from '../../state/controller-deps.ts';
import type { OpenDecision } from '../../state/decision-ring.ts';
import type { Candidate } from '../candidates/candidate.ts';
import { type Command, decisionOf, isSplit } from './command.ts';
import { launching, terminating, waitingOnReadiness } from '../reports/disruption-events.ts';
import { commandFields } from '../reports/disruption-log.ts';
import { queueFailures, reasonLabel } from '../reports/disruption-metrics.ts';
import { removeReason, removeTaint } from './node-marks.ts';

/** What the queue depends on. */
export type QueueDeps = Pick<ControllerDeps, 'caches' | 'client' | 'clock' | 'events' | 'metrics' | 'options'> & {
  readonly cluster: Pick<ClusterModel, 'isUnlaunched' | 'unmarkForDeletion' | 'completeDeletion'>;
  readonly deletions: NodeClaimDeletions;
  /** Told about the end of every command that was started. */
  readonly onEnd: (command: Command, end: 'succeeded' | 'failed') => void;
};

/** A NodeClaim that was created to take the place of candidates. */
interface LaunchedReplacement {
  readonly name: string;
  /** Once it was, it may become unready again: pods can be scheduled there all the same, unless it is deleted. */
  isInitialized: boolean;
}

/** A command that is being carried out. It owns the marks of its candidates in the cluster model. */
export interface RunningCommand {
  /** A UUID. */
  readonly id: string;
  readonly command: Command;
  /** Monotonic milliseconds. */
  readonly startedAt: number;
  readonly replacements: readonly LaunchedReplacement[];
  readonly decision: OpenDecision;
}

/** A failure that trying again cannot mend: the command is rolled back. */
class UnrecoverableError extends Error {
  override readonly name = 'UnrecoverableError';
}

const CONCURRENCY = { min: 100, max: 1000 };
const RETRY_PERIOD = 1 * SECOND;
/** How long the replacements of a split that failed may wait for a pod (spec 09 A2). */
const UNUSED_PERIOD = 60 * SECOND;
/** Of one command at a time. */
const DELETIONS_AT_ONCE = 32;

/**
 * How long a command may wait for its replacements. The more nodes are being replaced, the longer the provider takes
 * for each.
 */
export function commandTimeout(candidates: number): number {
  return Math.min(Math.max(80 * MILLISECOND * candidates, 10 * MINUTE), 1 * HOUR); // spec 04 §16.3
}

/**
 * Carries out commands that were started: waits for their replacements, deletes their candidates, and rolls back what
 * fails (spec 04 §16.3). The queue is in memory only. A restart forgets its commands, the first pass of disruption then
 * takes the marks off their nodes, and replacements that were launched stay.
 *
 * The key is the id of the command. Upstream's is the first candidate's NodeClaim: when that disappears, nobody looks
 * at the other candidates again (spec 04 §25-11).
 */
export class DisruptionQueue {
  readonly controller: Controller;
  readonly #deps: QueueDeps;
  readonly #running = new Map<string, RunningCommand>(); // by id
  readonly #taken = new Map<string, string>(); // ids of commands, by provider id of their candidates
  readonly #awaited = new Set<string>(); // names of the replacements of running commands
  /** Commands whose candidates are being deleted. */
  readonly #deleting = new WeakSet<RunningCommand>();
  /** Replacements of splits that failed, by id of the command. */
  readonly #leftOver = new Map<string, readonly LaunchedReplacement[]>();
  readonly #settings: PoolSettings;
  #queue: Enqueuer<string> | undefined;

  constructor(deps: QueueDeps) {
    this.#deps = deps;
    this.#settings = new PoolSettings(deps.options);
    this.controller = {
      name: 'disruption.queue',
      concurrency: scaleConcurrency(deps.options.cpuRequests / 1000, CONCURRENCY),
      retries: { backOff: { base: 1 * SECOND, cap: 10 * SECOND }, bucket: { qps: 100, burst: 1000 } },
      sources: [{ name: 'channel source', attach: (queue) => this.#attach(queue) }],
      reconcile: (id, signal, logger) => this.#reconcile(id, signal, logger),
    };
  }

  /** Whether a command disrupts the node already. */
  has(providerId: string): boolean {
    return this.#taken.has(providerId);
  }

  /**
   * Whether the NodeClaim of this name is a replacement of a command that is being carried out: the pods of its candidates
   * are expected there. One that is ready before the others looks empty until then (spec 04 §16.3).
   */
  isReplacement(nodeClaim: string): boolean {
    return this.#awaited.has(nodeClaim);
  }

  /** The commands that are being carried out. */
  get running(): Iterable<RunningCommand> {
    return this.#running.values();
  }

  /** Takes the candidates for a command that is about to start. False if another command has one of them. */
  take(id: string, candidates: readonly Candidate[]): boolean {
    if (candidates.some(({ stateNode }) => this.#taken.has(stateNode.providerId))) return false;
    for (const { stateNode } of candidates) this.#taken.set(stateNode.providerId, id);
    return true;
  }

  /** Gives back candidates of a command that did not start, or that it does without. */
  giveBack(candidates: readonly Candidate[]): void {
    for (const { stateNode } of candidates) this.#taken.delete(stateNode.providerId);
  }

  /** Carries out a command whose candidates were taken. */
  add(running: RunningCommand): void {
    this.#running.set(running.id, running);
    for (const { name } of running.replacements) this.#awaited.add(name);
    this.#queue?.add(running.id);
  }

  #attach(queue: Enqueuer<string>): void {
    this.#queue = queue;
    for (const id of [...this.#running.keys(), ...this.#leftOver.keys()]) queue.add(id);
  }

  async #reconcile(id: string, signal: AbortSignal, logger: Logger): Promise<Result> {
    const leftOver = this.#leftOver.get(id);
    if (leftOver !== undefined) return this.#deleteUnused(id, leftOver, signal);
    const running = this.#running.get(id);
    if (running === undefined) {
      logger.error('', new Error('no command found'));
      return DONE;
    }
    const withFields = logger.with(commandFields(running.command));
    try {
      await this.#carryOut(running, signal);
    } catch (cause) {
      if (signal.aborted) throw cause;
      const error = this.#judge(cause, running);
      if (!(error instanceof UnrecoverableError)) return { requeueAfter: RETRY_PERIOD };
      await this.#rollBack(running, error, signal, withFields);
      return this.#leftOver.has(id) ? { requeueAfter: UNUSED_PERIOD } : DONE;
    }
    withFields.debug('command succeeded');
    this.#deps.cluster.completeDeletion(running);
    running.decision.succeed(...running.replacements.map(({ name }) => ({ kind: 'NodeClaim' as const, name })));
    this.#end(running, 'succeeded');
    return DONE;
  }

  /** A failure that may pass becomes unrecoverable when the command has reached its timeout. */
  #judge(cause: unknown, { startedAt }: RunningCommand): unknown {
    const age = this.#deps.clock.elapsed() - startedAt;
    if (cause instanceof UnrecoverableError || age <= commandTimeout(this.#taken.size)) return cause;
    return new UnrecoverableError(`command reached timeout, ${(cause as Error).message}`, { cause });
  }

  async #carryOut(running: RunningCommand, signal: AbortSignal): Promise<void> {
    if (!this.#deleting.has(running)) this.#checkReady(running);
    this.#deleting.add(running);
    const { candidates } = running.command;
    const errors = await runParallel(candidates, DELETIONS_AT_ONCE, (one) => this.#delete(one, running, signal));
    if (errors.length > 0) throw combineErrors(errors);
  }

  /** Throws as long as the candidates may not be deleted yet. */
  #checkReady(running: RunningCommand): void {
    if (this.#isCutOff(running)) throw new UnrecoverableError('a disruption window has closed');
    const waits = running.replacements.map((one) => this.#findWait(one, running)).filter((one) => one !== undefined);
    if (waits.length === 0) return;
    throw new Error(`waiting for replacement initialization, ${(combineErrors(waits) as Error).message}`);
  }

  /** Whether a window with `hard` has closed for one of the pools (spec 09 B1). A window without it stops no command. */
  #isCutOff({ command, startedAt }: RunningCommand): boolean {
    const { caches, clock } = this.#deps;
    const now = clock.now();
    const began = now - (clock.elapsed() - startedAt);
    return command.candidates.some(({ pool }) => {
      const nodePool = caches.nodePools.get(pool.nodePool.metadata.name) ?? pool.nodePool;
      const { windows } = this.#settings.of(nodePool);
      return isCutOff({ windows, reason: command.reason, nodeCount: 1, now, startedAt: began });
    });
  }

  /** Deletes the replacements of a split that failed, but for those that have got a pod that would have to move again. */
  async #deleteUnused(id: string, leftOver: readonly LaunchedReplacement[], signal: AbortSignal): Promise<Result> {
    const { caches, deletions } = this.#deps;
    for (const { name } of leftOver) {
      const nodeClaim = caches.nodeClaims.get(name);
      const isUnused = reschedulablePodsOn(nodeClaim?.status?.nodeName ?? '', caches).length === 0;
      if (nodeClaim !== undefined && isUnused) await deletions.request(nodeClaim, 'underutilized', signal);
    }
    this.#leftOver.delete(id);
    return DONE;
  }

  /**
   * Why the command has to wait for a replacement; undefined if it is initialized. Upstream does not look again at one
   * that was: the candidates would go although it is gone.
   */
  #findWait(replacement: LaunchedReplacement, { command }: RunningCommand): Error | undefined {
    const { caches, cluster, events } = this.#deps;
    const { isInitialized, name } = replacement;
    const nodeClaim = caches.nodeClaims.get(name);
    if (nodeClaim === undefined) {
      // The model knows a NodeClaim that was just created before the cache does.
      if (cluster.isUnlaunched(name)) return new StructuredError('nodeclaim not in the cache', { NodeClaim: name });
      throw new UnrecoverableError(`replacement was deleted, nodeclaims.karpenter.sh "${name}" not found`);
    }
    if (isInitialized && nodeClaim.metadata.deletionTimestamp === undefined) return undefined;
    if (isInitialized) throw new UnrecoverableError(`replacement was deleted, nodeclaim "${name}" is being deleted`);
    events.publish(launching(nodeClaim, command.reason));
    if (!isTrue(nodeClaim, 'Initialized')) {
      events.publish(waitingOnReadiness(nodeClaim));
      return new StructuredError('nodeclaim not initialized', { NodeClaim: name });
    }
    replacement.isInitialized = true;
    return undefined;
  }

  /** Deletes the NodeClaim of a candidate. One that somebody else has deleted is neither announced nor counted. */
  async #delete(candidate: Candidate, { command }: RunningCommand, signal: AbortSignal): Promise<void> {
    const { caches, deletions, events } = this.#deps;
    const { node, nodeClaim, pool } = candidate;
    const fresh = caches.nodeClaims.get(nodeClaim.metadata.name);
    if (fresh === undefined || fresh.metadata.uid !== nodeClaim.metadata.uid) return; // gone, be there a namesake or not
    const reason = reasonLabel(command.reason);
    const consolidationPolicy = pool.nodePool.spec.disruption.consolidationPolicy ?? '';
    const cause = command.consolidationType === '' ? reason : { reason, consolidationPolicy };
    const result = await deletions.request(fresh, cause, signal);
    if (result === 'deleted') events.publish(...terminating(node, fresh, command.reason));
  }

  /** The nodes are as before the command, and may be disrupted again. Replacements that were launched stay. */
  async #rollBack(running: RunningCommand, cause: Error, signal: AbortSignal, logger: Logger): Promise<void> {
    const { metrics } = this.#deps;
    const { command, replacements } = running;
    const decision = decisionOf(command);
    const labels = { decision, reason: reasonLabel(command.reason), consolidation_type: decision }; // spec 04 §25-19
    metrics.increment(queueFailures, labels, replacements.filter(({ isInitialized }) => !isInitialized).length);
    const errors = await this.#unmark(command.candidates, signal);
    const error = errors.length === 0 ? cause : new AggregateError([cause, ...errors], textOf([cause, ...errors]));
    logger.error('failed terminating nodes while executing a disruption command', error);
    this.#deps.cluster.unmarkForDeletion(running, providerIdsOf(command.candidates));
    running.decision.fail(cause.message);
    if (isSplit(command)) this.#leftOver.set(running.id, replacements);
    this.#end(running, 'failed');
  }

  /** What fails here is mended by the next pass of disruption. */
  async #unmark(candidates: readonly Candidate[], signal: AbortSignal): Promise<readonly unknown[]> {
    const untainting = await runParallel(candidates, DELETIONS_AT_ONCE, async ({ node }) => {
      await removeTaint(this.#deps, node, signal);
    });
    const clearing = await runParallel(candidates, DELETIONS_AT_ONCE, async ({ nodeClaim }) => {
      await removeReason(this.#deps, nodeClaim, signal);
    });
    return [...untainting, ...clearing];
  }

  #end(running: RunningCommand, end: 'succeeded' | 'failed'): void {
    this.#running.delete(running.id);
    for (const { name } of running.replacements) this.#awaited.delete(name);
    this.giveBack(running.command.candidates);
    this.#deps.onEnd(running.command, end);
  }
}

export function providerIdsOf(candidates: readonly Candidate[]): readonly string[] {
  return candidates.map(({ stateNode }) => stateNode.providerId);
}

function textOf(errors: readonly unknown[]): string {
  return errors.map((error) => (error as Error).message).join('; ');
}
