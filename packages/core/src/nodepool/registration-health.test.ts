import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findCondition } from '@karpenter-ts/kubernetes';
import { refuse } from '@karpenter-ts/cloudprovider/testing';
import { MINUTE } from '@karpenter-ts/runtime';
import { NODE_POOLS, type NodePool } from '@karpenter-ts/apis';
import fc from 'fast-check';
import { type ClaimWorld, startClaimWorld } from '../nodeclaim/testing/claim-world.ts';
import { makeNodeClaim, makeNodeClass, makeNodePool, NODE_CLASSES } from '../testing/objects.ts';
import { addResult, healthOf, NO_RESULTS, RegistrationHealth } from '../state/nodepool-health.ts';

const FAILURE = { succeeded: false, reason: 'RegistrationFailed', message: 'Failed to register node' } as const;
const SUCCESS = { succeeded: true } as const;

async function claimOf(world: ClaimWorld) {
  return makeNodeClaim('any', { pool: world.pool });
}

/** A claim that fails to launch until its time is up. */
async function failLaunch(world: ClaimWorld, name: string): Promise<void> {
  await world.addClaim({}, name);
  await world.rig.clock.advance(6 * MINUTE);
  await assert.rejects(world.pass(name));
}

test('03/41 the second failure of four makes a pool unhealthy, for the reason of its launch', async (t) => {
  const world = await startClaimWorld(t);
  world.rig.provider.keepFailing('create', refuse(new Error('out of order')));
  assert.equal((await world.poolHealth())?.status, 'Unknown');
  await failLaunch(world, 'c1');
  assert.equal((await world.poolHealth())?.status, 'Unknown');
  await failLaunch(world, 'c2');
  const health = await world.poolHealth();
  assert.deepEqual([health?.status, health?.reason, health?.message], ['False', 'LaunchFailed', 'out of order']);
});

test('03/41 a Node that never came is a failure of registration', async (t) => {
  const world = await startClaimWorld(t);
  await world.poolHealth();
  for (const name of ['c1', 'c2']) {
    await world.addClaim({}, name);
    await world.pass(name);
    await world.rig.clock.advance(16 * MINUTE);
    await world.pass(name);
  }
  const health = await world.poolHealth();
  assert.deepEqual(
    [health?.status, health?.reason, health?.message],
    ['False', 'RegistrationFailed', 'Failed to register node'],
  );
});

test('03/42 one success makes a new pool healthy, but not one with two failures', async (t) => {
  const world = await startClaimWorld(t);
  await world.poolHealth();
  world.health.record(await claimOf(world), SUCCESS);
  assert.equal((await world.poolHealth())?.status, 'True');
  for (const result of [FAILURE, FAILURE]) world.health.record(await claimOf(world), result);
  assert.equal((await world.poolHealth())?.status, 'False');
  world.health.record(await claimOf(world), SUCCESS);
  assert.equal((await world.poolHealth())?.status, 'False');
});

test('03/43 results of claims of a former pool of the same name do not count', async (t) => {
  const world = await startClaimWorld(t);
  const former = await claimOf(world);
  await world.rig.delete(NODE_POOLS, 'default');
  const pool = await world.rig.create(NODE_POOLS, makeNodePool('default'));
  await world.poolHealth();
  for (const result of [FAILURE, FAILURE, SUCCESS]) world.health.record(former, result);
  assert.equal(world.health.healthOf(pool), 'Unknown');
  assert.equal((await world.poolHealth())?.status, 'Unknown');
});

test('nothing is remembered of a pool that was deleted while its condition was written', async (t) => {
  const world = await startClaimWorld(t);
  const { pool, health } = world;
  health.reset(pool);
  assert.equal(health.size, 1);
  await world.rig.delete(NODE_POOLS, 'default');
  health.reset(pool);
  assert.equal(health.size, 0);
});

test('03/44 after a restart, the condition is where counting begins', async (t) => {
  const world = await startClaimWorld(t);
  await world.poolHealth();
  for (const [result, health] of [
    [SUCCESS, 'Healthy'],
    [FAILURE, 'Unhealthy'],
  ] as const) {
    for (let i = 0; i < 4; i++) world.health.record(await claimOf(world), result);
    const before = await world.poolHealth();
    const restarted = new RegistrationHealth(world.rig.caches);
    assert.equal(restarted.healthOf(world.rig.caches.nodePools.get('default')!), health);
    assert.deepEqual(await world.poolHealth(), before);
  }
});

test('01/37 a pool stored as unhealthy stays so after one success', async (t) => {
  const world = await startClaimWorld(t);
  await world.poolHealth();
  for (const result of [FAILURE, FAILURE]) world.health.record(await claimOf(world), result);
  await world.poolHealth();
  const restarted = new RegistrationHealth(world.rig.caches);
  restarted.record(await claimOf(world), SUCCESS);
  assert.equal(restarted.healthOf(world.rig.caches.nodePools.get('default')!), 'Unhealthy');
});

test('03/45 a changed pool or NodeClass begins anew', async (t) => {
  const world = await startClaimWorld(t);
  await world.poolHealth();
  const stored = (): Promise<NodePool> => world.rig.get(NODE_POOLS, 'default');
  const makeHealthy = async (): Promise<void> => {
    world.health.record(await claimOf(world), SUCCESS);
    assert.equal((await world.poolHealth())?.status, 'True');
  };
  await makeHealthy();
  await world.rig.change(NODE_POOLS, 'default', { spec: { weight: 7 } });
  assert.equal((await world.poolHealth())?.status, 'Unknown');
  assert.equal(world.health.healthOf(await stored()), 'Unknown');
  await makeHealthy();
  await world.rig.change(NODE_CLASSES, 'default', { spec: { nodeRegistrationDelay: '1s' } });
  assert.equal((await world.poolHealth())?.status, 'Unknown');
  assert.equal((await stored()).status?.nodeClassObservedGeneration, 2);
});

test('03/45 without a NodeClass there is no condition', async (t) => {
  const world = await startClaimWorld(t);
  await world.rig.delete(NODE_CLASSES, 'default');
  assert.equal(await world.poolHealth(), undefined);
  await world.rig.create(NODE_CLASSES, makeNodeClass());
  assert.equal((await world.poolHealth())?.status, 'Unknown');
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
    const world = await startClaimWorld(t);
    await world.poolHealth();
    if (start === 'True') world.health.record(await claimOf(world), SUCCESS);
    assert.equal((await world.poolHealth())?.status, start);
    world.rig.provider.keepFailing('create', refuse(new Error('out of order')));
    await failLaunch(world, 'c1');
    await failLaunch(world, 'c2');
    const health = await world.poolHealth();
    assert.deepEqual([health?.status, health?.reason, health?.message], ['False', 'LaunchFailed', 'out of order']);
  }
});

test('03/132 three successes after two failures leave room for one more failure', async (t) => {
  const world = await startClaimWorld(t);
  await world.poolHealth();
  for (const result of [FAILURE, FAILURE, SUCCESS, SUCCESS, SUCCESS]) {
    world.health.record(await claimOf(world), result);
    await world.poolHealth();
  }
  assert.equal((await world.poolHealth())?.status, 'True');
  world.health.record(await claimOf(world), FAILURE);
  assert.equal((await world.poolHealth())?.status, 'True');
});

test('01/36 a fresh pool is unknown, one success makes it healthy, two failures do not', async (t) => {
  const world = await startClaimWorld(t);
  assert.equal((await world.poolHealth())?.reason, 'AwaitingReconciliation');
  world.health.record(await claimOf(world), SUCCESS);
  assert.equal((await world.poolHealth())?.reason, 'NodeRegistrationHealthy');
  for (const result of [FAILURE, FAILURE]) world.health.record(await claimOf(world), result);
  assert.equal((await world.poolHealth())?.status, 'False');
});

test('a hundred Nodes that register at once cost their pool one write', async (t) => {
  const world = await startClaimWorld(t);
  await world.rig.run(world.lifecycle, world.healthController);
  const names = Array.from({ length: 100 }, (_, i) => `c${i}`);
  for (const name of names) await world.addClaim({}, name);
  world.rig.writes.length = 0;
  await Promise.all(names.map((name) => world.addNode({}, name)));
  await world.rig.clock.settle();
  const pool = await world.rig.get<NodePool>(NODE_POOLS, 'default');
  assert.equal(findCondition(pool, 'NodeRegistrationHealthy')?.status, 'True');
  assert.equal(world.rig.writes.filter((write) => write.includes('/nodepools/')).length, 1);
  assert.equal(world.health.healthOf(pool), 'Healthy');
});
