import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeCloudProvider } from '@karpenter-ts/cloudprovider/testing';
import { SECOND } from '@karpenter-ts/runtime';
import { NODE_CLAIMS } from '@karpenter-ts/apis';
import { launchedClaim } from '../testing/cluster-objects.ts';
import { startRig } from '../testing/rig.ts';
import { createCaches } from './caches.ts';
import { ClusterModel } from './cluster-model.ts';
import { nodeClaimGcController } from './node-claim-gc.ts';

test('02/18 03/106 a claim that was gone before the model took it in is forgotten after 15 s; others are not', async (t) => {
  const rig = await startRig(t, { provider: new FakeCloudProvider() });
  const cluster = new ClusterModel(rig);
  await rig.run(nodeClaimGcController(rig, cluster));
  cluster.track(launchedClaim('stale', { providerId: '' }));
  cluster.track(launchedClaim('unseen', { providerId: '' }));
  await rig.create(NODE_CLAIMS, launchedClaim('unseen', { providerId: '' }));
  await rig.clock.advance(14 * SECOND);
  assert.equal(cluster.isUnlaunched('stale'), true);
  await rig.clock.advance(1 * SECOND);
  assert.deepEqual([cluster.isUnlaunched('stale'), cluster.isUnlaunched('unseen')], [false, true]);
  const lines = rig.logger.lines.filter(({ level }) => level === 'debug');
  assert.deepEqual(
    lines.map(({ message, fields }) => [message, fields['NodeClaim']?.toString()]),
    [['garbage collecting stale unlaunched nodeclaim from cluster state', 'stale']],
  );
});

test('02/18 a claim that was launched meanwhile stays, though the caches have not seen it', async (t) => {
  const rig = await startRig(t, { provider: new FakeCloudProvider() });
  const cluster = new ClusterModel(rig);
  await rig.run(nodeClaimGcController(rig, cluster));
  cluster.track(launchedClaim('quick'));
  await rig.clock.advance(20 * SECOND);
  assert.equal(cluster.find('fake:///quick')?.existing.name, 'quick');
});

test('a claim that the caches have not seen after 15 s is waited for as long as the API server has it', async (t) => {
  const rig = await startRig(t, { provider: new FakeCloudProvider() });
  const caches = createCaches({ ...rig, readsResourceSlices: false }); // whose watches bring nothing
  const cluster = new ClusterModel({ ...rig, caches });
  await rig.run(nodeClaimGcController({ client: rig.client, caches }, cluster));
  cluster.track(await rig.create(NODE_CLAIMS, launchedClaim('bought', { providerId: '' })));
  await rig.clock.advance(60 * SECOND);
  assert.equal(cluster.isUnlaunched('bought'), true);
  rig.refusals.add({ method: 'GET', path: /nodeclaims\/bought$/, code: 500, times: 5 });
  await rig.clock.advance(20 * SECOND);
  assert.equal(cluster.isUnlaunched('bought'), true, 'nor does an error mean that it is gone');
  await rig.delete(NODE_CLAIMS, 'bought');
  await rig.clock.advance(120 * SECOND);
  assert.equal(cluster.isUnlaunched('bought'), false);
});
