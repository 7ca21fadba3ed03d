import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KWOK_PROFILE, NODEPOOL_HASH_ANNOTATIONS, type NodePool } from '@karpenter-ts/apis';
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

/** What is found for a NodeClaim of a pool with these annotations on either. */
function driftOf(nodeClaim: Readonly<Record<string, string>>, nodePool: Readonly<Record<string, string>>) {
  const drifts = new PoolDrifts(KWOK_PROFILE);
  return drifts.find(makeNodeClaim('c', { annotations: nodeClaim }), makeNodePool('p', { annotations: nodePool }));
}

const { hash: HASH, version: VERSION } = NODEPOOL_HASH_ANNOTATIONS;

test('04/59 04/60 hashes are compared if both objects have them in the same version', () => {
  const made = { [HASH]: '1', [VERSION]: 'v3' };
  assert.equal(driftOf(made, { ...made, [HASH]: '2' }), 'NodePoolDrifted');
  assert.equal(driftOf(made, made), undefined);
  for (const other of [{ [HASH]: '2' }, { [VERSION]: 'v3' }, {}, { [HASH]: '2', [VERSION]: 'v4' }]) {
    assert.equal(driftOf(made, other), undefined);
    assert.equal(driftOf(other, made), undefined);
  }
});

type Requirement = NodePool['spec']['template']['spec']['requirements'][number];

test('04/62 04/63 labels must meet the requirements of the pool as they are now', () => {
  const drifts = new PoolDrifts(KWOK_PROFILE);
  const find = (labels: Readonly<Record<string, string>>, ...requirements: readonly Requirement[]) =>
    drifts.find(makeNodeClaim('c', { labels }), makeNodePool('p', { template: { requirements } }));
  const os = 'kubernetes.io/os';
  const only = (...values: readonly string[]): Requirement => ({ key: os, operator: 'In', values });
  assert.equal(find({ [os]: 'windows' }, only('linux')), 'RequirementsDrifted');
  assert.equal(find({ [os]: 'linux' }, only('linux')), undefined);
  assert.equal(find({ [os]: 'linux' }, only('linux', 'windows')), undefined);
  assert.equal(find({}, only('linux')), 'RequirementsDrifted');
  assert.equal(find({ [os]: 'linux' }, { key: os, operator: 'Exists' }), undefined);
  assert.equal(find({ [os]: 'linux' }, { key: os, operator: 'DoesNotExist' }), 'RequirementsDrifted');
  assert.equal(find({}, { key: os, operator: 'NotIn', values: ['linux'] }), undefined);
  const size = (operator: 'Gt' | 'Lt', value: string): Requirement => ({ key: 'size', operator, values: [value] });
  assert.equal(find({ size: '5' }, size('Gt', '4')), undefined);
  assert.equal(find({ size: '5' }, size('Gt', '5')), 'RequirementsDrifted');
  assert.equal(find({ size: '5' }, size('Lt', '5')), 'RequirementsDrifted');
});
