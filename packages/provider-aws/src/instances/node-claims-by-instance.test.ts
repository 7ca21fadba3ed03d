import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NODE_CLAIMS, type NodeClaim } from '@karpenter-ts/apis';
import { makeNodeClaim } from '@karpenter-ts/cloudprovider/testing';
import { FilledCache } from '@karpenter-ts/runtime';
import { NodeClaimsByInstance } from './node-claims-by-instance.ts';

const claim = (name: string, providerID?: string): NodeClaim => ({
  ...makeNodeClaim(name),
  ...(providerID && { status: { providerID } }),
});

test('the NodeClaims of an instance are found as the cache has them', () => {
  const cache = new FilledCache<NodeClaim>(NODE_CLAIMS, {});
  cache.put(claim('before', 'aws:///us-west-2a/i-1'));
  const byInstance = new NodeClaimsByInstance(cache);
  const namesOf = (id: string) => byInstance.find(id).map(({ metadata }) => metadata.name);
  assert.deepEqual(namesOf('i-1'), ['before']);
  cache.put(claim('launching'));
  assert.deepEqual(namesOf(''), []);
  cache.put(claim('launching', 'aws:///us-west-2b/i-2'));
  cache.put(claim('twin', 'aws:///us-west-2b/i-2'));
  assert.deepEqual(namesOf('i-2'), ['launching', 'twin']);
  cache.remove('launching');
  assert.deepEqual(namesOf('i-2'), ['twin']);
  cache.remove('before');
  assert.deepEqual(namesOf('i-1'), []);
});
