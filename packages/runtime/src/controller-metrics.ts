import { SECOND } from './clock.ts';
import { DURATION_BUCKETS } from './metrics/buckets.ts';
import { defineCounter, defineGauge, defineHistogram } from './metrics/definition.ts';
import type { HistogramSeries } from './metrics/histogram.ts';
import type { Metrics } from './metrics/registry.ts';
import type { ScalarSeries } from './metrics/series.ts';

const reconciles = defineCounter(
  'controller_runtime_reconcile_total',
  ['controller', 'result'],
  'Total number of reconciliations per controller',
);
const reconcileErrors = defineCounter(
  'controller_runtime_reconcile_errors_total',
  ['controller'],
  'Total number of reconciliation errors per controller',
);
const terminalErrors = defineCounter(
  'controller_runtime_terminal_reconcile_errors_total',
  ['controller'],
  'Total number of terminal reconciliation errors per controller',
);
const reconcilePanics = defineCounter(
  'controller_runtime_reconcile_panics_total',
  ['controller'],
  'Total number of reconciliation panics per controller',
);
/** Always 0, as upstream: no reconcile has a time limit. */
const reconcileTimeouts = defineCounter(
  'controller_runtime_reconcile_timeouts_total',
  ['controller'],
  'Total number of reconciliation timeouts per controller',
);
const reconcileSeconds = defineHistogram(
  'controller_runtime_reconcile_time_seconds',
  ['controller'],
  'Length of time per reconciliation per controller',
  DURATION_BUCKETS.filter((bound) => bound <= 60),
);
const maxConcurrency = defineGauge(
  'controller_runtime_max_concurrent_reconciles',
  ['controller'],
  'Maximum number of concurrent reconciles per controller',
);
const activeWorkers = defineGauge(
  'controller_runtime_active_workers',
  ['controller'],
  'Number of currently used workers per controller',
);

/** The label for the outcome of a reconcile. */
export type ReconcileResult = 'error' | 'requeue_after' | 'requeue' | 'success';

/**
 * The metrics of one controller. They are shown before the first reconcile, so that rates have a starting point (spec
 * 05 §4.1). The series that every reconcile writes to are kept instead of being looked up by their labels each time.
 */
export class ControllerMetrics {
  readonly activeWorkers: ScalarSeries;
  readonly errors: ScalarSeries;
  readonly terminalErrors: ScalarSeries;
  readonly panics: ScalarSeries;
  readonly results: Readonly<Record<ReconcileResult, ScalarSeries>>;
  readonly #metrics: Metrics;
  readonly #controller: string;
  #seconds: HistogramSeries | undefined; // created with the first observation

  constructor(metrics: Metrics, controller: string, concurrency: number) {
    this.#metrics = metrics;
    this.#controller = controller;
    const resultOf = (result: ReconcileResult): ScalarSeries => metrics.scalar(reconciles, { controller, result });
    this.results = {
      error: resultOf('error'),
      requeue_after: resultOf('requeue_after'),
      requeue: resultOf('requeue'),
      success: resultOf('success'),
    };
    this.errors = metrics.scalar(reconcileErrors, { controller });
    this.terminalErrors = metrics.scalar(terminalErrors, { controller });
    this.panics = metrics.scalar(reconcilePanics, { controller });
    metrics.increment(reconcileTimeouts, { controller }, 0);
    metrics.set(maxConcurrency, { controller }, concurrency);
    this.activeWorkers = metrics.scalar(activeWorkers, { controller });
  }

  /** Records a reconcile of this many milliseconds. */
  passed(duration: number): void {
    this.#seconds ??= this.#metrics.histogram(reconcileSeconds, { controller: this.#controller });
    this.#seconds.observe(duration / SECOND);
  }
}
