import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NODE_CLAIMS } from '@karpenter-ts/apis';
import { MINUTE } from '@karpenter-ts/runtime';
import { startDisruptionEnvironment } from '../testing/disruption-environment.ts';

test('09/12 the age of the oldest look at a candidate is shown by pool, and goes with the candidates', async (t) => {
  const env = await startDisruptionEnvironment(t);
  await env.addPool();
  await env.addNode('a', { type: 'fake-it-0' });
  await env.addPod('p', 'a', { requests: { cpu: '900m' } });
  const age = () => env.metric('karpenter_ext_consolidation_scan_age_seconds{nodepool="default"}');
  await env.pass();
  assert.equal(await age(), 0);
  await env.clock.advance(2 * MINUTE);
  await env.pass(); // nothing has changed, so nothing is looked at
  assert.equal(await age(), 120);
  await env.clock.advance(3 * MINUTE);
  await env.pass();
  await env.pass();
  assert.equal(await age(), 0);
  await env.delete(NODE_CLAIMS, 'a');
  await env.pass();
  assert.equal(await age(), undefined);
});
