import {
  type CounterDefinition,
  DEFAULT_BUCKETS,
  defineCounter,
  defineGauge,
  defineHistogram,
  type GaugeDefinition,
  type HistogramDefinition,
} from '@karpenter-ts/runtime';

/** Metrics of the conditions and the termination of objects, of one kind or of all (spec 05 §4.4). */
export interface StatusMetrics {
  readonly count: GaugeDefinition;
  readonly currentStatusSeconds: GaugeDefinition;
  readonly transitions: CounterDefinition;
  readonly transitionSeconds: HistogramDefinition;
  readonly terminationCurrentSeconds: GaugeDefinition;
  readonly terminationSeconds: HistogramDefinition;
}

/** `kind` in lower case, or '' for all; `labels` are those all six have besides their own. */
function defineStatusMetrics(kind: string, labels: readonly string[], bounds: readonly number[]): StatusMetrics {
  const prefix = kind === '' ? 'operator' : `operator_${kind}`;
  const ofObject = ['namespace', 'name', ...labels];
  const ofCondition = ['type', 'status', 'reason', ...labels];
  return {
    count: defineGauge(
      `${prefix}_status_condition_count`,
      ['namespace', 'name', ...ofCondition],
      'The number of a condition for a given object, type and status. e.g. Alarm := Available=False > 0',
    ),
    currentStatusSeconds: defineGauge(
      `${prefix}_status_condition_current_status_seconds`,
      ['namespace', 'name', ...ofCondition],
      'The current amount of time in seconds that a status condition has been in a specific state. Alarm := P99(Updated=Unknown) > 5 minutes',
    ),
    transitions: defineCounter(
      `${prefix}_status_condition_transitions_total`,
      ofCondition,
      'The count of transitions of a given object, type and status.',
    ),
    transitionSeconds: defineHistogram(
      `${prefix}_status_condition_transition_seconds`,
      ['type', 'status', ...labels],
      'The amount of time a condition was in a given state before transitioning. e.g. Alarm := P99(Updated=False) > 5 minutes',
      bounds,
    ),
    terminationCurrentSeconds: defineGauge(
      `${prefix}_termination_current_time_seconds`,
      ofObject,
      'The current amount of time in seconds that an object has been in terminating state.',
    ),
    terminationSeconds: defineHistogram(
      `${prefix}_termination_duration_seconds`,
      labels,
      'The amount of time taken by an object to terminate completely.',
      bounds,
    ),
  };
}

/** The metrics of a kind, labelled also by labels of its objects. */
export function statusMetricsOf(
  kind: string,
  objectLabels: readonly string[],
  bounds: readonly number[],
): StatusMetrics {
  return defineStatusMetrics(kind.toLowerCase(), objectLabels.map(metricLabel), bounds);
}

/** The metrics of all kinds together: deprecated, but still in use. */
export const SHARED_STATUS_METRICS: StatusMetrics = defineStatusMetrics('', ['group', 'kind'], DEFAULT_BUCKETS);

/** The name under which a metric shows a label of an object. */
export function metricLabel(key: string): string {
  return key.replaceAll(/[/.-]/g, '_');
}
