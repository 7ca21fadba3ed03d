import { SECOND } from '../clock.ts';
import { exponentialBuckets } from '../metrics/buckets.ts';
import { defineCounter, defineGauge, defineHistogram } from '../metrics/definition.ts';
import type { HistogramSeries } from '../metrics/histogram.ts';
import type { Metrics } from '../metrics/registry.ts';
import type { ScalarSeries } from '../metrics/series.ts';
import type { SteadyClock } from '../steady-clock.ts';

const LABELS = ['name', 'controller'] as const;
/** Bucket bounds from ten nanoseconds to a thousand seconds, in powers of ten. */
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

/**
 * The number of priorities with a series of their own. Further ones share one series, which bounds the number of
 * series.
 */
const MAX_PRIORITIES = 25;
const OTHER_PRIORITIES = 'exceeded_cardinality_limit';

/**
 * The `workqueue_*` metrics of one queue (spec 05 §4.5). Both name labels hold the controller's name. Every key passes
 * through here several times, so the series are kept instead of being looked up by their labels each time.
 */
export class QueueMetrics<K> {
  readonly #metrics: Metrics;
  readonly #clock: SteadyClock;
  readonly #labels: { readonly name: string; readonly controller: string };
  readonly #adds: ScalarSeries;
  readonly #retries: ScalarSeries;
  readonly #depths = new Map<number, ScalarSeries>(); // by priority
  readonly #readySince = new Map<K, number>();
  readonly #runningSince = new Map<K, number>();
  #queueDuration: HistogramSeries | undefined; // created with the first observation
  #workDuration: HistogramSeries | undefined; // likewise

  constructor(name: string, metrics: Metrics, clock: SteadyClock) {
    this.#metrics = metrics;
    this.#clock = clock;
    this.#labels = { name, controller: name };
    this.#adds = metrics.scalar(adds, this.#labels);
    this.#retries = metrics.scalar(retries, this.#labels);
    metrics.collect(() => this.#reportRunning());
  }

  /** A key can be taken from now on. */
  ready(key: K, priority: number): void {
    this.#adds.value++;
    this.#depthOf(priority).value++;
    if (!this.#readySince.has(key)) this.#readySince.set(key, this.#clock.elapsed());
  }

  /** The priority of a key that can be taken has changed. */
  reprioritised(from: number, to: number): void {
    this.#depthOf(from).value--;
    this.#depthOf(to).value++;
  }

  /** A key was added with a delay. */
  retried(): void {
    this.#retries.value++;
  }

  taken(key: K, priority: number): void {
    this.#depthOf(priority).value--;
    const now = this.#clock.elapsed();
    this.#runningSince.set(key, now);
    const since = this.#readySince.get(key);
    if (since === undefined) return;
    this.#readySince.delete(key);
    this.#queueDuration ??= this.#metrics.histogram(queueDuration, this.#labels);
    this.#queueDuration.observe((now - since) / SECOND);
  }

  done(key: K): void {
    const since = this.#runningSince.get(key);
    if (since === undefined) return;
    this.#runningSince.delete(key);
    this.#workDuration ??= this.#metrics.histogram(workDuration, this.#labels);
    this.#workDuration.observe((this.#clock.elapsed() - since) / SECOND);
  }

  #depthOf(priority: number): ScalarSeries {
    const known = this.#depths.get(priority);
    if (known !== undefined) return known;
    const isOther = this.#depths.size === MAX_PRIORITIES;
    const label = isOther ? OTHER_PRIORITIES : String(priority);
    const series = this.#metrics.scalar(depth, { ...this.#labels, priority: label });
    if (!isOther) this.#depths.set(priority, series);
    return series;
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
