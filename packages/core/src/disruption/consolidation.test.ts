import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINUTE, SECOND } from '@karpenter-ts/runtime';
import { startDisruptionEnvironment } from './testing/disruption-environment.ts';

test('a node whose pods fit elsewhere is deleted after 15 s, the one with fewer pods', async (t) => {
  const env = await startDisruptionEnvironment(t);
  await env.addPool();
  for (const name of ['a', 'b']) await env.addNode(name);
  for (const [pod, node] of [
    ['p1', 'a'],
    ['p2', 'a'],
    ['p3', 'b'],
  ] as const) {
    await env.addPod(pod, node, { requests: { cpu: '1' } });
  }
  const started = env.clock.now();
  assert.deepEqual(await env.pass(), { requeueAfter: 0 });
  assert.deepEqual([await env.kept(), env.clock.now() - started], [['a'], 15 * SECOND]);
  assert.deepEqual(env.eventsOn('b'), [
    'ConsolidationCandidate: Consolidation candidate: delete: [node-of-b] (savings: $1.26)',
    'DisruptionTerminating: Disrupting NodeClaim: Underutilized',
  ]);
});

test('an oversized node is replaced by a cheaper one, which is ready before it goes', async (t) => {
  const env = await startDisruptionEnvironment(t);
  await env.addPool();
  await env.addNode('a', { type: 'fake-it-9' });
  await env.addPod('p', 'a', { requests: { cpu: '1' } });
  await env.pass();
  const [replacement, ...others] = (await env.kept()).filter((name) => name !== 'a');
  assert.deepEqual([others, (await env.kept()).includes('a')], [[], true]);
  assert.deepEqual(await env.taintsOf('a'), ['karpenter.sh/disrupted:NoSchedule']);
  await env.initialize();
  await env.clock.advance(2 * SECOND);
  assert.deepEqual(await env.kept(), [replacement]);
});

test('04/150 a cluster in which nothing can be saved is looked at again after 5 minutes, or when something changes', async (t) => {
  const env = await startDisruptionEnvironment(t, { options: { extensions: new Set() } });
  await env.addPool();
  await env.addNode('a', { type: 'fake-it-0' });
  await env.addPod('p', 'a', { requests: { cpu: '500m' } });
  const runs = 'karpenter_scheduler_scheduling_duration_seconds_count{controller="disruption"}';
  const simulations = async (): Promise<number> => (await env.metric(runs)) ?? 0;
  await env.pass();
  const first = await simulations();
  await env.pass();
  assert.deepEqual([first > 0, await simulations()], [true, first]);
  await env.clock.advance(5 * MINUTE);
  await env.pass();
  const later = await simulations();
  assert.ok(later > first);
  await env.addPod('q', 'a');
  await env.pass();
  assert.ok((await simulations()) > later);
});
