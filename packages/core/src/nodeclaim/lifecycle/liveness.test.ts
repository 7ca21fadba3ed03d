import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refuse } from '@karpenter-ts/cloudprovider/testing';
import { HOUR, MINUTE, SECOND } from '@karpenter-ts/runtime';
import { NODE_CLAIMS } from '@karpenter-ts/apis';
import { type ClaimWorld, startClaimWorld } from '../testing/claim-world.ts';

const isLeaving = async (world: ClaimWorld): Promise<boolean> =>
  (await world.findClaim())?.metadata.deletionTimestamp !== undefined;

/** How many were deleted for it, of whatever capacity type. */
const deletedFor = (world: ClaimWorld, reason: string): number =>
  ['', 'spot', 'on-demand'].reduce((sum, capacityType) => sum + world.disrupted(reason, capacityType), 0);

test('03/36 a claim that does not launch within 5 minutes is deleted', async (t) => {
  const world = await startClaimWorld(t);
  world.rig.provider.keepFailing('create', refuse(new Error('out of order')));
  await world.addClaim();
  await world.rig.clock.advance(1 * MINUTE);
  await assert.rejects(world.pass());
  assert.equal(await isLeaving(world), false);
  await world.rig.clock.advance(5 * MINUTE);
  await assert.rejects(world.pass());
  assert.equal(await isLeaving(world), true);
  assert.equal(deletedFor(world, 'launch_timeout'), 1);
  const line = world.rig.logger.lines.find(({ message }) => message === 'terminating due to timeout');
  assert.deepEqual([line?.level, line?.fields['timeout'], line?.fields['reason']], ['debug', '5m0s', 'launch_timeout']);
});

test('03/37 a machine whose Node does not register within 15 minutes is given up', async (t) => {
  const world = await startClaimWorld(t);
  await world.addClaim();
  await world.rig.clock.advance(14 * MINUTE);
  assert.deepEqual(await world.pass(), { requeueAfter: 1 * MINUTE }); // launches late: both clocks start at creation
  await world.rig.clock.advance(6 * MINUTE);
  await world.pass();
  assert.equal(await isLeaving(world), true);
  assert.equal(deletedFor(world, 'registration_timeout'), 1);
});

test('03/38 the times are those of the conditions, not that of the claim', async (t) => {
  const world = await startClaimWorld(t);
  await world.addClaim();
  await world.pass();
  const later = new Date(world.rig.clock.now() + 10 * MINUTE).toISOString().replace(/\.\d+/, '');
  const conditions = (await world.claim()).status?.conditions?.map((one) => ({ ...one, lastTransitionTime: later }));
  await world.rig.change(NODE_CLAIMS, 'c1', { status: { conditions } });
  await world.rig.clock.advance(20 * MINUTE);
  await world.pass();
  assert.equal(await isLeaving(world), false);
  await world.rig.clock.advance(5 * MINUTE);
  await world.pass();
  assert.equal(await isLeaving(world), true);
});

test('03/39 a provider may allow launches another time', async (t) => {
  const world = await startClaimWorld(t, { launchTimeout: 45 * SECOND });
  world.rig.provider.keepFailing('create', refuse(new Error('out of order')));
  await world.addClaim();
  await world.rig.clock.advance(30 * SECOND);
  await assert.rejects(world.pass());
  assert.equal(await isLeaving(world), false);
  await world.rig.clock.advance(30 * SECOND);
  await assert.rejects(world.pass());
  assert.equal(await isLeaving(world), true);
});

test('03/40 a registered claim has no time limit', async (t) => {
  const world = await startClaimWorld(t);
  await world.addRegistered({}, { ready: 'False' });
  await world.rig.clock.advance(20 * MINUTE);
  await world.pass();
  assert.equal(await isLeaving(world), false);
});

test('one late pass counts one failure and one deletion, however late it is', async (t) => {
  const world = await startClaimWorld(t);
  world.rig.provider.keepFailing('create', refuse(new Error('out of order')));
  await world.addClaim();
  await world.rig.clock.advance(1 * HOUR);
  await assert.rejects(world.pass());
  assert.equal(deletedFor(world, 'launch_timeout'), 1);
  assert.equal(deletedFor(world, 'registration_timeout'), 0);
  assert.equal(world.health.healthOf(world.pool), 'Healthy'); // one failure of four
});

test('a claim that keeps failing is tried with growing delays until its time is up', async (t) => {
  const world = await startClaimWorld(t);
  world.rig.provider.keepFailing('create', refuse(new Error('out of order')));
  await world.rig.run(world.lifecycle);
  await world.addClaim();
  await world.rig.clock.advance(6 * MINUTE);
  assert.equal(await world.findClaim(), undefined);
  assert.equal(world.rig.provider.callsOf('create').length, 11); // after 0, 1, 3, 7, 15, 31, 63, 123, 183, 243 and 303 s
});
