import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestCluster } from './testing/cluster.ts';

test('a pod is unschedulable only if every node says no, however many there are', () => {
  const cluster = new TestCluster();
  for (let i = 0; i < 500; i++) cluster.node(`n${i}`, { allocatable: { cpu: '1' } });
  cluster.node('last');
  assert.equal(cluster.placeFor({ requests: { cpu: '2' } }), 'last');
  assert.match(cluster.messageFor({ requests: { cpu: '5' } }), /^0\/501 nodes are available: 501 Insufficient cpu\./);
});

test('searches go on where the last one ended, so that all of many nodes are used', () => {
  const cluster = new TestCluster();
  for (let i = 0; i < 400; i++) cluster.node(`n${i}`);
  const used = new Set(Array.from({ length: 400 }, (_, i) => cluster.schedule(`p${i}`, { requests: { cpu: '1' } })));
  assert.equal(used.size, 400);
});

test('the node promised to a pod is taken even if others are emptier', () => {
  const cluster = new TestCluster();
  cluster.node('a');
  cluster.node('b');
  cluster.put('first', 'a', { requests: { cpu: '3' } });
  const placement = cluster.placer.place(cluster.pending('pod', { requests: { cpu: '1' } }, 'a'));
  assert.equal(placement.kind === 'node' && placement.node.name, 'a');
});

test('room promised to a pod is kept from others of its priority, but not from those above', () => {
  const cluster = new TestCluster();
  cluster.node('a');
  cluster.nominations.set(cluster.pending('promised', { requests: { cpu: '3' }, priority: 5 }, 'a'));
  assert.match(cluster.messageFor({ requests: { cpu: '2' }, priority: 5 }), /1 Insufficient cpu/);
  assert.equal(cluster.placeFor({ requests: { cpu: '2' }, priority: 6 }), 'a');
  assert.equal(cluster.snapshot.findPlaced('default/promised'), undefined, 'the question left nothing behind');
});

test('a pod a promised one shuns stays away from its node', () => {
  const cluster = new TestCluster();
  cluster.node('a');
  const term = { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'web' } } };
  const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
  cluster.nominations.set(cluster.pending('shy', { affinity }, 'a'));
  assert.match(cluster.messageFor({ labels: { app: 'web' } }), /didn't satisfy existing pods anti-affinity rules/);
});

test('a verdict is reused for equal pods only as long as nothing changes', () => {
  const cluster = new TestCluster();
  cluster.node('a', { allocatable: { cpu: '1' } });
  const first = cluster.decide('first', { requests: { cpu: '2' } });
  const second = cluster.decide('second', { requests: { cpu: '2' } });
  assert.ok(first.kind === 'none' && second.kind === 'none');
  assert.equal(second.failure, first.failure);
  cluster.node('b');
  assert.equal(cluster.placeFor({ requests: { cpu: '2' } }), 'b');
});

test('of nodes named by affinity only those are looked at', () => {
  const cluster = new TestCluster();
  for (const name of ['a', 'b', 'c']) cluster.node(name);
  const named = (...values: string[]) => {
    const nodeSelectorTerms = values.map((value) => ({
      matchFields: [{ key: 'metadata.name', operator: 'In', values: [value] }],
    }));
    return { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } };
  };
  assert.equal(cluster.placeFor({ affinity: named('b') }), 'b');
  assert.match(
    cluster.messageFor({ affinity: named('b', 'gone'), requests: { cpu: '5' } }),
    /: 1 Insufficient cpu, 2 node\(s\) didn't satisfy plugin\(s\) \[NodeAffinity\]\. /,
  );
});

test('a node whose name must be two at once is none', () => {
  const cluster = new TestCluster();
  cluster.node('a');
  const matchFields = ['a', 'b'].map((value) => ({ key: 'metadata.name', operator: 'In', values: [value] }));
  const required = { nodeSelectorTerms: [{ matchFields }] };
  const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } };
  assert.match(cluster.messageFor({ affinity }), /^0\/1 nodes are available: pod affinity terms conflict\. /);
});
