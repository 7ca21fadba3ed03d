import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refuse } from '@karpenter-ts/cloudprovider/testing';
import { HOUR, MINUTE, SECOND } from '@karpenter-ts/runtime';
import { NODE_CLAIMS } from '@karpenter-ts/apis';
import { type NodeClaimEnvironment, startNodeClaimEnvironment } from '../testing/nodeclaim-environment.ts';

const isDeleting = async (env: NodeClaimEnvironment): Promise<boolean> =>
  (await env.findNodeClaim())?.metadata.deletionTimestamp !== undefined;

/** How many were deleted for it, of whatever capacity type. */
const deletedFor = (env: NodeClaimEnvironment, reason: string): number =>
  ['', 'spot', 'on-demand'].reduce((sum, capacityType) => sum + env.disrupted(reason, capacityType), 0);

test('03/36 a NodeClaim that does not launch within 5 minutes is deleted', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  env.provider.keepFailing('create', refuse(new Error('out of order')));
  await env.addNodeClaim();
  await env.clock.advance(1 * MINUTE);
  await assert.rejects(env.pass());
  assert.equal(await isDeleting(env), false);
  await env.clock.advance(5 * MINUTE);
  await assert.rejects(env.pass());
  assert.equal(await isDeleting(env), true);
  assert.equal(deletedFor(env, 'launch_timeout'), 1);
  const line = env.logger.lines.find(({ message }) => message === 'terminating due to timeout');
  assert.deepEqual([line?.level, line?.fields['timeout'], line?.fields['reason']], ['debug', '5m0s', 'launch_timeout']);
});

test('03/37 an instance whose Node does not register within 15 minutes is given up', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  await env.addNodeClaim();
  await env.clock.advance(14 * MINUTE);
  assert.deepEqual(await env.pass(), { requeueAfter: 1 * MINUTE }); // launches late: both clocks start at creation
  await env.clock.advance(6 * MINUTE);
  await env.pass();
  assert.equal(await isDeleting(env), true);
  assert.equal(deletedFor(env, 'registration_timeout'), 1);
});

test('03/38 the times are those of the conditions, not that of the NodeClaim', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  await env.addNodeClaim();
  await env.pass();
  const later = new Date(env.clock.now() + 10 * MINUTE).toISOString().replace(/\.\d+/, '');
  const conditions = (await env.nodeClaim()).status?.conditions?.map((one) => ({ ...one, lastTransitionTime: later }));
  await env.change(NODE_CLAIMS, 'c1', { status: { conditions } });
  await env.clock.advance(20 * MINUTE);
  await env.pass();
  assert.equal(await isDeleting(env), false);
  await env.clock.advance(5 * MINUTE);
  await env.pass();
  assert.equal(await isDeleting(env), true);
});

test('03/39 a provider may allow launches another time', async (t) => {
  const env = await startNodeClaimEnvironment(t, { launchTimeout: 45 * SECOND });
  env.provider.keepFailing('create', refuse(new Error('out of order')));
  await env.addNodeClaim();
  await env.clock.advance(30 * SECOND);
  await assert.rejects(env.pass());
  assert.equal(await isDeleting(env), false);
  await env.clock.advance(30 * SECOND);
  await assert.rejects(env.pass());
  assert.equal(await isDeleting(env), true);
});

test('03/40 a registered NodeClaim has no time limit', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  await env.addRegistered({}, { ready: 'False' });
  await env.clock.advance(20 * MINUTE);
  await env.pass();
  assert.equal(await isDeleting(env), false);
});

test('one late pass counts one failure and one deletion, however late it is', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  env.provider.keepFailing('create', refuse(new Error('out of order')));
  await env.addNodeClaim();
  await env.clock.advance(1 * HOUR);
  await assert.rejects(env.pass());
  assert.equal(deletedFor(env, 'launch_timeout'), 1);
  assert.equal(deletedFor(env, 'registration_timeout'), 0);
  assert.equal(env.nodePoolHealth.healthOf(env.pool), 'Healthy'); // one failure of four
});

test('a NodeClaim that keeps failing is tried with growing delays until its time is up', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  env.provider.keepFailing('create', refuse(new Error('out of order')));
  await env.run(env.lifecycle);
  await env.addNodeClaim();
  await env.clock.advance(6 * MINUTE);
  assert.equal(await env.findNodeClaim(), undefined);
  assert.equal(env.provider.callsOf('create').length, 11); // after 0, 1, 3, 7, 15, 31, 63, 123, 183, 243 and 303 s
});
