import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeCloudProvider } from '@karpenter-ts/cloudprovider/testing';
import { NODE_CLAIMS } from '@karpenter-ts/apis';
import { NODES } from '@karpenter-ts/kubernetes';
import { claimKeysOfNode, findNode, findNodeClaim, nodesOf } from './node-nodeclaim-links.ts';
import { FOREIGN_CLASS_REF, makeNode, makeNodeClaim } from '../testing/objects.ts';
import { startRig } from '../testing/rig.ts';

test('a Node and a claim belong together by provider id, and neither has a partner without one', async (t) => {
  const rig = await startRig(t, { provider: new FakeCloudProvider() });
  const launched = await rig.create(NODE_CLAIMS, makeNodeClaim('launched', { status: { providerID: 'p1' } }));
  const waiting = await rig.create(NODE_CLAIMS, makeNodeClaim('waiting'));
  const node = await rig.create(NODES, makeNode('n1', { providerID: 'p1' }));
  const bare = await rig.create(NODES, makeNode('bare'));
  assert.equal(findNode(launched, rig.caches)?.metadata.name, 'n1');
  assert.equal(findNodeClaim(node, rig.caches)?.metadata.name, 'launched');
  assert.deepEqual(nodesOf(waiting, rig.caches), []);
  assert.equal(findNodeClaim(bare, rig.caches), undefined);
  assert.deepEqual(claimKeysOfNode(node, rig), ['launched']);
  assert.deepEqual(claimKeysOfNode(bare, rig), []);
});

test('with two of either, nobody says which is right', async (t) => {
  const rig = await startRig(t, { provider: new FakeCloudProvider() });
  const a = await rig.create(NODE_CLAIMS, makeNodeClaim('a', { status: { providerID: 'p1' } }));
  await rig.create(NODE_CLAIMS, makeNodeClaim('b', { status: { providerID: 'p1' }, nodeClassRef: FOREIGN_CLASS_REF }));
  const node = await rig.create(NODES, makeNode('n1', { providerID: 'p1' }));
  await rig.create(NODES, makeNode('n2', { providerID: 'p1' }));
  assert.equal(findNode(a, rig.caches), undefined);
  assert.equal(nodesOf(a, rig.caches).length, 2);
  assert.equal(findNodeClaim(node, rig.caches), undefined);
  assert.deepEqual(claimKeysOfNode(node, rig), ['a']); // the other one is not ours
});
