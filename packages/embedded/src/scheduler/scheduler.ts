import {
  type Client,
  type Controller,
  DONE,
  isNotFound,
  type Result,
  SECOND,
  type Source,
  type SteadyClock,
} from '@karpenter-ts/runtime';
import { bindPod } from './binding.ts';
import type { SchedulerCaches } from './caches.ts';
import { EventHandlers } from './event-handlers.ts';
import { failedScheduling, SchedulingEvents, scheduled } from './events.ts';
import { DEFAULT_FILTERS } from './filters/default-filters.ts';
import { sortVolumeClaims } from './filters/volume-binding.ts';
import type { FitFailure } from './fit-failure.ts';
import { type Pod, PODS } from '@karpenter-ts/kubernetes';
import type { NodeEntry } from './model/node-entry.ts';
import type { PodClass } from './model/pod-class.ts';
import { ResourceNames } from './model/resource-names.ts';
import { Snapshot } from './model/snapshot.ts';
import type { StorageModel } from './model/storage-model.ts';
import { planVolumes, type VolumePlan } from './model/volume-plan.ts';
import { Nominations } from './nominations.ts';
import type { PendingPod } from './pending-pod.ts';
import { Placer } from './placement.ts';
import { failurePatch, type SchedulingFailure } from './pod-status.ts';
import { SchedulingQueue } from './queue.ts';
import { DEFAULT_SCORES } from './scores/default-scores.ts';
import { VolumeBinder } from './volume-binder.ts';

export interface SchedulerDeps {
  readonly client: Client;
  readonly clock: SteadyClock;
  readonly caches: SchedulerCaches;
  /** Numbers in [0, 1): the order in which nodes are looked at depends on them. */
  readonly random: () => number;
}

/** A key of no pod. Its turn flushes pods that have been unschedulable for too long. */
const SWEEP = '';
const SWEEP_EVERY = 30 * SECOND;
const RETRY_DELAY = 1 * SECOND;
/** How many bindings run at once. Scheduling cycles run one at a time, but do not wait for bindings. */
const CONCURRENCY = 64;

/**
 * A scheduler with kube-scheduler's default profile, but without preemption. A scheduling cycle chooses a node and
 * assumes the pod there; then the binding cycle writes it. A pod whose volumes are not bound yet is looked at again
 * when they change.
 */
export function schedulerController(deps: SchedulerDeps): Controller {
  const scheduler = new Scheduler(deps);
  return {
    name: 'scheduler',
    kind: { group: '', kind: 'Pod' },
    concurrency: CONCURRENCY,
    retries: { backOff: { base: RETRY_DELAY, cap: 10 * SECOND } },
    sources: scheduler.sources,
    reconcile: (key, signal) => scheduler.schedule(key, signal),
  };
}

class Scheduler {
  readonly #deps: SchedulerDeps;
  readonly #snapshot: Snapshot;
  readonly #nominations = new Nominations();
  readonly #queue: SchedulingQueue;
  readonly #placer: Placer;
  readonly #volumes: VolumeBinder;
  readonly #events: SchedulingEvents;
  readonly #feed: EventHandlers;

  constructor(deps: SchedulerDeps) {
    const { client, clock, random } = deps;
    const snapshot = new Snapshot(new ResourceNames(), random);
    const nominations = this.#nominations;
    this.#deps = deps;
    this.#snapshot = snapshot;
    this.#placer = new Placer({ snapshot, nominations, filters: DEFAULT_FILTERS, scores: DEFAULT_SCORES });
    this.#queue = new SchedulingQueue({
      clock,
      namespaces: snapshot.namespaces,
      mayTake: (node, pod, filters) => this.#placer.mayTake(node, pod, filters),
    });
    this.#volumes = new VolumeBinder(client, clock, snapshot.storage);
    this.#events = new SchedulingEvents(client, clock);
    this.#feed = new EventHandlers({ snapshot, queue: this.#queue, nominations, volumes: this.#volumes });
  }

  get sources(): readonly Source[] {
    const sweeps: Source = { name: 'sweeps', attach: (turns) => turns.addAfter(SWEEP, SWEEP_EVERY) };
    return [...this.#feed.sources(this.#deps.caches), sweeps];
  }

  async schedule(key: string, signal: AbortSignal): Promise<Result> {
    if (key === SWEEP) return this.#sweep();
    const pending = this.#queue.take(key);
    const pod = this.#deps.caches.pods.get(key);
    if (pending === undefined || pod === undefined) return DONE;
    if (pending.pod.isTerminating) return this.#skip(key, pod);
    const placed = this.#snapshot.findPlaced(key);
    if (placed !== undefined) return this.#finish(pending, pod, placed.node, signal);
    const placement = this.#placer.place(pending);
    if (placement.kind === 'none') return this.#park(pending, pod, placement.failure, signal);
    return this.#begin(pending, pod, placement.node, signal);
  }

  #sweep(): Result {
    this.#queue.flushUnschedulable();
    return { requeueAfter: SWEEP_EVERY };
  }

  #skip(key: string, pod: Pod): Result {
    const { namespace, name } = pod.metadata;
    this.#giveUp(key);
    this.#queue.delete(key);
    this.#events.publish(pod, failedScheduling(`skip schedule deleting pod: ${namespace}/${name}`));
    return DONE;
  }

  async #park(pending: PendingPod, pod: Pod, failure: FitFailure, signal: AbortSignal): Promise<Result> {
    const { message, rejectedBy } = failure;
    this.#queue.addUnschedulable(pending, rejectedBy);
    const endsNomination = pending.pod.mayPreempt;
    await this.#report(pod, { reason: 'Unschedulable', message, endsNomination }, signal);
    return DONE;
  }

  /** From here on the pod counts as placed on its node. */
  async #begin(pending: PendingPod, pod: Pod, node: NodeEntry, signal: AbortSignal): Promise<Result> {
    const { key } = pending;
    const plan = planFor(pending.pod, node, this.#snapshot.storage);
    this.#snapshot.place(key, pending.pod, node.name, false);
    this.#nominations.delete(key);
    if (plan === undefined) return this.#bind(pending, pod, node, signal);
    this.#volumes.reserve(key, plan, node);
    try {
      await this.#nominate(pod, node, signal);
      await this.#volumes.write(key, signal);
    } catch (error) {
      this.#giveUp(key);
      throw error;
    }
    return this.#finish(pending, pod, node, signal);
  }

  /** A pod that already has a node: its volumes may be bound by now, or its binding has not come back yet. */
  async #finish(pending: PendingPod, pod: Pod, node: NodeEntry, signal: AbortSignal): Promise<Result> {
    const progress = this.#volumes.progress(pending.key);
    switch (progress?.kind) {
      case undefined:
        return DONE;
      case 'waiting':
        return { requeueAfter: progress.left };
      case 'bound':
        return this.#bind(pending, pod, node, signal);
      case 'failed':
        this.#giveUp(pending.key);
        await this.#report(pod, { reason: 'SchedulerError', message: progress.message, endsNomination: true }, signal);
        return { requeueAfter: RETRY_DELAY };
      default:
        return progress satisfies never;
    }
  }

  async #bind({ key }: PendingPod, pod: Pod, node: NodeEntry, signal: AbortSignal): Promise<Result> {
    try {
      await bindPod(this.#deps.client, pod, node.name, signal);
    } catch (error) {
      this.#giveUp(key);
      if (isNotFound(error)) return DONE; // deleted meanwhile
      throw error;
    }
    this.#events.publish(pod, scheduled(pod, node.name));
    return DONE;
  }

  /** Undoes the assumption that the pod is on its node, unless the API server shows it there. */
  #giveUp(key: string): void {
    const placed = this.#snapshot.findPlaced(key);
    this.#volumes.release(key);
    if (placed === undefined || placed.isConfirmed) return;
    this.#snapshot.remove(key);
    this.#queue.moveToActive({ kind: 'pod removed', ...placed });
  }

  /**
   * Writes `nominatedNodeName`, so that autoscalers know that the pod has a node although its binding takes a while.
   */
  async #nominate(pod: Pod, node: NodeEntry, signal: AbortSignal): Promise<void> {
    if (pod.status?.nominatedNodeName === node.name) return;
    const body = { status: { nominatedNodeName: node.name } };
    const options = { subresource: 'status' };
    await this.#deps.client.patch(PODS, pod.metadata, { type: 'strategic', body }, options, signal);
  }

  async #report(pod: Pod, failure: SchedulingFailure, signal: AbortSignal): Promise<void> {
    const { client, clock } = this.#deps;
    this.#events.publish(pod, failedScheduling(failure.message));
    const body = failurePatch(pod, failure, clock.now());
    if (body === undefined) return;
    try {
      await client.patch(PODS, pod.metadata, { type: 'strategic', body }, { subresource: 'status' }, signal);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

/** What the pod's volumes need on the node; undefined if all are bound. */
function planFor(pod: PodClass, node: NodeEntry, storage: StorageModel): VolumePlan | undefined {
  const volumeClaims = sortVolumeClaims(pod, storage);
  if (typeof volumeClaims === 'string' || volumeClaims.delayed.length === 0) return undefined;
  const plan = planVolumes(volumeClaims, node, storage);
  if ('conflicts' in plan) throw new Error(`volumes were found for node ${node.name}, then not`);
  return plan;
}
