import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeCloudProvider } from '@karpenter-ts/cloudprovider/testing';
import { SECOND } from '@karpenter-ts/runtime';
import { NODE_CLAIMS } from '@karpenter-ts/apis';
import { launchedNodeClaim } from '../testing/cluster-objects.ts';
import { startTestEnvironment } from '../testing/test-environment.ts';
import { createCaches } from './caches.ts';
import { ClusterModel } from './cluster-model.ts';
import { nodeClaimGcController } from './nodeclaim-gc.ts';

test('02/18 03/106 a NodeClaim that was gone before the model took it in is forgotten after 15 s; others are not', async (t) => {
  const env = await startTestEnvironment(t, { provider: new FakeCloudProvider() });
  const cluster = new ClusterModel(env);
  await env.run(nodeClaimGcController(env, cluster));
  cluster.track(launchedNodeClaim('stale', { providerId: '' }));
  cluster.track(launchedNodeClaim('unseen', { providerId: '' }));
  await env.create(NODE_CLAIMS, launchedNodeClaim('unseen', { providerId: '' }));
  await env.clock.advance(14 * SECOND);
  assert.equal(cluster.isUnlaunched('stale'), true);
  await env.clock.advance(1 * SECOND);
  assert.deepEqual([cluster.isUnlaunched('stale'), cluster.isUnlaunched('unseen')], [false, true]);
  const lines = env.logger.lines.filter(({ level }) => level === 'debug');
  assert.deepEqual(
    lines.map(({ message, fields }) => [message, fields['NodeClaim']?.toString()]),
    [['garbage collecting stale unlaunched nodeclaim from cluster state', 'stale']],
  );
});

test('02/18 a NodeClaim that was launched meanwhile stays, though the caches have not seen it', async (t) => {
  const env = await startTestEnvironment(t, { provider: new FakeCloudProvider() });
  const cluster = new ClusterModel(env);
  await env.run(nodeClaimGcController(env, cluster));
  cluster.track(launchedNodeClaim('quick'));
  await env.clock.advance(20 * SECOND);
  assert.equal(cluster.find('fake:///quick')?.existing.name, 'quick');
});

test('a NodeClaim that the caches have not seen after 15 s is waited for as long as the API server has it', async (t) => {
  const env = await startTestEnvironment(t, { provider: new FakeCloudProvider() });
  const caches = createCaches({ ...env, readsResourceSlices: false }); // whose watches bring nothing
  const cluster = new ClusterModel({ ...env, caches });
  await env.run(nodeClaimGcController({ client: env.client, caches }, cluster));
  cluster.track(await env.create(NODE_CLAIMS, launchedNodeClaim('bought', { providerId: '' })));
  await env.clock.advance(60 * SECOND);
  assert.equal(cluster.isUnlaunched('bought'), true);
  env.refusals.add({ method: 'GET', path: /nodeclaims\/bought$/, code: 500, times: 5 });
  await env.clock.advance(20 * SECOND);
  assert.equal(cluster.isUnlaunched('bought'), true, 'nor does an error mean that it is gone');
  await env.delete(NODE_CLAIMS, 'bought');
  await env.clock.advance(120 * SECOND);
  assert.equal(cluster.isUnlaunched('bought'), false);
});
