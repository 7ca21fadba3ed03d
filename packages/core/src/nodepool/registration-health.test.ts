import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findCondition } from '@karpenter-ts/kubernetes';
import { refuse } from '@karpenter-ts/cloudprovider/testing';
import { MINUTE } from '@karpenter-ts/runtime';
import { NODE_POOLS, type NodePool } from '@karpenter-ts/apis';
import fc from 'fast-check';
import { type NodeClaimEnvironment, startNodeClaimEnvironment } from '../nodeclaim/testing/nodeclaim-environment.ts';
import { makeNodeClaim, makeNodeClass, makeNodePool, NODE_CLASSES } from '../testing/objects.ts';
import { addResult, healthOf, NO_RESULTS, NodePoolHealth } from '../state/nodepool-health.ts';

const FAILURE = { succeeded: false, reason: 'RegistrationFailed', message: 'Failed to register node' } as const;
const SUCCESS = { succeeded: true } as const;

async function nodeClaimOf(env: NodeClaimEnvironment) {
  return makeNodeClaim('any', { pool: env.pool });
}

/** A NodeClaim that fails to launch until its time is up. */
async function failLaunch(env: NodeClaimEnvironment, name: string): Promise<void> {
  await env.addNodeClaim({}, name);
  await env.clock.advance(6 * MINUTE);
  await assert.rejects(env.pass(name));
}

test('03/41 the second failure of four makes a pool unhealthy, for the reason of its launch', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  env.provider.keepFailing('create', refuse(new Error('out of order')));
  assert.equal((await env.poolHealth())?.status, 'Unknown');
  await failLaunch(env, 'c1');
  assert.equal((await env.poolHealth())?.status, 'Unknown');
  await failLaunch(env, 'c2');
  const health = await env.poolHealth();
  assert.deepEqual([health?.status, health?.reason, health?.message], ['False', 'LaunchFailed', 'out of order']);
});

test('03/41 a Node that never came is a failure of registration', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  await env.poolHealth();
  for (const name of ['c1', 'c2']) {
    await env.addNodeClaim({}, name);
    await env.pass(name);
    await env.clock.advance(16 * MINUTE);
    await env.pass(name);
  }
  const health = await env.poolHealth();
  assert.deepEqual(
    [health?.status, health?.reason, health?.message],
    ['False', 'RegistrationFailed', 'Failed to register node'],
  );
});

test('03/42 one success makes a new pool healthy, but not one with two failures', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  await env.poolHealth();
  env.nodePoolHealth.record(await nodeClaimOf(env), SUCCESS);
  assert.equal((await env.poolHealth())?.status, 'True');
  for (const result of [FAILURE, FAILURE]) env.nodePoolHealth.record(await nodeClaimOf(env), result);
  assert.equal((await env.poolHealth())?.status, 'False');
  env.nodePoolHealth.record(await nodeClaimOf(env), SUCCESS);
  assert.equal((await env.poolHealth())?.status, 'False');
});

test('03/43 results of NodeClaims of a former pool of the same name do not count', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  const former = await nodeClaimOf(env);
  await env.delete(NODE_POOLS, 'default');
  const pool = await env.create(NODE_POOLS, makeNodePool('default'));
  await env.poolHealth();
  for (const result of [FAILURE, FAILURE, SUCCESS]) env.nodePoolHealth.record(former, result);
  assert.equal(env.nodePoolHealth.healthOf(pool), 'Unknown');
  assert.equal((await env.poolHealth())?.status, 'Unknown');
});

test('nothing is remembered of a pool that was deleted while its condition was written', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  const { pool, nodePoolHealth: health } = env;
  health.reset(pool);
  assert.equal(health.size, 1);
  await env.delete(NODE_POOLS, 'default');
  health.reset(pool);
  assert.equal(health.size, 0);
});

test('03/44 after a restart, the condition is where counting begins', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  await env.poolHealth();
  for (const [result, health] of [
    [SUCCESS, 'Healthy'],
    [FAILURE, 'Unhealthy'],
  ] as const) {
    for (let i = 0; i < 4; i++) env.nodePoolHealth.record(await nodeClaimOf(env), result);
    const before = await env.poolHealth();
    const restarted = new NodePoolHealth(env.caches);
    assert.equal(restarted.healthOf(env.caches.nodePools.get('default')!), health);
    assert.deepEqual(await env.poolHealth(), before);
  }
});

test('01/37 a pool stored as unhealthy stays so after one success', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  await env.poolHealth();
  for (const result of [FAILURE, FAILURE]) env.nodePoolHealth.record(await nodeClaimOf(env), result);
  await env.poolHealth();
  const restarted = new NodePoolHealth(env.caches);
  restarted.record(await nodeClaimOf(env), SUCCESS);
  assert.equal(restarted.healthOf(env.caches.nodePools.get('default')!), 'Unhealthy');
});

test('03/45 a changed pool or NodeClass begins anew', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  await env.poolHealth();
  const stored = (): Promise<NodePool> => env.get(NODE_POOLS, 'default');
  const makeHealthy = async (): Promise<void> => {
    env.nodePoolHealth.record(await nodeClaimOf(env), SUCCESS);
    assert.equal((await env.poolHealth())?.status, 'True');
  };
  await makeHealthy();
  await env.change(NODE_POOLS, 'default', { spec: { weight: 7 } });
  assert.equal((await env.poolHealth())?.status, 'Unknown');
  assert.equal(env.nodePoolHealth.healthOf(await stored()), 'Unknown');
  await makeHealthy();
  await env.change(NODE_CLASSES, 'default', { spec: { nodeRegistrationDelay: '1s' } });
  assert.equal((await env.poolHealth())?.status, 'Unknown');
  assert.equal((await stored()).status?.nodeClassObservedGeneration, 2);
});

test('03/45 without a NodeClass there is no condition', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  await env.delete(NODE_CLASSES, 'default');
  assert.equal(await env.poolHealth(), undefined);
  await env.create(NODE_CLASSES, makeNodeClass());
  assert.equal((await env.poolHealth())?.status, 'Unknown');
});

test('03/46 two of each make a pool unhealthy, in whatever order they come', () => {
  fc.assert(
    fc.property(fc.shuffledSubarray([true, true, false, false], { minLength: 4 }), (order) => {
      assert.equal(healthOf(order.reduce(addResult, NO_RESULTS)), 'Unhealthy');
    }),
  );
});

test('03/131 two launch timeouts turn a pool that was healthy or unknown', async (t) => {
  for (const start of ['True', 'Unknown']) {
    const env = await startNodeClaimEnvironment(t);
    await env.poolHealth();
    if (start === 'True') env.nodePoolHealth.record(await nodeClaimOf(env), SUCCESS);
    assert.equal((await env.poolHealth())?.status, start);
    env.provider.keepFailing('create', refuse(new Error('out of order')));
    await failLaunch(env, 'c1');
    await failLaunch(env, 'c2');
    const health = await env.poolHealth();
    assert.deepEqual([health?.status, health?.reason, health?.message], ['False', 'LaunchFailed', 'out of order']);
  }
});

test('03/132 three successes after two failures leave room for one more failure', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  await env.poolHealth();
  for (const result of [FAILURE, FAILURE, SUCCESS, SUCCESS, SUCCESS]) {
    env.nodePoolHealth.record(await nodeClaimOf(env), result);
    await env.poolHealth();
  }
  assert.equal((await env.poolHealth())?.status, 'True');
  env.nodePoolHealth.record(await nodeClaimOf(env), FAILURE);
  assert.equal((await env.poolHealth())?.status, 'True');
});

test('01/36 a fresh pool is unknown, one success makes it healthy, two failures do not', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  assert.equal((await env.poolHealth())?.reason, 'AwaitingReconciliation');
  env.nodePoolHealth.record(await nodeClaimOf(env), SUCCESS);
  assert.equal((await env.poolHealth())?.reason, 'NodeRegistrationHealthy');
  for (const result of [FAILURE, FAILURE]) env.nodePoolHealth.record(await nodeClaimOf(env), result);
  assert.equal((await env.poolHealth())?.status, 'False');
});

test('a hundred Nodes that register at once cost their pool one write', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  await env.run(env.lifecycle, env.registrationHealth);
  const names = Array.from({ length: 100 }, (_, i) => `c${i}`);
  for (const name of names) await env.addNodeClaim({}, name);
  env.writes.length = 0;
  await Promise.all(names.map((name) => env.addNode({}, name)));
  await env.clock.flush();
  const pool = await env.get<NodePool>(NODE_POOLS, 'default');
  assert.equal(findCondition(pool, 'NodeRegistrationHealthy')?.status, 'True');
  assert.equal(env.writes.filter((write) => write.includes('/nodepools/')).length, 1);
  assert.equal(env.nodePoolHealth.healthOf(pool), 'Healthy');
});
