import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestCluster } from '../testing/cluster.ts';
import { BEST, partsOfLargest } from './score.ts';

const ZONE = 'topology.kubernetes.io/zone';

function zones(...names: readonly string[]): TestCluster {
  const cluster = new TestCluster();
  for (const name of names) cluster.node(name, { labels: { [ZONE]: name } });
  return cluster;
}

test('nodes are rated however many there are', () => {
  const raw = Array.from({ length: 150_000 }, (_, index) => index);
  assert.equal(partsOfLargest(raw)?.at(-1), BEST);
});

test('the node with the larger free share is best, not the one with more left', () => {
  const cluster = new TestCluster();
  cluster.node('large', { allocatable: { cpu: '40', memory: '80Gi' } });
  cluster.put('filler', 'large', { requests: { cpu: '20', memory: '40Gi' } });
  cluster.node('small');
  assert.equal(cluster.placeFor({ requests: { cpu: '1', memory: '1Gi' } }), 'small');
});

test('of equally free nodes the better balanced one is best', () => {
  const cluster = new TestCluster();
  cluster.node('a', { allocatable: { memory: '4Gi' } });
  cluster.node('b', { allocatable: { memory: '4Gi' } });
  cluster.put('cpu', 'a', { requests: { cpu: '2', memory: '1' } });
  cluster.put('both', 'b', { requests: { cpu: '1', memory: '1Gi' } });
  assert.equal(cluster.placeFor({ requests: { cpu: '1', memory: '1Gi' } }), 'b');
});

test('siblings are kept apart, over zones as well as nodes', () => {
  const cluster = zones('z1', 'z2');
  cluster.node('z1-too', { labels: { [ZONE]: 'z1' } });
  cluster.put('sibling', 'z1', { owner: 'set' });
  cluster.put('filler-1', 'z2', { requests: { cpu: '500m' } });
  assert.equal(cluster.placeFor({ owner: 'set' }), 'z2');
  assert.equal(cluster.placeFor({ owner: 'other' }), 'z1-too');
});

test('ScheduleAnyway prefers the emptier domain, and gives nodes without one nothing', () => {
  const cluster = zones('z1', 'z2');
  cluster.node('none');
  const labels = { app: 'web' };
  const constraint = {
    topologyKey: ZONE,
    maxSkew: 1,
    whenUnsatisfiable: 'ScheduleAnyway',
    labelSelector: { matchLabels: labels },
  };
  cluster.put('one', 'z1', { labels });
  assert.equal(cluster.placeFor({ labels, topologySpreadConstraints: [constraint] }), 'z2');
});

test('a placed pod that requires others near it draws them', () => {
  const cluster = zones('z1', 'z2', 'z3');
  const term = { topologyKey: ZONE, labelSelector: { matchLabels: { app: 'web' } } };
  const affinity = { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
  cluster.put('fan', 'z2', { labels: { app: 'web' }, affinity });
  assert.equal(cluster.placeFor({ labels: { app: 'web' } }), 'z2');
});

test('a placed pod that prefers to be alone keeps others off', () => {
  const cluster = zones('z1', 'z2');
  const podAffinityTerm = { topologyKey: ZONE, labelSelector: { matchLabels: { app: 'web' } } };
  const preferred = [{ weight: 100, podAffinityTerm }];
  const affinity = { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } };
  cluster.put('loner', 'z1', { affinity });
  cluster.put('filler', 'z2', { requests: { cpu: '2' } });
  assert.equal(cluster.placeFor({ labels: { app: 'web' } }), 'z2');
});

test('soft taints count only as far as they are not tolerated', () => {
  const cluster = new TestCluster();
  cluster.node('a', { taints: [{ key: 'x', effect: 'PreferNoSchedule' }] });
  cluster.node('b');
  cluster.put('filler', 'b', { requests: { cpu: '2' } });
  assert.equal(cluster.placeFor(), 'b');
  assert.equal(cluster.placeFor({ tolerations: [{ key: 'x', operator: 'Exists' }] }), 'a');
});
