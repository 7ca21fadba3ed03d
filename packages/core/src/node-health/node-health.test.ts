import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { NODEPOOL_LABEL, type NodeClaim, type NodePool, TERMINATION_TIMESTAMP } from '@karpenter-ts/apis';
import { FakeCloudProvider } from '@karpenter-ts/cloudprovider/testing';
import { DONE, MINUTE, SECOND } from '@karpenter-ts/runtime';
import { NODE_CLAIMS, NODE_POOLS } from '@karpenter-ts/apis';
import { type Node, NODES, timestamp } from '@karpenter-ts/kubernetes';
import { NodeClaimDeletions } from '../nodeclaim/deletions.ts';
import { startTestEnvironment } from '../testing/test-environment.ts';
import { nodeHealth } from './node-health.ts';

const POLICIES = [
  { conditionType: 'BadNode', conditionStatus: 'False', toleration: 30 * MINUTE },
  { conditionType: 'Ready', conditionStatus: 'False', toleration: 10 * MINUTE },
] as const;
const CLASS = { group: 'karpenter.kwok.sh', kind: 'KWOKNodeClass', name: 'default' };
const LABELS = { 'karpenter.kwok.sh/kwoknodeclass': 'default', 'karpenter.sh/capacity-type': 'spot' };

/** Nodes n0, n1 … of a pool, or of none; the first `unhealthy` of them have been so for `minutes`. */
async function start(t: TestContext, { nodes = 10, unhealthy = 1, minutes = 31, pool = 'general', spec = {} } = {}) {
  const env = await startTestEnvironment(t, { provider: new FakeCloudProvider({ repairPolicies: POLICIES }) });
  const since = timestamp(env.clock.now() - minutes * MINUTE);
  const labels = pool === '' ? LABELS : { ...LABELS, [NODEPOOL_LABEL]: pool };
  if (pool !== '') {
    const template = { spec: { nodeClassRef: CLASS, requirements: [], expireAfter: 'Never' } };
    await env.create<NodePool>(NODE_POOLS, { metadata: { name: pool }, spec: { template } } as unknown as NodePool);
  }
  for (let i = 0; i < nodes; i++) {
    await env.create<NodeClaim>(NODE_CLAIMS, {
      metadata: { name: `c${i}`, labels, finalizers: ['karpenter.sh/termination'] },
      spec: { nodeClassRef: CLASS, requirements: [], ...spec },
      status: { providerID: `fake:///${i}`, imageID: 'image-1' },
    } as unknown as NodeClaim);
    const status = i < unhealthy ? 'False' : 'True';
    await env.create<Node>(NODES, {
      metadata: { name: `n${i}`, labels },
      spec: { providerID: `fake:///${i}` },
      status: { conditions: [{ type: 'BadNode', status, lastTransitionTime: since }] },
    });
  }
  const controller = nodeHealth(env, new NodeClaimDeletions(env));
  const page = async () => {
    let text = '';
    for await (const slice of env.metrics.render('text')) text += slice;
    return text;
  };
  return {
    env,
    page,
    pass: (name = 'n0') => env.reconcile(controller, name),
    nodeClaim: (name = 'c0') => env.get<NodeClaim>(NODE_CLAIMS, name),
    blocked: () => env.published.filter(({ reason }) => reason === 'NodeRepairBlocked'),
  };
}

test('03/92 03/145 03/146 05/61 a node that has been unhealthy for too long is deleted at once, whatever its grace period', async (t) => {
  const { env, pass, nodeClaim, page } = await start(t, { spec: { terminationGracePeriod: '1h' } });
  assert.equal(await pass(), DONE);
  const { metadata } = await nodeClaim();
  assert.equal(metadata.annotations?.[TERMINATION_TIMESTAMP], timestamp(env.clock.now()));
  assert.ok(metadata.deletionTimestamp);
  await pass();
  assert.match(
    await page(),
    /karpenter_nodeclaims_unhealthy_disrupted_total\{capacity_type="spot",condition="bad_node",image_id="image-1",nodepool="general"\} 1\n/,
  );
  assert.match(await page(), /karpenter_nodeclaims_disrupted_total\{.*reason="unhealthy"\} 1\n/);
});

test('03/92 until then it is looked at again just in time; another condition or state means nothing', async (t) => {
  const { env, pass, nodeClaim } = await start(t, { minutes: 20 });
  assert.deepEqual(await pass(), { requeueAfter: 10 * MINUTE });
  assert.equal((await nodeClaim()).metadata.deletionTimestamp, undefined);
  const lastTransitionTime = timestamp(env.clock.now() - 60 * MINUTE);
  for (const [type, status] of [
    ['Other', 'False'],
    ['BadNode', 'Unknown'],
  ]) {
    await env.change(NODES, 'n0', { status: { conditions: [{ type, status, lastTransitionTime }] } });
    assert.equal(await pass(), DONE);
  }
});

test('03/93 of several the one that is due first decides', async (t) => {
  const { env, pass } = await start(t);
  const since = (minutes: number) => timestamp(env.clock.now() - minutes * MINUTE);
  const conditions = [
    { type: 'BadNode', status: 'False', lastTransitionTime: since(25) },
    { type: 'Ready', status: 'False', lastTransitionTime: since(7) },
  ];
  await env.change(NODES, 'n0', { status: { conditions } });
  assert.deepEqual(await pass(), { requeueAfter: 3 * MINUTE });
});

test('03/94 a deadline ahead gives way to now, one in the past stays', async (t) => {
  const { env, pass, nodeClaim } = await start(t, { nodes: 20, unhealthy: 2 });
  const annotate = (name: string, at: number) =>
    env.change(NODE_CLAIMS, name, { metadata: { annotations: { [TERMINATION_TIMESTAMP]: timestamp(at) } } });
  await annotate('c0', env.clock.now() + 60 * MINUTE);
  await annotate('c1', env.clock.now() - 60 * MINUTE);
  await pass('n0');
  await pass('n1');
  assert.equal((await nodeClaim('c0')).metadata.annotations?.[TERMINATION_TIMESTAMP], timestamp(env.clock.now()));
  const past = timestamp(env.clock.now() - 60 * MINUTE);
  assert.equal((await nodeClaim('c1')).metadata.annotations?.[TERMINATION_TIMESTAMP], past);
});

test('03/95 do-not-disrupt does not keep an unhealthy node', async (t) => {
  const { env, pass, nodeClaim } = await start(t);
  await env.change(NODES, 'n0', { metadata: { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } } });
  await pass();
  assert.ok((await nodeClaim()).metadata.deletionTimestamp);
});

test('03/96 03/147 05/67 with more than a fifth unhealthy, rounded up, no node is repaired; users are told', async (t) => {
  const many = await start(t, { nodes: 10, unhealthy: 3 });
  assert.deepEqual(await many.pass('n0'), { requeueAfter: 5 * MINUTE });
  assert.equal(many.blocked().length, 3);
  assert.deepEqual(
    new Set(many.blocked().map(({ message }) => message)),
    new Set(['more than 20% nodes are unhealthy in the nodepool']),
  );
  await many.pass('n1');
  assert.equal(many.blocked().length, 5, 'the pool was told already');

  const few = await start(t, { nodes: 3, unhealthy: 1 });
  await few.pass();
  assert.ok((await few.nodeClaim()).metadata.deletionTimestamp);

  const alone = await start(t, { nodes: 10, unhealthy: 3, pool: '' });
  assert.deepEqual(await alone.pass(), { requeueAfter: 5 * MINUTE });
  assert.deepEqual(
    alone.blocked().map(({ message }) => message),
    Array(2).fill('more then 20% nodes are unhealthy in the cluster'),
  );
});

test('03/148 the NodeClaim of an unhealthy node that is deleting already gets the termination time now, and is not counted', async (t) => {
  const { env, pass, nodeClaim, page } = await start(t);
  await env.delete(NODE_CLAIMS, 'c0');
  await pass();
  assert.ok((await nodeClaim()).metadata.annotations?.[TERMINATION_TIMESTAMP]);
  assert.doesNotMatch(await page(), /unhealthy_disrupted_total\{/);
});

test('a heartbeat wakes nobody, a condition that changes does', async (t) => {
  const { env } = await start(t, { unhealthy: 0 });
  const seen: string[] = [];
  const controller = nodeHealth(env, new NodeClaimDeletions(env));
  await env.run({ ...controller, reconcile: async (name) => (seen.push(name), DONE) });
  seen.length = 0;
  const [condition] = (await env.get<Node>(NODES, 'n0')).status?.conditions ?? [];
  const beat = { ...condition, lastHeartbeatTime: timestamp(env.clock.now() + 10 * SECOND) };
  await env.change(NODES, 'n0', { status: { conditions: [beat] } });
  await env.clock.advance(1 * SECOND);
  assert.deepEqual(seen, []);
  await env.change(NODES, 'n0', { status: { conditions: [{ ...beat, status: 'False' }] } });
  await env.clock.advance(1 * SECOND);
  assert.deepEqual(seen, ['n0']);
});

test('whether too many Nodes are unhealthy is known without looking at all of them', async (t) => {
  for (const pool of ['general', '']) {
    const { env, pass, blocked } = await start(t, { unhealthy: 5, pool });
    Object.assign(env.caches.nodes, { list: () => assert.fail('all Nodes were looked at') });
    for (const name of ['n0', 'n1', 'n2']) assert.deepEqual(await pass(name), { requeueAfter: 5 * MINUTE });
    assert.ok(blocked().length > 0);
  }
});
