import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SECOND } from '../clock.ts';
import { PODS } from '../testing/fixture-client.ts';
import { VirtualClock } from '../virtual-clock.ts';
import { RateLimits, type RateLimitSettings } from './rate-limit.ts';
import type { ResourceType } from '@karpenter-ts/kubernetes';

const NODES: ResourceType = { ...PODS, plural: 'nodes', kind: 'Node', namespaced: false };
const LEASES: ResourceType = { ...PODS, group: 'coordination.k8s.io', plural: 'leases', kind: 'Lease' };

/** How many of 1,000 requests have gone at each of these seconds. */
async function gone(settings: RateLimitSettings, type: ResourceType, seconds: readonly number[]): Promise<number[]> {
  const clock = new VirtualClock();
  const limits = new RateLimits(settings, clock);
  const stop = new AbortController();
  let count = 0;
  for (let i = 0; i < 1000; i++)
    limits.wait(type, stop.signal).then(
      () => count++,
      () => {},
    );
  const counts: number[] = [];
  let now = 0;
  for (const second of seconds) {
    await clock.advance((second - now) * SECOND);
    now = second;
    counts.push(count);
  }
  stop.abort();
  return counts;
}

test('a burst goes at once, the rest at the rate', async () => {
  assert.deepEqual(await gone({ qps: 200, burst: 300 }, PODS, [0, 1, 2]), [300, 500, 700]);
});

test('0 means 5 a second and a burst of 10, each on its own', async () => {
  assert.deepEqual(await gone({ qps: 0, burst: 0 }, PODS, [0, 2]), [10, 20]);
  assert.deepEqual(await gone({ qps: 0, burst: 100 }, PODS, [0, 2]), [100, 110]);
  assert.deepEqual(await gone({ qps: 50, burst: 0 }, PODS, [0, 2]), [10, 110]);
});

test('a negative rate means no limit', async () => {
  assert.deepEqual(await gone({ qps: -1, burst: 1 }, PODS, [0]), [1000]);
});

test('lease calls are never held back', async () => {
  assert.deepEqual(await gone({ qps: 1, burst: 1 }, LEASES, [0]), [1000]);
});

test('each kind has a bucket of its own', async () => {
  const clock = new VirtualClock();
  const limits = new RateLimits({ qps: 1, burst: 1 }, clock);
  await limits.wait(PODS);
  await limits.wait(NODES); // would hang: nobody moves the clock
  const held = limits.wait(PODS, AbortSignal.timeout(1));
  await assert.rejects(held, { name: 'TimeoutError' });
});
