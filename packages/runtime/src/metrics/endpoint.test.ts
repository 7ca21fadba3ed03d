import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { VirtualClock } from '../virtual-clock.ts';
import { publishBuildInfo } from './build-info.ts';
import { defineGauge } from './definition.ts';
import { serveMetrics } from './endpoint.ts';
import { collectNodeMetrics } from './node-metrics.ts';
import { collectProcessMetrics } from './process-metrics.ts';
import { Metrics } from './registry.ts';

async function serve(t: TestContext, metrics: Metrics): Promise<string> {
  const server = createServer((request, response) => void serveMetrics(metrics, request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`;
}

test('a scraper gets the page in its format, gzipped', async (t) => {
  const metrics = new Metrics(new VirtualClock());
  metrics.set(defineGauge('temperature', [], 'How warm it is.'), {}, 3);
  const url = await serve(t, metrics);
  const answer = await fetch(url, { headers: { accept: 'application/openmetrics-text', 'accept-encoding': 'gzip' } });
  assert.equal(answer.headers.get('content-encoding'), 'gzip');
  assert.equal(answer.headers.get('content-type'), 'application/openmetrics-text; version=1.0.0; charset=utf-8');
  assert.match(await answer.text(), /\ntemperature 3\n# EOF\n$/);
  const plain = await fetch(url, { headers: { 'accept-encoding': 'identity' } });
  assert.equal(plain.headers.get('content-encoding'), null);
  assert.match(await plain.text(), /\ntemperature 3\n$/);
});

test('a client that goes away in the middle leaves the server able to serve the next', async (t) => {
  const metrics = new Metrics(new VirtualClock());
  const wide = defineGauge('wide', ['pod'], 'Many.');
  for (let i = 0; i < 50_000; i++) metrics.set(wide, { pod: `pod-${i}-${'x'.repeat(100)}` }, i);
  const url = await serve(t, metrics);
  const gone = await fetch(url, { headers: { 'accept-encoding': 'identity' } });
  await gone.body?.cancel();
  const whole = await (await fetch(url)).text();
  assert.equal(whole.split('\n').length, 50_000 + 3);
});

test('05/44 the build is shown as 1 with its four labels', async (t) => {
  const metrics = new Metrics(new VirtualClock());
  publishBuildInfo(metrics, { version: '1.14.1', commit: 'abcdef0' });
  const page = await (await fetch(await serve(t, metrics))).text();
  assert.match(
    page,
    /karpenter_build_info\{commit="abcdef0",goarch="\w+",goversion="node[\d.]+",version="1.14.1"\} 1\n/,
  );
});

test('process and runtime metrics are on the page and plausible', async (t) => {
  const metrics = new Metrics(new VirtualClock());
  const stop = new AbortController();
  t.after(() => stop.abort());
  collectProcessMetrics(metrics);
  collectNodeMetrics(metrics, stop.signal);
  const url = await serve(t, metrics);
  await new Promise((resolve) => setTimeout(resolve, 50)); // the event-loop monitor needs samples
  await (await fetch(url)).text();
  await new Promise((resolve) => setTimeout(resolve, 50));
  const values = new Map(
    (await (await fetch(url)).text()).split('\n').flatMap((line): [string, number][] => {
      const [name, value] = line.split(' ');
      return line === '' || line.startsWith('#') ? [] : [[name!, Number(value)]];
    }),
  );
  const between = (name: string, low: number, high: number): void => {
    const value = values.get(name);
    assert.ok(value !== undefined && value >= low && value <= high, `${name} is ${value}`);
  };
  between('process_cpu_seconds_total', 0.01, 3600);
  between('process_resident_memory_bytes', 1e7, 1e11);
  between('process_start_time_seconds', Date.now() / 1000 - 3600, Date.now() / 1000);
  between('nodejs_heap_size_used_bytes', 1e6, 1e11);
  between('nodejs_eventloop_lag_p99_seconds', 0, 10);
  between('nodejs_heap_space_size_used_bytes{space="old"}', 1e5, 1e11);
  if (process.platform !== 'linux') return;
  between('process_open_fds', 3, 1e6);
  between('process_max_fds', 3, 1e10);
  between('process_virtual_memory_bytes', 1e7, 1e14);
  between('process_virtual_memory_max_bytes', 1e7, 2 ** 64);
});
