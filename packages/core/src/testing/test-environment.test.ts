import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodeClaim } from '@karpenter-ts/apis';
import { FakeCloudProvider } from '@karpenter-ts/cloudprovider/testing';
import { type Controller, DONE, kindSource, SECOND, StatusError } from '@karpenter-ts/runtime';
import { NODE_CLAIMS } from '@karpenter-ts/apis';
import { startTestEnvironment } from './test-environment.ts';

const CLAIM = {
  metadata: { name: 'a' },
  spec: { nodeClassRef: { group: 'karpenter.kwok.sh', kind: 'KWOKNodeClass', name: 'default' }, requirements: [] },
  status: { providerID: 'fake:///a' },
} as unknown as NodeClaim;

test('what a test writes is in the caches, status included, and what it runs sees the change', async (t) => {
  const env = await startTestEnvironment(t, { provider: new FakeCloudProvider() });
  const seen: string[] = [];
  const watcher: Controller = {
    name: 'watcher',
    sources: [kindSource(env.caches.nodeClaims)],
    reconcile: async (key) => {
      seen.push(key);
      return DONE;
    },
  };
  await env.run(watcher);
  await env.create(NODE_CLAIMS, CLAIM);
  assert.equal(env.caches.nodeClaims.byIndex('providerId', 'fake:///a').length, 1);
  await env.clock.advance(1 * SECOND);
  assert.ok(seen.includes('a'));
});

test('a refusal befalls as many requests as told', async (t) => {
  const env = await startTestEnvironment(t, { provider: new FakeCloudProvider() });
  await env.create(NODE_CLAIMS, CLAIM);
  env.refusals.add({ method: 'GET', path: /nodeclaims\/a$/, code: 409 });
  await assert.rejects(env.get(NODE_CLAIMS, 'a'), (error) => error instanceof StatusError && error.code === 409);
  assert.equal((await env.get(NODE_CLAIMS, 'a')).metadata.name, 'a');
});
