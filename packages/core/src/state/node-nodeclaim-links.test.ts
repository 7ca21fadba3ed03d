import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeCloudProvider } from '@karpenter-ts/cloudprovider/testing';
import { NODE_CLAIMS } from '@karpenter-ts/apis';
import { NODES } from '@karpenter-ts/kubernetes';
import { nodeClaimKeysOf, findNode, findNodeClaim, nodesOf } from './node-nodeclaim-links.ts';
import { FOREIGN_CLASS_REF, makeNode, makeNodeClaim } from '../testing/objects.ts';
import { startTestEnvironment } from '../testing/test-environment.ts';

test('a Node and a NodeClaim belong together by provider id, and neither has a partner without one', async (t) => {
  const env = await startTestEnvironment(t, { provider: new FakeCloudProvider() });
  const launched = await env.create(NODE_CLAIMS, makeNodeClaim('launched', { status: { providerID: 'p1' } }));
  const waiting = await env.create(NODE_CLAIMS, makeNodeClaim('waiting'));
  const node = await env.create(NODES, makeNode('n1', { providerID: 'p1' }));
  const bare = await env.create(NODES, makeNode('bare'));
  assert.equal(findNode(launched, env.caches)?.metadata.name, 'n1');
  assert.equal(findNodeClaim(node, env.caches)?.metadata.name, 'launched');
  assert.deepEqual(nodesOf(waiting, env.caches), []);
  assert.equal(findNodeClaim(bare, env.caches), undefined);
  assert.deepEqual(nodeClaimKeysOf(node, env), ['launched']);
  assert.deepEqual(nodeClaimKeysOf(bare, env), []);
});

test('with two of either, nobody says which is right', async (t) => {
  const env = await startTestEnvironment(t, { provider: new FakeCloudProvider() });
  const a = await env.create(NODE_CLAIMS, makeNodeClaim('a', { status: { providerID: 'p1' } }));
  await env.create(NODE_CLAIMS, makeNodeClaim('b', { status: { providerID: 'p1' }, nodeClassRef: FOREIGN_CLASS_REF }));
  const node = await env.create(NODES, makeNode('n1', { providerID: 'p1' }));
  await env.create(NODES, makeNode('n2', { providerID: 'p1' }));
  assert.equal(findNode(a, env.caches), undefined);
  assert.equal(nodesOf(a, env.caches).length, 2);
  assert.equal(findNodeClaim(node, env.caches), undefined);
  assert.deepEqual(nodeClaimKeysOf(node, env), ['a']); // the other one is not ours
});
