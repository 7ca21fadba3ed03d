import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NODE_POOLS } from '@karpenter-ts/apis';
import { PODS } from '@karpenter-ts/kubernetes';
import { HOUR, SECOND } from '@karpenter-ts/runtime';
import { ownedBy } from '../../testing/cluster-objects.ts';
import {
  type DisruptionEnvironment,
  NO_BUDGETS,
  startDisruptionEnvironment,
} from '../testing/disruption-environment.ts';

const FAILED = 'karpenter_voluntary_disruption_failed_validations_total{consolidation_type="empty"}';

/** Runs a pass, and `meanwhile` when a part of its wait is over. */
async function passAnd(env: DisruptionEnvironment, meanwhile: () => Promise<void>): Promise<void> {
  env.clock.after(5 * SECOND, () => void meanwhile());
  await env.pass();
}

test('04/51 an empty node is deleted after 15 s, not before', async (t) => {
  const env = await startDisruptionEnvironment(t);
  await env.addPool();
  await env.addNode('a');
  let before: readonly string[] = [];
  env.clock.after(14.9 * SECOND, () => void env.kept().then((kept) => (before = kept)));
  const started = env.clock.now();
  assert.deepEqual(await env.pass(), { requeueAfter: 0 });
  assert.deepEqual([before, await env.kept(), env.clock.now() - started], [['a'], [], 15 * SECOND]);
});

test('04/52 a node without Consolidatable is left alone', async (t) => {
  const env = await startDisruptionEnvironment(t);
  await env.addPool();
  await env.addNode('a', { conditions: [] });
  assert.deepEqual(await env.pass(), { requeueAfter: 10 * SECOND });
  assert.deepEqual(await env.kept(), ['a']);
});

test('04/53 consolidateAfter Never keeps empty nodes and says so; every policy deletes them', async (t) => {
  const env = await startDisruptionEnvironment(t);
  await env.addPool('never', { disruption: { ...NO_BUDGETS, consolidateAfter: 'Never' } });
  await env.addNode('n', { pool: 'never' });
  for (const consolidationPolicy of ['WhenEmpty', 'WhenEmptyOrUnderutilized', 'Balanced'] as const) {
    const name = consolidationPolicy.toLowerCase();
    await env.addPool(name, { disruption: { ...NO_BUDGETS, consolidationPolicy } });
    await env.addNode(`of-${name}`, { pool: name });
  }
  await env.pass();
  assert.deepEqual(await env.kept(), ['n']);
  assert.deepEqual(env.eventsOn('n'), ['Unconsolidatable: NodePool "never" has consolidation disabled']);
});

test('04/54 daemon pods and terminating pods of ReplicaSets do not keep a node, those of StatefulSets do', async (t) => {
  const env = await startDisruptionEnvironment(t);
  await env.addPool();
  for (const name of ['a', 'b', 'c']) await env.addNode(name);
  await env.addPod('daemon', 'a', { ownerReferences: ownedBy('DaemonSet') });
  for (const [name, node, kind] of [
    ['replica', 'b', 'ReplicaSet'],
    ['stateful', 'c', 'StatefulSet'],
  ] as const) {
    await env.addPod(name, node, { ownerReferences: ownedBy(kind), terminationGracePeriodSeconds: 3600 });
    await env.delete(PODS, `default/${name}`);
  }
  await env.pass();
  assert.deepEqual(await env.kept(), ['c']);
});

test('04/55 a node that a pod is bound to during the wait stays, the others go', async (t) => {
  const env = await startDisruptionEnvironment(t);
  await env.addPool();
  for (const name of ['a', 'b']) await env.addNode(name);
  await passAnd(env, async () => void (await env.addPod('p', 'a')));
  assert.deepEqual(await env.kept(), ['a']);
  assert.equal(await env.metric(FAILED), undefined);
});

test('04/56 nothing happens if all nodes are nominated during the wait, and each is counted', async (t) => {
  const env = await startDisruptionEnvironment(t);
  await env.addPool();
  for (const name of ['a', 'b']) await env.addNode(name);
  await passAnd(env, async () => env.cluster.nominate('fake:///a', 'fake:///b'));
  assert.deepEqual(await env.kept(), ['a', 'b']);
  assert.equal(await env.metric(FAILED), 2);
  const abandoned = 'abandoning empty node consolidation attempt due to pod churn, command is no longer valid';
  const line = env.logger.lines.find(({ message }) => message === abandoned);
  assert.deepEqual(
    [line?.level, line?.fields['decision'], line?.fields['disrupted-node-count']],
    ['debug', 'delete', 2],
  );
});

test('04/56 nothing happens if the budget closes during the wait, and each node is counted', async (t) => {
  const env = await startDisruptionEnvironment(t);
  await env.addPool();
  for (const name of ['a', 'b', 'c']) await env.addNode(name);
  await passAnd(env, async () => {
    await env.change(NODE_POOLS, 'default', { spec: { disruption: { budgets: [{ nodes: '0' }] } } });
  });
  assert.deepEqual(await env.kept(), ['a', 'b', 'c']);
  assert.equal(await env.metric(FAILED), 3);
});

test('04/48 a budget of 3 lets 3 of 10 empty nodes go, 0 % none, and the rest is looked at again', async (t) => {
  const env = await startDisruptionEnvironment(t);
  await env.addPool('default', { disruption: { ...NO_BUDGETS, budgets: [{ nodes: '3' }] } });
  for (let i = 0; i < 10; i++) await env.addNode(`n${i}`);
  await env.pass();
  assert.equal((await env.kept()).length, 7);
  await env.change(NODE_POOLS, 'default', { spec: { disruption: { budgets: [{ nodes: '0%' }] } } });
  assert.deepEqual(await env.pass(), { requeueAfter: 10 * SECOND });
  assert.equal((await env.kept()).length, 7);
});

test('04/173 a Balanced pool whose budget is 0 % keeps all its nodes, and is looked at again when that opens', async (t) => {
  const env = await startDisruptionEnvironment(t);
  // It is closed but for the hour that begins in an hour. Nothing in the cluster tells when that is.
  const closes = new Date(env.clock.now() + 2 * HOUR);
  const schedule = `${closes.getUTCMinutes()} ${closes.getUTCHours()} * * *`;
  const closed = { nodes: '0%', schedule, duration: '23h' };
  await env.addPool('default', { disruption: { ...NO_BUDGETS, consolidationPolicy: 'Balanced', budgets: [closed] } });
  await env.addNode('empty');
  assert.deepEqual(await env.pass(), { requeueAfter: 10 * SECOND });
  assert.deepEqual(await env.kept(), ['empty']);
  await env.clock.advance(1 * HOUR);
  await env.pass();
  assert.deepEqual(await env.kept(), []);
});

test('09/120 an annotation that is edited during a pass counts from the next pass on', async (t) => {
  const env = await startDisruptionEnvironment(t);
  await env.addPool();
  await env.addNode('a');
  const annotations = { 'karpenter-ts.dev/consolidation-methods': 'single-delete' };
  await passAnd(env, async () => {
    await env.change(NODE_POOLS, 'default', { metadata: { annotations } });
  });
  assert.deepEqual(await env.kept(), []);
  await env.addNode('b');
  await env.pass();
  assert.deepEqual(await env.kept(), ['b']);
});
