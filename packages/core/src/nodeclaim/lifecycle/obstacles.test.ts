import assert from 'node:assert/strict';
import { test } from 'node:test';
import { REQUESTED_DRA_DRIVERS } from '@karpenter-ts/apis';
import { makeNode, makeNodeClaim } from '../../testing/objects.ts';
import { findObstacle } from './obstacles.ts';

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
