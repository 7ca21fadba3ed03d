import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CAPACITY_TYPE_LABEL, NODE_CLAIMS } from '@karpenter-ts/apis';
import { DONE, MINUTE, SECOND } from '@karpenter-ts/runtime';
import { PODS } from '@karpenter-ts/kubernetes';
import type { Core } from '../state/controller-deps.ts';
import { makePod } from '../testing/objects.ts';
import { podsDisrupted } from './deletions.ts';
import { expirationController } from './expiration.ts';
import { type ClaimWorld, startClaimWorld } from './testing/claim-world.ts';

function expirationOf(world: ClaimWorld) {
  const core: Core = world.rig;
  return expirationController({ ...core, deletions: world.deletions });
}

const FINALIZERS = ['karpenter.sh/termination'];

test('03/86 an expired claim is deleted once, and counted once however often it is looked at', async (t) => {
  const world = await startClaimWorld(t);
  const expiration = expirationOf(world);
  await world.addClaim({ expireAfter: '30s', finalizers: FINALIZERS });
  await world.rig.clock.advance(60 * SECOND);
  // Both passes start from a cache that does not show the deletion yet.
  const { reconcile } = expiration;
  const signal = new AbortController().signal;
  await Promise.all([reconcile('c1', signal, world.rig.logger), reconcile('c1', signal, world.rig.logger)]);
  await world.rig.clock.settle();
  assert.equal(await world.rig.reconcile(expiration, 'c1'), DONE);
  assert.notEqual((await world.claim()).metadata.deletionTimestamp, undefined);
  assert.equal(world.disrupted('expired'), 1);
  assert.equal(world.lines('debug').filter((line) => line === 'deleting expired nodeclaim').length, 1);
});

test('03/86 a claim within its time is looked at when that is up; one without a time, never', async (t) => {
  const world = await startClaimWorld(t);
  const expiration = expirationOf(world);
  await world.addClaim({ expireAfter: '200s' });
  await world.addClaim({ expireAfter: 'Never' }, 'c2');
  await world.rig.clock.advance(60 * SECOND);
  assert.deepEqual(await world.rig.reconcile(expiration, 'c1'), { requeueAfter: 140 * SECOND });
  assert.equal(await world.rig.reconcile(expiration, 'c2'), DONE);
  assert.equal(world.disrupted('expired'), 0);
});

test('03/87 pods that must move are counted with the claim that expires', async (t) => {
  const world = await startClaimWorld(t);
  await world.addRegistered({ expireAfter: '30m', terminationGracePeriod: '1h' });
  const daemon = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'ds', uid: 'u' };
  await world.rig.create(PODS, makePod('a', { nodeName: 'node-of-c1' }));
  await world.rig.create(PODS, makePod('b', { nodeName: 'node-of-c1' }));
  await world.rig.create(PODS, makePod('c', { nodeName: 'node-of-c1', ownerReferences: [daemon] }));
  await world.rig.clock.advance(31 * MINUTE);
  await world.rig.reconcile(expirationOf(world), 'c1');
  const { [CAPACITY_TYPE_LABEL]: capacity_type = '' } = (await world.claim()).metadata.labels ?? {};
  const labels = {
    reason: 'expired',
    nodepool: 'default',
    capacity_type,
    consolidation_policy: '',
    termination_mode: 'eventual',
  };
  assert.equal(world.rig.metrics.find(podsDisrupted, labels), 2);
});

test('03/143 the age of the claim counts, not that of its Node, and its capacity type is counted', async (t) => {
  const world = await startClaimWorld(t);
  await world.addClaim({ expireAfter: '30m', labels: { [CAPACITY_TYPE_LABEL]: 'spot' } });
  await world.pass();
  await world.rig.clock.advance(14 * MINUTE);
  await world.addNode();
  await world.pass();
  await world.rig.clock.advance(16 * MINUTE);
  await world.rig.reconcile(expirationOf(world), 'c1');
  assert.equal(world.disrupted('expired', 'spot'), 1);
});

test('a thousand claims of one age expire within a second', async (t) => {
  const world = await startClaimWorld(t);
  await world.rig.run(expirationOf(world));
  const names = Array.from({ length: 1000 }, (_, i) => `c${i}`);
  await Promise.all(names.map((name) => world.addClaim({ expireAfter: '30s' }, name)));
  await world.rig.clock.advance(30 * SECOND);
  assert.deepEqual((await world.rig.client.listAll(NODE_CLAIMS)).items, []);
  assert.equal(world.disrupted('expired'), 1000);
});
