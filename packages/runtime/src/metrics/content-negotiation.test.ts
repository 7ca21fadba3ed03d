import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acceptsGzip, negotiatePage } from './content-negotiation.ts';

const PROMETHEUS_3 =
  'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.3,text/plain;version=0.0.4;q=0.2,*/*;q=0.1';
const PROMETHEUS_WITH_PROTOBUF = `application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited;q=0.6,${PROMETHEUS_3}`;

test('the best format a scraper accepts is served, plain text to all others', () => {
  const format = (accept: string | undefined): string => negotiatePage(accept).format;
  assert.equal(format(undefined), 'text');
  assert.equal(format('*/*'), 'text');
  assert.equal(format('text/html,application/xhtml+xml,*/*;q=0.8'), 'text');
  assert.equal(format(PROMETHEUS_3), 'openmetrics');
  assert.equal(format(PROMETHEUS_WITH_PROTOBUF), 'openmetrics');
  assert.equal(format('application/openmetrics-text; version=0.0.1,text/plain;version=0.0.4;q=0.5'), 'text');
  assert.equal(format('text/plain;version=0.0.4;q=0.5,application/openmetrics-text;q=0.4'), 'text');
  assert.equal(format('application/openmetrics-text;q=0'), 'text');
});

test('the answer names the version it has', () => {
  assert.equal(negotiatePage('text/plain').contentType, 'text/plain; version=0.0.4; charset=utf-8');
  assert.equal(
    negotiatePage('application/openmetrics-text').contentType,
    'application/openmetrics-text; version=1.0.0; charset=utf-8',
  );
});

test('gzip is used only with those who take it', () => {
  assert.deepEqual(['gzip', 'deflate, gzip;q=0.5', '*', 'gzip;q=0', 'identity', undefined].map(acceptsGzip), [
    true,
    true,
    true,
    false,
    false,
    false,
  ]);
});
