import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ZONE_LABEL } from '@karpenter-ts/apis';
import { planSnapshot } from '../planner.ts';
import { finish } from '../progress.ts';
import { DEFAULT_PLANNING, EMPTY_SNAPSHOT } from '../snapshot.ts';
import { makeOffering, makePod, makePool, makeType } from './builders.ts';
import { placementsInOrder, placementsOf } from './placement-order.ts';
import { APP, podsWith, near, spreadOver } from './pod-parts.ts';

const instanceTypes = [
  makeType('large', {
    capacity: { cpu: '16', memory: '32Gi', pods: '30' },
    offerings: ['zone-a', 'zone-b'].map((zone) => makeOffering(zone, 'on-demand', 1)),
  }),
];
const pools = [{ nodePool: makePool('default'), instanceTypes }];

test('pods that go to two nodes in turn are listed in turn', () => {
  const spread = { labels: APP, topologySpreadConstraints: [spreadOver(ZONE_LABEL)] };
  const pods = ['p', 'q', 'r', 's'].map((name) => makePod(name, spread));
  const snapshot = { ...EMPTY_SNAPSHOT, pools, pods };
  const nodes = placementsInOrder(snapshot, DEFAULT_PLANNING).map(({ node }) => node);
  assert.equal(nodes.length, 4);
  assert.deepEqual([nodes[0], nodes[1]], [nodes[2], nodes[3]]);
  assert.notEqual(nodes[0], nodes[1]);
  const asPlanned = placementsOf(finish(planSnapshot(snapshot, DEFAULT_PLANNING))).map(({ pod }) => pod.metadata.name);
  assert.deepEqual(asPlanned, ['p', 'r', 'q', 's']); // node by node
});

test('a pod that had to wait for another is listed after it', () => {
  const follower = makePod('large', { requests: { cpu: '4' }, affinity: near(podsWith(ZONE_LABEL, APP)) });
  const leader = makePod('small', { labels: APP, requests: { cpu: '1' }, nodeSelector: { [ZONE_LABEL]: 'zone-b' } });
  const snapshot = { ...EMPTY_SNAPSHOT, pools, pods: [follower, leader] };
  const names = placementsInOrder(snapshot, DEFAULT_PLANNING).map(({ pod }) => pod.metadata.name);
  assert.deepEqual(names, ['small', 'large']);
});
