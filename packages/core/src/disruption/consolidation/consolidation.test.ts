import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { NODE_POOLS, ZONE_LABEL } from '@karpenter-ts/apis';
import { MINUTE, SECOND } from '@karpenter-ts/runtime';
import { fakeType, makeOffering } from '@karpenter-ts/scheduling/testing';
import type { OperatorOptions } from '../../options/operator-options.ts';
import { startDisruptionEnvironment } from '../testing/disruption-environment.ts';

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

test('04/181 a replacement by a node of the same type is dropped without an event, and one of the nodes is deleted', async (t) => {
  const offerings = [makeOffering('test-zone-1', 'on-demand', 1)];
  const only = fakeType('only', { resources: { cpu: '2', pods: '10' }, offerings });
  const env = await startDisruptionEnvironment(t, { instanceTypes: [only] });
  await env.addPool();
  for (const name of ['a', 'b']) {
    await env.addNode(name, { type: 'only' });
    await env.addPod(`on-${name}`, name, { requests: { cpu: '500m' } });
  }
  await env.pass();
  assert.deepEqual(await env.kept(), ['b']);
  const [chosen, ...more] = [...env.eventsOn('a'), ...env.eventsOn('b')].filter((text) =>
    text.startsWith('ConsolidationCandidate: '),
  );
  assert.deepEqual(
    [chosen, more],
    ['ConsolidationCandidate: Consolidation candidate: delete: [node-of-a] (savings: $1.00)', []],
  );
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

/** Two pairs of nodes, each in a zone of its own, that hold one pod each and would do with one node each. */
async function startPairs(t: TestContext, options: Partial<OperatorOptions>) {
  const env = await startDisruptionEnvironment(t, { options });
  await env.addPool('default', { annotations: { 'karpenter-ts.dev/consolidation-methods': 'empty, single-delete' } });
  for (const zone of ['test-zone-1', 'test-zone-2']) {
    for (const name of [`a-${zone}`, `b-${zone}`]) {
      await env.addNode(name, { labels: { [ZONE_LABEL]: zone } });
      await env.addPod(`on-${name}`, name, { requests: { cpu: '1500m' }, nodeSelector: { [ZONE_LABEL]: zone } });
    }
  }
  return env;
}

test('a walk whose decisions never hold gives the other methods their turn after a minute of waits', async (t) => {
  const env = await startDisruptionEnvironment(t, { options: { singleNodeConsolidationTimeout: 0 } });
  await env.addPool('default', { annotations: { 'karpenter-ts.dev/consolidation-methods': 'empty, single-delete' } });
  const names = Array.from({ length: 8 }, (_, i) => `n${i}`);
  for (const name of names) {
    await env.addNode(name);
    await env.addPod(`on-${name}`, name, { requests: { cpu: '1' } });
  }
  for (let i = 0; i < 10; i++) {
    env.clock.after((5 + 15 * i) * SECOND, () => env.cluster.nominate(...names.map((name) => `fake:///${name}`)));
  }
  const started = env.clock.now();
  assert.deepEqual(await env.pass(), { requeueAfter: 10 * SECOND });
  assert.deepEqual([env.clock.now() - started, (await env.kept()).length], [1 * MINUTE, 8]);
});

test('a pass consolidates one node', async (t) => {
  const env = await startPairs(t, {});
  await env.pass();
  assert.equal((await env.kept()).length, 3);
});

test('a pass consolidates one node whatever the flag says, while its extension is off', async (t) => {
  const env = await startPairs(t, { consolidationCommandsPerPass: 20, extensions: new Set(['B3']) });
  await env.pass();
  assert.equal((await env.kept()).length, 3);
});

test('09/14 several nodes are consolidated in one pass and one wait if their pods go to different nodes', async (t) => {
  const env = await startPairs(t, { consolidationCommandsPerPass: 20 });
  const started = env.clock.now();
  assert.deepEqual(await env.pass(), { requeueAfter: 0 });
  const zones = (await env.kept()).map((name) => name.slice(2));
  assert.deepEqual([zones.sort(), env.clock.now() - started], [['test-zone-1', 'test-zone-2'], 15 * SECOND]);
  assert.equal(env.lines('info').filter((message) => message === 'disrupting node(s)').length, 2);
});

test('a command that cannot start keeps none of the others of its pass from starting', async (t) => {
  for (const zone of ['test-zone-1', 'test-zone-2']) {
    const env = await startPairs(t, { consolidationCommandsPerPass: 20 });
    const path = new RegExp(`nodes/node-of-[ab]-${zone}$`);
    env.refusals.add({ method: 'PATCH', path, code: 500, times: 4 });
    await assert.rejects(env.pass(), /disrupting candidates, marking disrupted, tainting nodes, /);
    const left = (await env.kept()).filter((name) => name.endsWith(zone));
    assert.deepEqual([left.length, (await env.kept()).length], [2, 3]);
  }
});

test('several nodes consolidated in one pass stay within the budget', async (t) => {
  const env = await startPairs(t, { consolidationCommandsPerPass: 20 });
  await env.change(NODE_POOLS, 'default', { spec: { disruption: { budgets: [{ nodes: '1' }] } } });
  await env.pass();
  assert.equal((await env.kept()).length, 3);
});

test('09/14 nodes whose pods would share a destination are not consolidated in one pass', async (t) => {
  const env = await startDisruptionEnvironment(t, { options: { consolidationCommandsPerPass: 20 } });
  await env.addPool('default', { annotations: { 'karpenter-ts.dev/consolidation-methods': 'empty, single-delete' } });
  for (const name of ['a', 'b', 'c']) {
    await env.addNode(name);
    await env.addPod(`on-${name}`, name, { requests: { cpu: '1' } });
  }
  await env.pass();
  assert.equal((await env.kept()).length, 2);
});
