import { randomUUID } from 'node:crypto';
import {
  DURATION_BUCKETS,
  defineGauge,
  defineHistogram,
  durationText,
  type Logger,
  type Metrics,
  MINUTE,
  SECOND,
  type SteadyClock,
} from '@karpenter-ts/runtime';
import {
  type Base,
  type Catalogues,
  type Plan,
  type PlanningOptions,
  type PlanRun,
  type Reading,
  readBase,
  type Snapshot,
} from '@karpenter-ts/scheduling';
import type { TimeSlices } from '../state/time-slices.ts';

export const schedulingSeconds = defineHistogram(
  'karpenter_scheduler_scheduling_duration_seconds',
  ['controller'],
  'Duration of scheduling simulations used for deprovisioning and provisioning in seconds.',
  DURATION_BUCKETS,
);
export const unschedulablePods = defineGauge(
  'karpenter_scheduler_unschedulable_pods_count',
  ['controller'],
  'The number of unschedulable Pods.',
);
const queueDepth = defineGauge(
  'karpenter_scheduler_queue_depth',
  ['controller', 'scheduling_id'],
  'The number of pods currently waiting to be scheduled.',
);
const unfinishedSeconds = defineGauge(
  'karpenter_scheduler_unfinished_work_seconds',
  ['controller', 'scheduling_id'],
  "How many seconds of work has been done that is in progress and hasn't been observed by scheduling_duration_seconds.",
);
const podsByZone = defineGauge(
  'karpenter_scheduler_pending_pods_by_effective_zone_count',
  ['controller', 'zone'],
  'Pending pods dimensioned by effective zone constraint, or the intersection of pod-level zone signals, volume ' +
    "topology (PVC zones), and topology constraints. Values: specific zone name (e.g., 'us-west-2a'), 'flexible' " +
    "(multiple zones), or 'none' (no valid intersection).",
);

/** After this time the plan is used as it is; pods it has not reached wait for the next one (spec 02 §6). */
const DEADLINE = 1 * MINUTE;

export interface DriverDeps {
  readonly clock: SteadyClock;
  readonly metrics: Metrics;
  /** The controller that plans, as metrics name it. */
  readonly controller: string;
}

/** What to plan, and how. */
export interface PlanningTask {
  readonly snapshot: Snapshot;
  readonly options: PlanningOptions;
}

/**
 * Runs the planner in time slices, reports its progress in metrics, and stops it at its deadline. It runs one plan at a
 * time: the series of the last plan are removed when the next one begins.
 */
export class PlannerDriver {
  readonly #deps: DriverDeps;
  readonly #catalogues: Catalogues;
  #lastId: string | undefined;
  #lastZones: Iterable<string> = [];

  constructor(deps: DriverDeps, catalogues: Catalogues) {
    this.#deps = deps;
    this.#catalogues = catalogues;
  }

  async plan({ snapshot, options }: PlanningTask, slices: TimeSlices, logger: Logger): Promise<Plan> {
    const { clock } = this.#deps;
    const base = await read(readBase(snapshot, options, this.#catalogues), slices);
    const started = clock.elapsed();
    const id = this.#begin();
    try {
      const zones = await read(base.pendingByZone(), slices);
      this.#show(id, started, snapshot.pods.length);
      const plan = await this.#place(base, { id, started, slices }, logger);
      this.#show(id, started, plan.unschedulable.length + plan.undecided.length);
      this.#showZones(zones);
      return plan;
    } finally {
      this.#end(id, started);
    }
  }

  async #place(
    base: Base,
    { id, started, slices }: { readonly id: string; readonly started: number; readonly slices: TimeSlices },
    logger: Logger,
  ): Promise<Plan> {
    const { clock } = this.#deps;
    const run: PlanRun = base.plan();
    let command: 'stop' | undefined;
    for (;;) {
      const step = run.next(command);
      if (step.done) return step.value;
      if (!slices.isOver) continue;
      this.#show(id, started, step.value.waiting);
      await slices.pause();
      if (command !== 'stop' && clock.elapsed() - started >= DEADLINE) {
        command = 'stop';
        const duration = durationText(Math.trunc((clock.elapsed() - started) / SECOND) * SECOND);
        logger.debug('scheduling simulation timed out', { duration, 'scheduling-id': id });
      }
    }
  }

  #begin(): string {
    const { metrics, controller } = this.#deps;
    metrics.remove(unschedulablePods, { controller });
    for (const zone of this.#lastZones) metrics.remove(podsByZone, { controller, zone });
    if (this.#lastId !== undefined) metrics.remove(queueDepth, { controller, scheduling_id: this.#lastId });
    this.#lastId = randomUUID();
    return this.#lastId;
  }

  #show(id: string, started: number, waiting: number): void {
    const { clock, metrics, controller } = this.#deps;
    const labels = { controller, scheduling_id: id };
    metrics.set(queueDepth, labels, waiting);
    metrics.set(unfinishedSeconds, labels, (clock.elapsed() - started) / SECOND);
  }

  #showZones(zones: ReadonlyMap<string, number>): void {
    const { metrics, controller } = this.#deps;
    for (const [zone, pods] of zones) metrics.set(podsByZone, { controller, zone }, pods);
    this.#lastZones = zones.keys();
  }

  #end(id: string, started: number): void {
    const { clock, metrics, controller } = this.#deps;
    metrics.remove(unfinishedSeconds, { controller, scheduling_id: id });
    metrics.observe(schedulingSeconds, { controller }, (clock.elapsed() - started) / SECOND);
  }
}

async function read<T>(reading: Reading<T>, slices: TimeSlices): Promise<T> {
  for (;;) {
    const step = reading.next();
    if (step.done) return step.value;
    if (slices.isOver) await slices.pause();
  }
}
