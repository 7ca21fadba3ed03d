import assert from 'node:assert/strict';
import { test } from 'node:test';
import { REQUESTED_DRA_DRIVERS } from '@karpenter-ts/apis';
import { nodeNamesOf } from '../../kinds/resource-slice.ts';
import type { ResourceSlice } from '@karpenter-ts/kubernetes';
import { makeNode, makeNodeClaim } from '../../testing/objects.ts';
import { findObstacle, findUnpublishedDriver } from './obstacles.ts';

test('of several obstacles the first in upstream’s order is named', () => {
  const startup = { key: 'cni', effect: 'NoSchedule' } as const;
  const ephemeral = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };
  const nodeClaim = makeNodeClaim('c', {
    startupTaints: [startup],
    resources: { requests: { 'example.com/gpu': '1' } },
    annotations: { [REQUESTED_DRA_DRIVERS]: 'gpu.example.com' },
  });
  const allocatable = { 'example.com/gpu': '1' };
  const nodes = [
    makeNode('n', { ready: 'False', taints: [ephemeral, startup] }),
    makeNode('n', { taints: [ephemeral, startup] }),
    makeNode('n', { taints: [ephemeral] }),
    makeNode('n', { taints: [] }),
    makeNode('n', { taints: [], status: { allocatable } }),
  ];
  assert.deepEqual(
    nodes.map((node) => findObstacle({ nodeClaim, node, slices: [] })?.reason),
    [
      'NodeNotReady',
      'StartupTaintsExist',
      'KnownEphemeralTaintsExist',
      'ResourceNotRegistered',
      'DRADriverPoolsNotPublished',
    ],
  );
  assert.equal(findObstacle({ nodeClaim, node: nodes.at(-1)!, slices: undefined }), undefined);
});

function slice(driver: string, pool: string, generation: number, resourceSliceCount: number): ResourceSlice {
  return {
    metadata: { name: 's' },
    spec: { driver, nodeName: 'n', pool: { name: pool, generation, resourceSliceCount } },
  };
}

test('03/32 a pool is whole when all slices of its newest generation are there', () => {
  const half = slice('a', 'p', 1, 2);
  assert.equal(findUnpublishedDriver('a', [half]), 'a');
  assert.equal(findUnpublishedDriver('a', [half, half]), undefined);
  assert.equal(findUnpublishedDriver('a', [slice('a', 'p', 1, 1), slice('a', 'p', 2, 2)]), 'a');
  assert.equal(findUnpublishedDriver('a', [slice('a', 'p', 1, 0)]), 'a');
});

test('03/33 the first driver without a whole pool is named, and one whole pool is enough', () => {
  const slices = [slice('a', 'p', 1, 1), slice('a', 'q', 1, 2)];
  assert.equal(findUnpublishedDriver('a, b', slices), 'b');
  assert.equal(findUnpublishedDriver('b,a', slices), 'b');
  assert.equal(findUnpublishedDriver(' a ,, ', slices), undefined);
});

test('03/33 slices for the whole cluster belong to no Node', () => {
  const cluster: ResourceSlice = {
    ...slice('a', 'p', 1, 1),
    spec: { driver: 'a', pool: { name: 'p', generation: 1, resourceSliceCount: 1 } },
  };
  assert.deepEqual(nodeNamesOf(cluster), []);
  const owner = { apiVersion: 'v1', kind: 'Node', name: 'n2', uid: 'u' };
  assert.deepEqual(nodeNamesOf({ ...cluster, metadata: { name: 's', ownerReferences: [owner] } }), ['n2']);
  assert.deepEqual(nodeNamesOf(slice('a', 'p', 1, 1)), ['n']);
});
