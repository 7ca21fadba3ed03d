import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestCluster } from './testing/cluster.ts';

const NOT_HELPFUL = (count: number): string =>
  `no new claims to deallocate, preemption: 0/${count} nodes are available: ${count} Preemption is not helpful for scheduling.`;

test('nodes are counted by reason, and the lines are sorted as texts', () => {
  const cluster = new TestCluster();
  cluster.node('a');
  cluster.node('b', { taints: [{ key: 'x', effect: 'NoSchedule' }] });
  cluster.node('c', { taints: [{ key: 'x', effect: 'NoExecute' }] });
  assert.equal(
    cluster.messageFor({ requests: { cpu: '5' } }),
    `0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated taint(s). ${NOT_HELPFUL(3)}`,
  );
});

test('ten comes before two, as it does in a text', () => {
  const cluster = new TestCluster();
  for (let i = 0; i < 10; i++) cluster.node(`n${i}`, { unschedulable: true });
  for (let i = 0; i < 2; i++) cluster.node(`m${i}`);
  assert.match(
    cluster.messageFor({ requests: { cpu: '5' } }),
    /^0\/12 nodes are available: 10 node\(s\) were unschedulable, 2 Insufficient cpu\. /,
  );
});

test('nodes from which pods could be moved away are told apart from those where that would not help', () => {
  const cluster = new TestCluster();
  cluster.node('full');
  cluster.put('first', 'full', { requests: { cpu: '3' } });
  cluster.node('small', { allocatable: { cpu: '1' } });
  assert.equal(
    cluster.messageFor({ requests: { cpu: '2' } }),
    '0/2 nodes are available: 2 Insufficient cpu. no new claims to deallocate, preemption: 0/2 nodes are available: ' +
      '1 No preemption victims found for incoming pod, 1 Preemption is not helpful for scheduling.',
  );
});

test('a pod that may not preempt is told only that', () => {
  const cluster = new TestCluster();
  cluster.node('a');
  assert.equal(
    cluster.messageFor({ requests: { cpu: '5' }, preemptionPolicy: 'Never' }),
    '0/1 nodes are available: 1 Insufficient cpu. ' +
      'no new claims to deallocate, preemption: not eligible due to preemptionPolicy=Never.',
  );
});

test('what is wrong with the pod itself is told instead of nodes', () => {
  const cluster = new TestCluster();
  cluster.node('a');
  cluster.node('b', { unschedulable: true });
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }];
  assert.equal(
    cluster.messageFor({ volumes }),
    `0/2 nodes are available: persistentvolumeclaim "data" not found. ${NOT_HELPFUL(2)}`,
  );
});

test('without nodes the message is another', () => {
  assert.equal(new TestCluster().messageFor(), 'no nodes available to schedule pods');
});

test('a node tells all the resources it lacks, but only of its first fault', () => {
  const cluster = new TestCluster();
  cluster.node('a', { allocatable: { pods: '0' } });
  cluster.put('port', 'a', { hostPort: 80 });
  const requests = { cpu: '5', 'example.com/device': '1' };
  const both = cluster.messageFor({ requests });
  assert.match(both, /: 1 Insufficient cpu, 1 Insufficient example\.com\/device, 1 Too many pods\. /);
  assert.match(
    cluster.messageFor({ requests, hostPort: 80 }),
    /: 1 node\(s\) didn't have free ports for the requested pod ports\. /,
  );
});
