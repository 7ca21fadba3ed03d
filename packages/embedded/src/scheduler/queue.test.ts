import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { SECOND, VirtualClock } from '@karpenter-ts/runtime';
import { podAffinity } from './filters/pod-affinity.ts';
import { resources } from './filters/resources.ts';
import { taintToleration } from './filters/taints.ts';
import { topologySpread } from './filters/topology-spread.ts';
import type { NodeEntry } from './model/node-entry.ts';
import { SchedulingQueue } from './queue.ts';
import { TestCluster, type TestPod } from './testing/cluster.ts';

let clock: VirtualClock;
let cluster: TestCluster;
let queue: SchedulingQueue;
let turns: [key: string, priority: number][];

beforeEach(() => {
  clock = new VirtualClock();
  cluster = new TestCluster();
  queue = new SchedulingQueue({
    clock,
    namespaces: cluster.snapshot.namespaces,
    mayTake: (node, pod, filters) => cluster.placer.mayTake(node, pod, filters),
  });
  turns = [];
  queue.attach({ add: (key, priority = 0) => turns.push([key, priority]), addAfter: () => assert.fail() });
});

function entry(name: string): NodeEntry {
  cluster.node(name);
  return cluster.snapshot.findNode(name)!;
}

test('a new pod gets a turn at its priority', () => {
  queue.set(cluster.pending('pod', { priority: 7 }));
  assert.deepEqual(turns, [['default/pod', 7]]);
});

test('a pod gets another turn only when it changes in what decides where it goes', () => {
  queue.set(cluster.pending('pod'));
  queue.set(cluster.pending('pod', {}, 'promised'));
  assert.equal(turns.length, 1);
  assert.equal(queue.take('default/pod')?.nominatedNode, 'promised');
  queue.set(cluster.pending('pod', { labels: { app: 'web' } }));
  assert.equal(turns.length, 2);
});

test('an unschedulable pod is retried on events that help the filter that rejected it, and on no other', () => {
  const pod = cluster.pending('pod');
  queue.set(pod);
  queue.addUnschedulable(pod, new Set([taintToleration]));
  turns = [];
  queue.moveToActive({ kind: 'pod removed', pod: cluster.classOf(), node: entry('a') });
  queue.moveToActive({ kind: 'storage changed' });
  assert.deepEqual(turns, []);
  queue.moveToActive({ kind: 'node changed', node: entry('a') });
  assert.equal(turns.length, 1);
});

test('a node that cannot take a pod does not wake it', () => {
  const pod = cluster.pending('pod', { requests: { cpu: '5' } });
  queue.set(pod);
  queue.addUnschedulable(pod, new Set([resources]));
  turns = [];
  queue.moveToActive({ kind: 'node added', node: entry('a') });
  assert.deepEqual(turns, []);
  cluster.node('large', { allocatable: { cpu: '8' } });
  queue.moveToActive({ kind: 'node added', node: cluster.snapshot.findNode('large')! });
  assert.equal(turns.length, 1);
});

test('a node that only another filter has something against wakes a pod once, to be told', () => {
  const pod = cluster.pending('pod', { requests: { cpu: '5' } });
  queue.set(pod);
  queue.addUnschedulable(pod, new Set([taintToleration]));
  turns = [];
  queue.moveToActive({ kind: 'node added', node: entry('a') });
  assert.equal(turns.length, 1);
  queue.addUnschedulable(queue.take('default/pod')!, new Set([taintToleration, resources]));
  queue.moveToActive({ kind: 'node added', node: entry('b') });
  assert.equal(turns.length, 1);
});

test('a pod that waits for balance is woken by the pods its constraint counts, wherever they are', () => {
  const constraint = { topologyKey: 'zone', maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule' };
  const labelSelector = { matchLabels: { app: 'web' } };
  const pod = cluster.pending('pod', {
    requests: { cpu: '5' },
    topologySpreadConstraints: [{ ...constraint, labelSelector }],
  });
  queue.set(pod);
  queue.addUnschedulable(pod, new Set([resources, topologySpread]));
  turns = [];
  const node = entry('a');
  queue.moveToActive({ kind: 'pod removed', pod: cluster.classOf({ labels: { app: 'other' } }), node });
  queue.moveToActive({
    kind: 'pod removed',
    pod: cluster.classOf({ labels: { app: 'web' }, namespace: 'other' }),
    node,
  });
  assert.deepEqual(turns, []);
  queue.moveToActive({ kind: 'pod removed', pod: cluster.classOf({ labels: { app: 'web' } }), node });
  assert.equal(turns.length, 1);
});

test('a pod is woken by the coming of those it wants near, and the going of those it is kept from', () => {
  const term = (app: string) => ({ topologyKey: 'zone', labelSelector: { matchLabels: { app } } });
  const required = (app: string) => ({ requiredDuringSchedulingIgnoredDuringExecution: [term(app)] });
  const affinity = { podAffinity: required('friend'), podAntiAffinity: required('foe') };
  const shy = { podAntiAffinity: required('me') };
  const node = entry('a');
  const isWokenBy = (kind: 'pod placed' | 'pod removed', other: TestPod): boolean => {
    const pod = cluster.pending('pod', { labels: { app: 'me' }, affinity });
    queue.set(pod);
    queue.addUnschedulable(pod, new Set([podAffinity]));
    turns = [];
    queue.moveToActive({ kind, pod: cluster.classOf(other), node });
    return turns.length === 1;
  };
  assert.ok(isWokenBy('pod placed', { labels: { app: 'friend' } }));
  assert.ok(isWokenBy('pod removed', { labels: { app: 'foe' } }));
  assert.ok(isWokenBy('pod removed', { affinity: shy }));
  assert.ok(!isWokenBy('pod placed', { labels: { app: 'stranger' } }));
});

test('a pod that found no node at all waits for one', () => {
  const pod = cluster.pending('pod');
  queue.set(pod);
  queue.addUnschedulable(pod, new Set());
  turns = [];
  queue.moveToActive({ kind: 'pod removed', pod: cluster.classOf(), node: entry('a') });
  assert.deepEqual(turns, []);
  queue.moveToActive({ kind: 'node added', node: entry('a') });
  assert.equal(turns.length, 1);
});

test('equal pods are woken together, and each once', () => {
  const pods = ['one', 'two'].map((name) => cluster.pending(name));
  for (const pod of pods) {
    queue.set(pod);
    queue.addUnschedulable(pod, new Set([resources]));
  }
  turns = [];
  queue.moveToActive({ kind: 'node added', node: entry('a') });
  queue.moveToActive({ kind: 'node added', node: entry('b') });
  assert.deepEqual(
    turns.map(([key]) => key),
    ['default/one', 'default/two'],
  );
});

test('a pod just tried goes behind all others for 1, 2, 4, 8 and then 10 seconds', async () => {
  const pod = cluster.pending('pod', { priority: 7 });
  queue.set(pod);
  const node = entry('a');
  for (const seconds of [1, 2, 4, 8, 10, 10]) {
    queue.addUnschedulable(pod, new Set([resources]));
    await clock.advance(seconds * SECOND - 1);
    queue.moveToActive({ kind: 'node added', node: node });
    assert.ok(turns.at(-1)![1] < -(2 ** 31), `after ${seconds} s less a moment`);
    queue.take(pod.key);
  }
  queue.addUnschedulable(pod, new Set([resources]));
  await clock.advance(10 * SECOND);
  queue.moveToActive({ kind: 'node added', node: node });
  assert.equal(turns.at(-1)![1], 7);
});

test('a pod unschedulable for five minutes is tried again without any event', async () => {
  const [early, late] = [cluster.pending('early'), cluster.pending('late')];
  queue.set(early);
  queue.set(late);
  queue.addUnschedulable(early, new Set([resources]));
  await clock.advance(1 * SECOND);
  queue.addUnschedulable(late, new Set([resources]));
  turns = [];
  await clock.advance(299 * SECOND);
  queue.flushUnschedulable();
  assert.deepEqual(turns, [['default/early', 0]]);
  queue.moveToActive({ kind: 'node added', node: entry('a') });
  assert.deepEqual(turns.slice(1), [['default/late', 0]]);
});

test('a pod that is gone is neither taken nor woken, and its failures are forgotten', () => {
  const pod = cluster.pending('pod');
  queue.set(pod);
  queue.addUnschedulable(pod, new Set([resources]));
  queue.delete(pod.key);
  turns = [];
  queue.moveToActive({ kind: 'node added', node: entry('a') });
  assert.deepEqual(turns, []);
  assert.equal(queue.take(pod.key), undefined);
});
