import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KWOK_PROFILE, type NodePool } from '@karpenter-ts/apis';
import { makeNodeClaim, makeNodePool } from '../../testing/objects.ts';
import { PoolDrifts } from './drift.ts';

test('the same NodeClaim and NodePool are compared once, and another state of either anew', () => {
  const requirements = [{ key: 'topology.kubernetes.io/zone', operator: 'In', values: ['zone-1'] } as const];
  let comparisons = 0;
  const counted = (nodePool: NodePool): NodePool => ({
    ...nodePool,
    get spec() {
      comparisons++;
      return nodePool.spec;
    },
  });
  const drifts = new PoolDrifts(KWOK_PROFILE);
  const nodeClaim = makeNodeClaim('c', { labels: { 'topology.kubernetes.io/zone': 'zone-2' } });
  const nodePool = counted(makeNodePool('p', { template: { requirements } }));
  assert.equal(drifts.find(nodeClaim, nodePool), 'RequirementsDrifted');
  assert.equal(drifts.find(nodeClaim, nodePool), 'RequirementsDrifted');
  assert.equal(comparisons, 1);
  assert.equal(drifts.find(nodeClaim, counted(makeNodePool('p'))), undefined);
  assert.equal(comparisons, 2);
  const moved = makeNodeClaim('c', { labels: { 'topology.kubernetes.io/zone': 'zone-1' } });
  assert.equal(drifts.find(moved, nodePool), undefined);
  assert.equal(comparisons, 3);
});
