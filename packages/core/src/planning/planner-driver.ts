import { durationText, type Logger, SECOND, type SteadyClock } from '@karpenter-ts/runtime';
import {
  type PlanningBase,
  type Catalogues,
  type Change,
  type Plan,
  type PlanningOptions,
  type PlanRun,
  type Reading,
  readPlanningBase,
  type Snapshot,
} from '@karpenter-ts/scheduling';
import type { TimeSlices } from '../state/time-slices.ts';
import { type MeasuredRun, PlannerMetrics, type PlannerMetricsDeps } from './planner-metrics.ts';

export interface DriverDeps extends PlannerMetricsDeps {
  /** Shared by all drivers, so that the instance types of a NodePool are indexed once. */
  readonly catalogues: Catalogues;
}

/** What to plan, and how. */
export interface PlanningTask {
  readonly snapshot: Snapshot;
  readonly options: PlanningOptions;
}

/** How one run of the planner goes. */
export interface RunSettings {
  readonly slices: TimeSlices;
  readonly logger: Logger;
  /**
   * After so many milliseconds of its own work the run ends with what is placed; the other pods are `undecided`. Time
   * that other work takes while the run pauses does not count, so that a long consolidation cannot cut a plan short.
   */
  readonly deadline: number;
}

/**
 * Runs the planner for one controller: in time slices, with a deadline, and with its progress in metrics. A controller
 * makes one run at a time; runs of several controllers take turns and do not disturb each other.
 */
export class PlannerDriver {
  readonly #clock: SteadyClock;
  readonly #catalogues: Catalogues;
  readonly #metrics: PlannerMetrics;

  constructor(deps: DriverDeps) {
    this.#clock = deps.clock;
    this.#catalogues = deps.catalogues;
    this.#metrics = new PlannerMetrics(deps);
  }

  /** Reads a snapshot. The result answers any number of questions about it. */
  async read({ snapshot, options }: PlanningTask, slices: TimeSlices): Promise<SnapshotPlanner> {
    const base = await read(readPlanningBase(snapshot, options, this.#catalogues), slices);
    return new SnapshotPlanner(base, snapshot.pods.length, this.#clock, this.#metrics);
  }
}

/** The planner, asked about one snapshot. It keeps the snapshot in memory, so drop it when the last question is asked. */
export class SnapshotPlanner {
  readonly #base: PlanningBase;
  readonly #pendingPods: number;
  readonly #clock: SteadyClock;
  readonly #metrics: PlannerMetrics;

  constructor(base: PlanningBase, pendingPods: number, clock: SteadyClock, metrics: PlannerMetrics) {
    this.#base = base;
    this.#pendingPods = pendingPods;
    this.#clock = clock;
    this.#metrics = metrics;
  }

  /** The plan of the snapshot. */
  plan(settings: RunSettings): Promise<Plan> {
    return this.#measure(async (run) => {
      const zones = await read(this.#base.pendingByZone(), settings.slices);
      const plan = await this.#run(this.#base.plan(), this.#pendingPods, run, settings);
      this.#metrics.showZones(zones);
      return plan;
    });
  }

  /** The plan of the changed snapshot. */
  whatIf(change: Change, settings: RunSettings): Promise<Plan> {
    const pods = this.#pendingPods + (change.withPods?.length ?? 0);
    return this.#measure((run) => this.#run(this.#base.whatIf(change), pods, run, settings));
  }

  async #measure(work: (run: MeasuredRun) => Promise<Plan>): Promise<Plan> {
    const run = this.#metrics.begin();
    try {
      return await work(run);
    } finally {
      this.#metrics.end(run);
    }
  }

  async #run(planRun: PlanRun, pods: number, run: MeasuredRun, settings: RunSettings): Promise<Plan> {
    this.#metrics.showProgress(run, pods);
    const plan = await this.#place(planRun, run, settings);
    this.#metrics.showProgress(run, plan.unschedulable.length + plan.undecided.length);
    return plan;
  }

  async #place(planRun: PlanRun, run: MeasuredRun, { slices, logger, deadline }: RunSettings): Promise<Plan> {
    const workedBefore = slices.worked;
    let command: 'stop' | undefined;
    for (;;) {
      const step = planRun.next(command);
      if (step.done) return step.value;
      if (!slices.isOver) continue;
      this.#metrics.showProgress(run, step.value.waiting);
      await slices.pause();
      if (command !== 'stop' && slices.worked - workedBefore >= deadline) {
        command = 'stop';
        const duration = durationText(Math.trunc((this.#clock.elapsed() - run.startedAt) / SECOND) * SECOND);
        logger.debug('scheduling simulation timed out', { duration, 'scheduling-id': run.id });
      }
    }
  }
}

async function read<T>(reading: Reading<T>, slices: TimeSlices): Promise<T> {
  for (;;) {
    const step = reading.next();
    if (step.done) return step.value;
    if (slices.isOver) await slices.pause();
  }
}
