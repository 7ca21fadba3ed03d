import { SECOND } from '../clock.ts';
import { exponentialBuckets } from '../metrics/buckets.ts';
import { defineCounter, defineGauge, defineHistogram } from '../metrics/definition.ts';
import type { Metrics } from '../metrics/registry.ts';
import type { SteadyClock } from '../steady-clock.ts';

const LABELS = ['name', 'controller'] as const;
/** From ten nanoseconds, each ten times the one before, to a thousand seconds. */
const DURATIONS = exponentialBuckets(10e-9, 10, 12);

const depth = defineGauge(
  'workqueue_depth',
  ['name', 'controller', 'priority'],
  'Current depth of workqueue by workqueue and priority',
);
const adds = defineCounter('workqueue_adds_total', LABELS, 'Total number of adds handled by workqueue');
const retries = defineCounter('workqueue_retries_total', LABELS, 'Total number of retries handled by workqueue');
const queueDuration = defineHistogram(
  'workqueue_queue_duration_seconds',
  LABELS,
  'How long in seconds an item stays in workqueue before being requested',
  DURATIONS,
);
const workDuration = defineHistogram(
  'workqueue_work_duration_seconds',
  LABELS,
  'How long in seconds processing an item from workqueue takes.',
  DURATIONS,
);
const unfinishedWork = defineGauge(
  'workqueue_unfinished_work_seconds',
  LABELS,
  "How many seconds of work has been done that is in progress and hasn't been observed by work_duration. Large " +
    'values indicate stuck threads. One can deduce the number of stuck threads by observing the rate at which this ' +
    'increases.',
);
const longestRunning = defineGauge(
  'workqueue_longest_running_processor_seconds',
  LABELS,
  'How many seconds has the longest running processor for workqueue been running.',
);

/** Past these, priorities share one series, so that no one can flood the metrics with numbers. */
const MAX_PRIORITIES = 25;
const OTHER_PRIORITIES = 'exceeded_cardinality_limit';

/** The `workqueue_*` families of one queue (spec 05 §4.5). Both name labels hold the controller's name. */
export class QueueMetrics<K> {
  readonly #metrics: Metrics;
  readonly #clock: SteadyClock;
  readonly #labels: { readonly name: string; readonly controller: string };
  readonly #priorities = new Map<number, string>();
  readonly #readySince = new Map<K, number>();
  readonly #runningSince = new Map<K, number>();

  constructor(name: string, metrics: Metrics, clock: SteadyClock) {
    this.#metrics = metrics;
    this.#clock = clock;
    this.#labels = { name, controller: name };
    metrics.increment(adds, this.#labels, 0);
    metrics.increment(retries, this.#labels, 0);
    metrics.collect(() => this.#reportRunning());
  }

  /** `key` can be taken from now on. */
  ready(key: K, priority: number): void {
    this.#metrics.increment(adds, this.#labels);
    this.#addDepth(priority, 1);
    if (!this.#readySince.has(key)) this.#readySince.set(key, this.#clock.elapsed());
  }

  /** A key that can be taken has moved to another priority. */
  reprioritised(from: number, to: number): void {
    this.#addDepth(from, -1);
    this.#addDepth(to, 1);
  }

  /** A key was added with a delay. */
  retried(): void {
    this.#metrics.increment(retries, this.#labels);
  }

  taken(key: K, priority: number): void {
    this.#addDepth(priority, -1);
    this.#runningSince.set(key, this.#clock.elapsed());
    this.#observe(queueDuration, this.#readySince, key);
  }

  done(key: K): void {
    this.#observe(workDuration, this.#runningSince, key);
  }

  #addDepth(priority: number, by: number): void {
    this.#metrics.add(depth, { ...this.#labels, priority: this.#priorityLabel(priority) }, by);
  }

  #priorityLabel(priority: number): string {
    const known = this.#priorities.get(priority);
    if (known !== undefined) return known;
    if (this.#priorities.size === MAX_PRIORITIES) return OTHER_PRIORITIES;
    this.#priorities.set(priority, String(priority));
    return String(priority);
  }

  #observe(histogram: typeof workDuration, since: Map<K, number>, key: K): void {
    const start = since.get(key);
    if (start === undefined) return;
    since.delete(key);
    this.#metrics.observe(histogram, this.#labels, (this.#clock.elapsed() - start) / SECOND);
  }

  #reportRunning(): void {
    const now = this.#clock.elapsed();
    let total = 0;
    let longest = 0;
    for (const start of this.#runningSince.values()) {
      total += now - start;
      longest = Math.max(longest, now - start);
    }
    this.#metrics.set(unfinishedWork, this.#labels, total / SECOND);
    this.#metrics.set(longestRunning, this.#labels, longest / SECOND);
  }
}
