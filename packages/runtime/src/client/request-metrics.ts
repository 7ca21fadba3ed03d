import { exponentialBuckets } from '../metrics/buckets.ts';
import { defineCounter, defineHistogram } from '../metrics/definition.ts';
import type { Metrics } from '../metrics/registry.ts';
import type { RequestObserver, Target } from './caller.ts';

const requests = defineCounter(
  'client_go_request_total',
  ['code', 'method'],
  'Number of HTTP requests, partitioned by status code and method.',
);

const durations = defineHistogram(
  'client_go_request_duration_seconds',
  ['verb', 'group', 'version', 'kind', 'subresource'],
  'Request latency in seconds. Broken down by verb, group, version, kind, and subresource.',
  exponentialBuckets(0.001, 1.5, 20),
);

/** Counts and times requests under upstream's names (spec 05 §4.5). The label `kind` holds the plural. */
export function requestMetrics(metrics: Metrics): RequestObserver {
  return {
    answered: (method, code) => metrics.increment(requests, { code, method }),
    finished(method, target, seconds) {
      const { group, version, plural } = target.type;
      const { subresource = '' } = target;
      metrics.observe(durations, { verb: verbOf(method, target), group, version, kind: plural, subresource }, seconds);
    },
  };
}

function verbOf(method: string, { name }: Target): string {
  switch (method) {
    case 'POST':
      return 'CREATE';
    case 'PUT':
      return 'UPDATE';
    case 'GET':
      return name === undefined ? 'LIST' : 'GET';
    default:
      return method;
  }
}
