import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodeClaim } from '@karpenter-ts/apis';
import { FakeCloudProvider } from '@karpenter-ts/cloudprovider/testing';
import { type Controller, DONE, kindSource, SECOND, StatusError } from '@karpenter-ts/runtime';
import { NODE_CLAIMS } from '@karpenter-ts/apis';
import { startRig } from './rig.ts';

const CLAIM = {
  metadata: { name: 'a' },
  spec: { nodeClassRef: { group: 'karpenter.kwok.sh', kind: 'KWOKNodeClass', name: 'default' }, requirements: [] },
  status: { providerID: 'fake:///a' },
} as unknown as NodeClaim;

test('what a test writes is in the caches, status included, and what it runs sees the change', async (t) => {
  const rig = await startRig(t, { provider: new FakeCloudProvider() });
  const seen: string[] = [];
  const watcher: Controller = {
    name: 'watcher',
    sources: [kindSource(rig.caches.nodeClaims)],
    reconcile: async (key) => {
      seen.push(key);
      return DONE;
    },
  };
  await rig.run(watcher);
  await rig.create(NODE_CLAIMS, CLAIM);
  assert.equal(rig.caches.nodeClaims.byIndex('providerId', 'fake:///a').length, 1);
  await rig.clock.advance(1 * SECOND);
  assert.ok(seen.includes('a'));
});

test('a refusal befalls as many requests as told', async (t) => {
  const rig = await startRig(t, { provider: new FakeCloudProvider() });
  await rig.create(NODE_CLAIMS, CLAIM);
  rig.refusals.add({ method: 'GET', path: /nodeclaims\/a$/, code: 409 });
  await assert.rejects(rig.get(NODE_CLAIMS, 'a'), (error) => error instanceof StatusError && error.code === 409);
  assert.equal((await rig.get(NODE_CLAIMS, 'a')).metadata.name, 'a');
});
