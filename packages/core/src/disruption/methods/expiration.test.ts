import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EXPIRED_AT, NODE_CLAIMS, NODE_POOLS } from '@karpenter-ts/apis';
import { NODES } from '@karpenter-ts/kubernetes';
import { SECOND } from '@karpenter-ts/runtime';
import {
  type DisruptionEnvironment,
  NO_BUDGETS,
  startDisruptionEnvironment,
} from '../testing/disruption-environment.ts';

const GRACEFUL = { 'karpenter-ts.dev/expiration-policy': 'Graceful' };

/** A node with a pod that nearly fills it, marked as expired. */
async function addExpired(env: DisruptionEnvironment, name: string, at = '2026-01-01T00:00:00Z'): Promise<void> {
  await env.addNode(name, { conditions: [] });
  await env.change(NODE_CLAIMS, name, { metadata: { annotations: { [EXPIRED_AT]: at } } });
  await env.addPod(`pod-of-${name}`, name, { requests: { cpu: '3' } });
}

test('09/34 of two expired nodes one is replaced after the other, each only once its replacement is ready', async (t) => {
  const env = await startDisruptionEnvironment(t);
  await env.addPool('default', { annotations: GRACEFUL, disruption: { ...NO_BUDGETS, budgets: [{ nodes: '1' }] } });
  await addExpired(env, 'a', '2026-01-02T00:00:00Z');
  await addExpired(env, 'b', '2026-01-01T00:00:00Z');
  assert.deepEqual(await env.pass(), { requeueAfter: 0 });
  assert.equal(await env.reasonOf('b'), 'True/Expired/Expired');
  assert.equal(await env.reasonOf('a'), undefined);
  const bought = (await env.kept()).filter((name) => name !== 'a' && name !== 'b');
  assert.equal(bought.length, 1);
  await env.clock.advance(30 * SECOND);
  assert.ok((await env.kept()).includes('b'));
  await env.initialize();
  await env.clock.advance(5 * SECOND);
  assert.deepEqual((await env.kept()).includes('b'), false);
  assert.equal(await env.reasonOf('a'), undefined);
  assert.match(await env.page(), /decisions_total\{.*reason="expired".*\} 1/);
  await env.delete(NODES, 'node-of-b');
  await env.addPod('moved', bought[0]!, { requests: { cpu: '3' } });
  await env.pass();
  await env.clock.flush();
  const left = await env.kept();
  assert.ok(!left.includes('a') || (await env.reasonOf('a')) === 'True/Expired/Expired');
});

test('an expired node is replaced before a drifted one, and not while its window is closed', async (t) => {
  const env = await startDisruptionEnvironment(t);
  const closed = '[{"from":"2000-01-01T00:00","to":"2000-01-02T00:00","reasons":["Expired"]}]';
  await env.addPool('default', { annotations: { ...GRACEFUL, 'karpenter-ts.dev/disruption-windows': closed } });
  await addExpired(env, 'a');
  await env.pass();
  assert.equal(await env.reasonOf('a'), undefined);
  const open = await startDisruptionEnvironment(t);
  await open.addPool('default', { annotations: GRACEFUL });
  await open.addNode('d', { conditions: ['Drifted'] });
  await open.addPod('p', 'd', { requests: { cpu: '3' } });
  await addExpired(open, 'e');
  await open.pass();
  assert.deepEqual([await open.reasonOf('d'), await open.reasonOf('e')], [undefined, 'True/Expired/Expired']);
});

test('a do-not-disrupt pod keeps an expired node, and a pool with the policy Forceful has no candidates', async (t) => {
  const env = await startDisruptionEnvironment(t);
  await env.addPool('default', { annotations: GRACEFUL });
  await addExpired(env, 'a');
  await env.addPod('precious', 'a', { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } });
  assert.deepEqual(await env.pass(), { requeueAfter: 10 * SECOND });
  const forceful = await startDisruptionEnvironment(t);
  await forceful.addPool();
  await addExpired(forceful, 'a');
  assert.deepEqual(await forceful.pass(), { requeueAfter: 10 * SECOND });
  assert.doesNotMatch(await forceful.page(), /reason="expired"/);
});

test('09/70 nothing is shown as blocked or eligible for expiration once no pool asks for it', async (t) => {
  const env = await startDisruptionEnvironment(t);
  const closed = '[{"from":"2000-01-01T00:00","to":"2000-01-02T00:00","reasons":["Expired"]}]';
  await env.addPool('default', { annotations: { ...GRACEFUL, 'karpenter-ts.dev/disruption-windows': closed } });
  await addExpired(env, 'a');
  const eligible = () => env.metric('karpenter_voluntary_disruption_eligible_nodes{reason="expired"}');
  const blocked = () => env.metric('karpenter_ext_nodes_blocked{blocker="window",nodepool="default",reason="expired"}');
  await env.pass();
  assert.deepEqual([await eligible(), await blocked()], [1, 1]);
  const annotations = { 'karpenter-ts.dev/expiration-policy': null };
  await env.change(NODE_POOLS, 'default', { metadata: { annotations } });
  await env.pass();
  assert.deepEqual([await eligible(), await blocked()], [undefined, undefined]);
});
