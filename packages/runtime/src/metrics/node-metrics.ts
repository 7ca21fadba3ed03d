import { constants, monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics } from 'node:v8';
import { DEFAULT_BUCKETS } from './buckets.ts';
import { defineGauge, defineHistogram } from './definition.ts';
import type { Metrics } from './registry.ts';

// Upstream's go_* metrics mean nothing here. These are the names that dashboards for Node use (spec 05 §4.5).
const lagMin = defineGauge('nodejs_eventloop_lag_min_seconds', [], 'Least event-loop delay since the last scrape.');
const lagMax = defineGauge('nodejs_eventloop_lag_max_seconds', [], 'Greatest event-loop delay since the last scrape.');
const lagMean = defineGauge('nodejs_eventloop_lag_mean_seconds', [], 'Mean event-loop delay since the last scrape.');
const lagStddev = defineGauge('nodejs_eventloop_lag_stddev_seconds', [], 'Standard deviation of the event-loop delay.');
const lagP50 = defineGauge('nodejs_eventloop_lag_p50_seconds', [], 'Median event-loop delay since the last scrape.');
const lagP90 = defineGauge('nodejs_eventloop_lag_p90_seconds', [], '90th percentile of the event-loop delay.');
const lagP99 = defineGauge('nodejs_eventloop_lag_p99_seconds', [], '99th percentile of the event-loop delay.');
const heapTotal = defineGauge('nodejs_heap_size_total_bytes', [], 'Heap held, in bytes.');
const heapUsed = defineGauge('nodejs_heap_size_used_bytes', [], 'Heap in use, in bytes.');
const external = defineGauge(
  'nodejs_external_memory_bytes',
  [],
  'Memory outside the heap that objects hold, in bytes.',
);
const spaceTotal = defineGauge('nodejs_heap_space_size_total_bytes', ['space'], 'Heap held, by space, in bytes.');
const spaceUsed = defineGauge('nodejs_heap_space_size_used_bytes', ['space'], 'Heap in use, by space, in bytes.');
const garbageCollection = defineHistogram(
  'nodejs_gc_duration_seconds',
  ['kind'],
  'Garbage collection pauses, in seconds.',
  [0.001, ...DEFAULT_BUCKETS],
);

const GC_KINDS: Readonly<Record<number, string>> = {
  [constants.NODE_PERFORMANCE_GC_MAJOR]: 'major',
  [constants.NODE_PERFORMANCE_GC_MINOR]: 'minor',
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: 'incremental',
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: 'weakcb',
};

/** A performance entry of type `gc`, with the fields that Node's types leave out. */
interface GarbageCollection {
  readonly duration: number;
  readonly detail: { readonly kind: number };
}

/**
 * Publishes metrics of the JavaScript runtime: event-loop delay, heap and garbage collection. Measures until aborted.
 */
export function collectNodeMetrics(metrics: Metrics, signal: AbortSignal): void {
  collectHeap(metrics);
  collectEventLoopLag(metrics, signal);
  const observer = new PerformanceObserver((list) => {
    for (const pause of list.getEntries() as unknown as readonly GarbageCollection[]) {
      metrics.observe(garbageCollection, { kind: GC_KINDS[pause.detail.kind] ?? 'unknown' }, pause.duration / 1000);
    }
  });
  observer.observe({ entryTypes: ['gc'] });
  signal.addEventListener('abort', () => observer.disconnect(), { once: true });
}

const RESOLUTION_MS = 10;

function collectEventLoopLag(metrics: Metrics, signal: AbortSignal): void {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  signal.addEventListener('abort', () => delay.disable(), { once: true });
  metrics.collect(() => {
    if (delay.count === 0) return; // two scrapes within 10 ms
    // Node reports the time between two timers, so each value includes the interval of the timer.
    const lag = (nanos: number): number => Math.max(0, nanos / 1e9 - RESOLUTION_MS / 1e3);
    metrics.set(lagMin, {}, lag(delay.min));
    metrics.set(lagMax, {}, lag(delay.max));
    metrics.set(lagMean, {}, lag(delay.mean));
    metrics.set(lagStddev, {}, delay.stddev / 1e9);
    metrics.set(lagP50, {}, lag(delay.percentile(50)));
    metrics.set(lagP90, {}, lag(delay.percentile(90)));
    metrics.set(lagP99, {}, lag(delay.percentile(99)));
    delay.reset();
  });
}

function collectHeap(metrics: Metrics): void {
  metrics.collect(() => {
    const memory = process.memoryUsage();
    metrics.set(heapTotal, {}, memory.heapTotal);
    metrics.set(heapUsed, {}, memory.heapUsed);
    metrics.set(external, {}, memory.external);
    for (const { space_name, space_size, space_used_size } of getHeapSpaceStatistics()) {
      const space = space_name.replace(/_space$/, '');
      metrics.set(spaceTotal, { space }, space_size);
      metrics.set(spaceUsed, { space }, space_used_size);
    }
  });
}
