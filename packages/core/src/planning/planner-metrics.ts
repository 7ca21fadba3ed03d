import { randomUUID } from 'node:crypto';
import {
  DURATION_BUCKETS,
  defineGauge,
  defineHistogram,
  type Metrics,
  SECOND,
  type SteadyClock,
} from '@karpenter-ts/runtime';

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

export interface PlannerMetricsDeps {
  readonly clock: SteadyClock;
  readonly metrics: Metrics;
  /** The controller that plans, as metrics name it. */
  readonly controller: string;
}

/** One run of the planner, as metrics show it. */
export interface MeasuredRun {
  /** The value of the label `scheduling_id`. */
  readonly id: string;
  /** Monotonic milliseconds. */
  readonly startedAt: number;
}

/**
 * The metrics of the planner for one controller, which makes one run at a time: the series of the last run are removed
 * when the next one begins.
 */
export class PlannerMetrics {
  readonly #deps: PlannerMetricsDeps;
  #lastId: string | undefined;
  #lastZones: Iterable<string> = [];

  constructor(deps: PlannerMetricsDeps) {
    this.#deps = deps;
  }

  begin(): MeasuredRun {
    const { clock, metrics, controller } = this.#deps;
    metrics.remove(unschedulablePods, { controller });
    for (const zone of this.#lastZones) metrics.remove(podsByZone, { controller, zone });
    if (this.#lastId !== undefined) metrics.remove(queueDepth, { controller, scheduling_id: this.#lastId });
    this.#lastZones = [];
    this.#lastId = randomUUID();
    return { id: this.#lastId, startedAt: clock.elapsed() };
  }

  showProgress({ id, startedAt }: MeasuredRun, waiting: number): void {
    const { clock, metrics, controller } = this.#deps;
    const labels = { controller, scheduling_id: id };
    metrics.set(queueDepth, labels, waiting);
    metrics.set(unfinishedSeconds, labels, (clock.elapsed() - startedAt) / SECOND);
  }

  showZones(zones: ReadonlyMap<string, number>): void {
    const { metrics, controller } = this.#deps;
    for (const [zone, pods] of zones) metrics.set(podsByZone, { controller, zone }, pods);
    this.#lastZones = zones.keys();
  }

  end({ id, startedAt }: MeasuredRun): void {
    const { clock, metrics, controller } = this.#deps;
    metrics.remove(unfinishedSeconds, { controller, scheduling_id: id });
    metrics.observe(schedulingSeconds, { controller }, (clock.elapsed() - startedAt) / SECOND);
  }
}
