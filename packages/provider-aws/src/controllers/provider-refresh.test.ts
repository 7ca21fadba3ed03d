import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR, MINUTE, nullLogger, type Result, VirtualClock } from '@karpenter-ts/runtime';
import { NEVER } from '@karpenter-ts/runtime/testing';
import { instanceTypeDiscovery } from './instance-type-discovery.ts';
import { priceRefresh } from './price-refresh.ts';

const LIMIT = new Error('api error RequestLimitExceeded: slow down');

function pricing() {
  const clock = new VirtualClock();
  const calls: string[] = [];
  const failing = new Set<string>();
  const refresh = (kind: string) => async () => {
    calls.push(kind);
    if (failing.has(kind)) throw LIMIT;
  };
  const prices = { refreshSpot: refresh('spot'), refreshOnDemand: refresh('on-demand') };
  const controller = priceRefresh({ prices, clock, random: () => 0.5 });
  return { clock, calls, failing, reconcile: () => controller.reconcile('', NEVER, nullLogger) };
}

test('types and zones are asked for together, twice a day', async () => {
  const calls: string[] = [];
  const controller = instanceTypeDiscovery({
    refreshTypes: async () => void calls.push('types'),
    refreshOfferings: async () => void calls.push('offerings'),
  });
  assert.equal(controller.name, 'providers.instancetype');
  assert.deepEqual(await controller.reconcile('', NEVER, nullLogger), { requeueAfter: 12 * HOUR });
  assert.deepEqual(calls, ['types', 'offerings']);
});

test('if types cannot be had, zones are refreshed all the same, and the failure is retried', async () => {
  let hasAsked = false;
  const controller = instanceTypeDiscovery({
    refreshTypes: () => Promise.reject(LIMIT),
    refreshOfferings: async () => void (hasAsked = true),
  });
  await assert.rejects(controller.reconcile('', NEVER, nullLogger), { message: 'updating instancetype', cause: LIMIT });
  assert.equal(hasAsked, true);
});

test('on-demand prices are refreshed twice a day, and spot prices every hour', async () => {
  const { clock, calls, reconcile } = pricing();
  for (let hour = 0; hour < 13; hour++) {
    const result: Result = await reconcile();
    assert.deepEqual(result, { requeueAfter: 1 * HOUR });
    await clock.advance(1 * HOUR);
  }
  assert.equal(calls.filter((kind) => kind === 'spot').length, 13);
  assert.equal(calls.filter((kind) => kind === 'on-demand').length, 2);
});

test('07/51 prices that cannot be had are an error, and are asked for again without the others', async () => {
  const { clock, calls, failing, reconcile } = pricing();
  failing.add('on-demand');
  await assert.rejects(reconcile(), { message: 'updating pricing', cause: LIMIT });
  failing.clear();
  await clock.advance(1 * MINUTE);
  assert.deepEqual(await reconcile(), { requeueAfter: 59 * MINUTE });
  assert.deepEqual(calls, ['spot', 'on-demand', 'on-demand']);
});
