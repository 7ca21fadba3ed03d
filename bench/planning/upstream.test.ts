import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findUpstream, readPaces } from './upstream.ts';
import { chooseWorkloads, WORKLOADS } from './workloads.ts';

test('without Go upstream is missing, and it says how to get it', async () => {
  const upstream = await findUpstream(() => assert.fail('nothing to compile with'), { PATH: '/nonexistent' });
  assert.ok(upstream.kind === 'missing');
  assert.match(upstream.why, /install Go/);
});

test('all runs of a benchmark are read, whatever else it prints', () => {
  const output = [
    'goos: linux',
    '{"level":"INFO","message":"100 pods/sec"}',
    'BenchmarkScheduling50-2   \t       1\t 120999 ns/op\t        10.00 nodes\t        50.00 pods\t       413.0 pods/sec',
    'BenchmarkScheduling50     \t       1\t 120999 ns/op\t 1.2e+03 pods/sec',
    'PASS',
  ].join('\n');
  assert.deepEqual(readPaces(output), [413, 1200]);
});

test('workloads are chosen by their size or their mix', () => {
  assert.equal(chooseWorkloads([]), WORKLOADS);
  assert.deepEqual(
    chooseWorkloads(['50', 'preferences']).map(({ mix, pods }) => [mix, pods]),
    [
      ['diverse', 50],
      ['preferences', 4_000],
      ['preferences', 4_000],
    ],
  );
  assert.throws(() => chooseWorkloads(['51']), /no such workload: 51; there are 1, 50, .*, diverse, preferences/);
});
