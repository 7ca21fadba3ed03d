import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DONE, MINUTE } from '@karpenter-ts/runtime';
import { NODE_CLAIMS } from '@karpenter-ts/apis';
import { NODES } from '@karpenter-ts/kubernetes';
import { type ClaimWorld, startClaimWorld } from '../testing/claim-world.ts';
import { consistencyController } from './controller.ts';

const REQUESTS = { resources: { requests: { memory: '1Gi' } } };

/** A complete claim that was promised 128Gi. */
async function promised(world: ClaimWorld, memory: string): Promise<void> {
  await world.addRegistered(REQUESTS, { status: { capacity: { memory }, allocatable: { memory, cpu: '1' } } });
  await world.rig.change(NODE_CLAIMS, 'c1', { status: { capacity: { memory: '128Gi' } } });
}

test('03/90 a machine with half the memory it should have is told of', async (t) => {
  const world = await startClaimWorld(t);
  await promised(world, '64Gi');
  const consistency = consistencyController(world.rig);
  assert.deepEqual(await world.rig.reconcile(consistency, 'c1'), { requeueAfter: 10 * MINUTE });
  const condition = await world.condition('ConsistentStateFound');
  assert.deepEqual(
    [condition?.status, condition?.reason, condition?.message],
    ['False', 'ConsistencyCheckFailed', 'Consistency Check Failed'],
  );
  const [event] = world.rig.published;
  const message = 'expected 128Gi of resource memory, but found 64Gi (50.0% of expected)';
  assert.deepEqual([event?.type, event?.reason, event?.message], ['Warning', 'FailedConsistencyCheck', message]);
  const line = world.rig.logger.lines.find((one) => one.message === 'failed consistency check');
  assert.equal(line?.fields['issue'], message);
});

test('03/90 a tenth less is within the bounds', async (t) => {
  const world = await startClaimWorld(t);
  await promised(world, '116.48Gi'); // 91 %
  await world.rig.reconcile(consistencyController(world.rig), 'c1');
  assert.equal((await world.condition('ConsistentStateFound'))?.status, 'True');
  assert.deepEqual(world.rig.published, []);
});

test('05/69 what a claim does not ask for may be missing', async (t) => {
  const world = await startClaimWorld(t);
  await promised(world, '128Gi');
  await world.rig.change(NODE_CLAIMS, 'c1', { status: { capacity: { 'ephemeral-storage': '100Gi' } } });
  await world.rig.reconcile(consistencyController(world.rig), 'c1');
  assert.equal((await world.condition('ConsistentStateFound'))?.status, 'True');
});

test('03/91 within ten minutes of a comparison there is no other', async (t) => {
  const world = await startClaimWorld(t);
  await promised(world, '128Gi');
  const consistency = consistencyController(world.rig);
  await world.rig.reconcile(consistency, 'c1');
  await world.rig.change(NODES, 'node-of-c1', { status: { capacity: { memory: '1Gi' } } });
  await world.rig.clock.advance(4 * MINUTE);
  assert.deepEqual(await world.rig.reconcile(consistency, 'c1'), { requeueAfter: 6 * MINUTE });
  assert.equal((await world.condition('ConsistentStateFound'))?.status, 'True');
  await world.rig.clock.advance(6 * MINUTE);
  await world.rig.reconcile(consistency, 'c1');
  assert.equal((await world.condition('ConsistentStateFound'))?.status, 'False');
});

test('a clock that is put forward does not make the next comparison overdue', async (t) => {
  const world = await startClaimWorld(t);
  await promised(world, '128Gi');
  const { clock } = world.rig;
  let jump = 0;
  const jumping = {
    now: () => clock.now() + jump,
    elapsed: () => clock.elapsed(),
    after: clock.after.bind(clock),
    sleep: clock.sleep.bind(clock),
    track: clock.track.bind(clock),
  };
  const { client, caches, provider, events, metrics, logger, options } = world.rig;
  const consistency = consistencyController({
    client,
    caches,
    provider,
    events,
    metrics,
    logger,
    options,
    clock: jumping,
  });
  await world.rig.reconcile(consistency, 'c1');
  jump = 60 * MINUTE;
  assert.deepEqual(await world.rig.reconcile(consistency, 'c1'), { requeueAfter: 10 * MINUTE });
});

test('03/149 a verdict that could not be written is given again at once', async (t) => {
  const world = await startClaimWorld(t);
  await promised(world, '64Gi');
  const consistency = consistencyController(world.rig);
  world.rig.refusals.add({ method: 'PATCH', path: /nodeclaims\/c1\/status$/, code: 409 });
  await assert.rejects(world.rig.reconcile(consistency, 'c1'));
  await world.rig.reconcile(consistency, 'c1');
  assert.equal((await world.condition('ConsistentStateFound'))?.status, 'False');
  assert.equal(world.rig.published.length, 1);
});

test('the first comparison comes as soon as the Node is complete', async (t) => {
  const world = await startClaimWorld(t);
  const consistency = consistencyController(world.rig);
  await world.addClaim(REQUESTS);
  assert.equal(await world.rig.reconcile(consistency, 'c1'), DONE);
  await world.pass();
  assert.equal(await world.rig.reconcile(consistency, 'c1'), DONE);
  await world.addNode({ status: { capacity: { memory: '1Mi' }, allocatable: { memory: '1Mi' } } });
  await world.rig.reconcile(consistency, 'c1');
  assert.equal((await world.condition('ConsistentStateFound'))?.status, 'True'); // nothing to compare with yet
  await world.pass();
  await world.rig.reconcile(consistency, 'c1');
  assert.equal((await world.condition('ConsistentStateFound'))?.status, 'False');
});
