import { DURATION_BUCKETS } from './metrics/buckets.ts';
import { defineCounter, defineGauge, defineHistogram } from './metrics/definition.ts';
import type { Metrics } from './metrics/registry.ts';

export const reconciles = defineCounter(
  'controller_runtime_reconcile_total',
  ['controller', 'result'],
  'Total number of reconciliations per controller',
);
export const reconcileErrors = defineCounter(
  'controller_runtime_reconcile_errors_total',
  ['controller'],
  'Total number of reconciliation errors per controller',
);
export const terminalErrors = defineCounter(
  'controller_runtime_terminal_reconcile_errors_total',
  ['controller'],
  'Total number of terminal reconciliation errors per controller',
);
export const reconcilePanics = defineCounter(
  'controller_runtime_reconcile_panics_total',
  ['controller'],
  'Total number of reconciliation panics per controller',
);
/** Stays 0, as upstream: no pass has a time limit. */
const reconcileTimeouts = defineCounter(
  'controller_runtime_reconcile_timeouts_total',
  ['controller'],
  'Total number of reconciliation timeouts per controller',
);
export const reconcileSeconds = defineHistogram(
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
export const activeWorkers = defineGauge(
  'controller_runtime_active_workers',
  ['controller'],
  'Number of currently used workers per controller',
);

/** Shows a controller's families before anything has happened, so that rates have a start (spec 05 §4.1). */
export function initialiseControllerMetrics(metrics: Metrics, controller: string, concurrency: number): void {
  for (const result of ['error', 'requeue_after', 'requeue', 'success']) {
    metrics.increment(reconciles, { controller, result }, 0);
  }
  for (const counter of [reconcileErrors, terminalErrors, reconcilePanics, reconcileTimeouts]) {
    metrics.increment(counter, { controller }, 0);
  }
  metrics.set(maxConcurrency, { controller }, concurrency);
  metrics.set(activeWorkers, { controller }, 0);
}
