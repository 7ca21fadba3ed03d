import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CsiNode, PersistentVolumeClaim } from '@karpenter-ts/kubernetes';
import { TestCluster } from '../testing/cluster.ts';
import { boundVolumeClaimObject, volumeClaimObject, lateClass, volumeObject } from '../testing/storage.ts';

function using(...volumeClaims: readonly string[]) {
  return { volumes: volumeClaims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })) };
}

function clusterWith(...volumeClaims: readonly PersistentVolumeClaim[]): TestCluster {
  const cluster = new TestCluster();
  cluster.snapshot.storage.classes.set('late', lateClass());
  for (const volumeClaim of volumeClaims)
    cluster.snapshot.storage.volumeClaims.set(`default/${volumeClaim.metadata.name}`, volumeClaim);
  return cluster;
}

function csiNode(count: number): CsiNode {
  return { metadata: { name: 'a' }, spec: { drivers: [{ name: 'example.com/disks', allocatable: { count } }] } };
}

test('what is wrong with a claim is told in the words of the API server and of kube-scheduler', () => {
  const lost = { ...volumeClaimObject('lost', { volumeName: 'gone' }), status: { phase: 'Lost' } };
  const terminating = volumeClaimObject('terminating');
  const cluster = clusterWith(lost, volumeClaimObject('now', { storageClassName: 'immediate' }), {
    ...terminating,
    metadata: { ...terminating.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
  });
  cluster.node('a');
  const told = (volumeClaim: string) => /: (.*?)\. no new/.exec(cluster.messageFor(using(volumeClaim)))?.[1];
  assert.equal(told('none'), 'persistentvolumeclaim "none" not found');
  assert.equal(told('lost'), 'persistentvolumeclaim "lost" bound to non-existent persistentvolume "gone"');
  assert.equal(told('terminating'), 'persistentvolumeclaim "terminating" is being deleted');
  assert.equal(told('now'), 'pod has unbound immediate PersistentVolumeClaims');
});

test('the claim of a volume made for one pod must exist and belong to it', () => {
  const cluster = clusterWith();
  cluster.node('a');
  const pod = { volumes: [{ name: 'scratch', ephemeral: {} }] };
  const told = () => /: (.*?)\. no new/.exec(cluster.messageFor(pod))?.[1];
  assert.equal(told(), 'waiting for ephemeral volume controller to create the persistentvolumeclaim "any-scratch"');
  const volumeClaim = volumeClaimObject('any-scratch');
  cluster.snapshot.storage.volumeClaims.set('default/any-scratch', volumeClaim);
  assert.equal(told(), 'PVC default/any-scratch was not created for pod default/any (pod is not owner)');
  const ownerReferences = [{ apiVersion: 'v1', kind: 'Pod', name: 'any', uid: 'uid-any', controller: true }];
  cluster.snapshot.storage.volumeClaims.set('default/any-scratch', {
    ...volumeClaim,
    metadata: { ...volumeClaim.metadata, ownerReferences },
  });
  assert.equal(cluster.placeFor(pod), 'a');
});

test('a claim bound to a volume that is gone names it', () => {
  const cluster = clusterWith(boundVolumeClaimObject('data', 'gone'));
  cluster.node('a');
  assert.match(cluster.messageFor(using('data')), /: persistentvolume "gone" not found\. /);
});

test('volumes with several zones in their label are used in each, by old names of the label too', () => {
  const cluster = clusterWith(boundVolumeClaimObject('data', 'disk'));
  for (const zone of ['z1', 'z2', 'z3'])
    cluster.node(zone, { labels: { 'topology.kubernetes.io/zone': zone }, unschedulable: zone === 'z1' });
  const labels = { 'failure-domain.beta.kubernetes.io/zone': 'z1__z3' };
  cluster.snapshot.storage.volumes.set('disk', volumeObject('disk', {}, labels));
  assert.equal(cluster.placeFor(using('data')), 'z3');
  cluster.node('nowhere');
  cluster.snapshot.removeNode('z3');
  assert.equal(cluster.placeFor(using('data')), 'nowhere', 'a node without zone labels takes every volume');
});

test('claims without a volume count for the driver that will make it', () => {
  const cluster = clusterWith(volumeClaimObject('one'), volumeClaimObject('two'));
  cluster.node('a');
  cluster.snapshot.storage.csiNodes.set('a', csiNode(1));
  assert.equal(cluster.schedule('first', using('one')), 'a');
  assert.match(cluster.messageFor(using('two')), /: 1 node\(s\) exceed max volume count\. /);
  cluster.snapshot.storage.csiNodes.set('a', csiNode(2));
  assert.equal(cluster.placeFor(using('two')), 'a');
});

test('a volume still attached counts until it is detached', () => {
  const cluster = clusterWith(volumeClaimObject('data'));
  const { storage } = cluster.snapshot;
  cluster.node('a');
  storage.csiNodes.set('a', csiNode(1));
  storage.volumes.set('old', volumeObject('old', { csi: { driver: 'example.com/disks', volumeHandle: 'old' } }));
  const source = { persistentVolumeName: 'old' };
  const spec = { attacher: 'example.com/disks', nodeName: 'a', source };
  storage.attachments.set('x', { metadata: { name: 'x' }, spec });
  assert.match(cluster.messageFor(using('data')), /exceed max volume count/);
  storage.attachments.delete('x');
  assert.equal(cluster.placeFor(using('data')), 'a');
});
