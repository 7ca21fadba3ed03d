import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { MINUTE } from '@karpenter-ts/runtime';
import { type DisruptionEnvironment, startDisruptionEnvironment } from '../testing/disruption-environment.ts';

/** A drifted node whose replacement boots while the window closes. */
async function start(t: TestContext, hard: boolean): Promise<DisruptionEnvironment> {
  const env = await startDisruptionEnvironment(t);
  const time = (at: number) => new Date(at).toISOString().slice(0, 16);
  const [from, to] = [env.clock.now() - 60 * MINUTE, env.clock.now() + 5 * MINUTE];
  const windows = JSON.stringify([{ from: time(from), to: time(to), hard }]);
  await env.addPool('default', { annotations: { 'karpenter-ts.dev/disruption-windows': windows } });
  await env.addNode('a', { conditions: ['Drifted'] });
  await env.addPod('p', 'a', { requests: { cpu: '3' } });
  await env.pass();
  assert.equal(await env.reasonOf('a'), 'True/Drifted/Drifted');
  return env;
}

test('09/33 a command is given up when a hard window closes while its replacement boots', async (t) => {
  const env = await start(t, true);
  await env.clock.advance(6 * MINUTE);
  assert.equal(await env.reasonOf('a'), undefined);
  assert.deepEqual(await env.taintsOf('a'), []);
  await env.initialize();
  await env.clock.advance(1 * MINUTE);
  assert.ok((await env.kept()).includes('a'));
});

test('09/33 without hard it completes', async (t) => {
  const env = await start(t, false);
  await env.clock.advance(6 * MINUTE);
  assert.equal(await env.reasonOf('a'), 'True/Drifted/Drifted');
  await env.initialize();
  await env.clock.advance(1 * MINUTE);
  assert.equal((await env.kept()).includes('a'), false);
});

test('a gauge tells whether windows permit disruption, for the reasons that they name', async (t) => {
  const env = await start(t, false);
  assert.equal(await env.metric('karpenter_ext_window_open{nodepool="default",reason="Drifted"}'), 1);
  assert.doesNotMatch(await env.page(), /window_open\{.*Expired/);
  await env.initialize();
  await env.clock.advance(6 * MINUTE);
  await env.pass();
  assert.equal(await env.metric('karpenter_ext_window_open{nodepool="default",reason="Drifted"}'), 0);
});
