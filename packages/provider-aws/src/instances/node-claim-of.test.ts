import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EC2NodeClass } from '@karpenter-ts/apis';
import type { PlacementGroup } from '../placement/placement-group.ts';
import type { Instance } from './instance.ts';
import { nodeClaimOf } from './node-claim-of.ts';
import { typeDataOf } from './type-data.ts';

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5);

const instance: Instance = {
  id: 'i-1',
  launchTime: new Date(NOW - 60_000),
  state: 'running',
  imageId: 'ami-1',
  type: 'm5.large',
  zone: 'us-west-2a',
  zoneId: '',
  capacityType: 'spot',
  securityGroupIds: [],
  subnetId: 'subnet-1',
  tags: { 'karpenter.sh/nodepool': 'default', 'karpenter.k8s.aws/ec2nodeclass': 'class' },
  efaCount: 0,
  tenancy: 'default',
};
const type = typeDataOf({
  name: 'm5.large',
  requirements: [
    { key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['m5.large'] },
    { key: 'topology.kubernetes.io/zone', operator: 'In', values: ['us-west-2a', 'us-west-2b'] },
    { key: 'karpenter.k8s.aws/instance-gpu-count', operator: 'DoesNotExist' },
    { key: 'karpenter.k8s.aws/capacity-reservation-id', operator: 'In', values: ['cr-1'] },
    { key: 'karpenter.k8s.aws/capacity-reservation-type', operator: 'In', values: ['default'] },
    { key: 'karpenter.k8s.aws/capacity-reservation-interruptible', operator: 'In', values: ['false'] },
  ],
  offerings: [],
  capacity: { cpu: '2', memory: '8Gi', 'nvidia.com/gpu': '0', 'vpc.amazonaws.com/efa': '1' },
  overhead: { kubeReserved: { cpu: '70m' }, evictionThreshold: { memory: '100Mi' } },
});
const nodeClass = {
  status: { subnets: [{ id: 'subnet-1', zone: 'us-west-2a', zoneID: 'usw2-az1' }] },
} as unknown as EC2NodeClass;
const PARTITION_GROUP: PlacementGroup = { id: 'pg-1', name: 'group', strategy: 'partition', partitionCount: 3 };

test('a NodeClaim carries what has one value for the type, where it is and how it was bought', () => {
  const { metadata, status } = nodeClaimOf({ instance, type, nodeClass }, NOW);
  assert.deepEqual(metadata.labels, {
    'node.kubernetes.io/instance-type': 'm5.large',
    'topology.kubernetes.io/zone': 'us-west-2a',
    'topology.k8s.aws/zone-id': 'usw2-az1',
    'karpenter.sh/capacity-type': 'spot',
    'karpenter.k8s.aws/instance-tenancy': 'default',
    'karpenter.sh/nodepool': 'default',
  });
  assert.equal(metadata.creationTimestamp, '2026-01-02T03:03:05Z');
  assert.equal(metadata.deletionTimestamp, undefined);
  assert.deepEqual(status, {
    providerID: 'aws:///us-west-2a/i-1',
    imageID: 'ami-1',
    capacity: { cpu: '2', memory: '8Gi' },
    allocatable: { cpu: '1930m', memory: '8092Mi' },
  });
});

test('interfaces for EFA are shown if the instance has any', () => {
  const { status } = nodeClaimOf({ instance: { ...instance, efaCount: 1 }, type }, NOW);
  assert.equal(status?.capacity?.['vpc.amazonaws.com/efa'], '1');
  assert.equal(status?.allocatable?.['vpc.amazonaws.com/efa'], '1');
});

test('an instance whose type is not known any more says where it is and how it was bought', () => {
  const { metadata, status } = nodeClaimOf({ instance }, NOW);
  assert.deepEqual(metadata.labels, {
    'topology.kubernetes.io/zone': 'us-west-2a',
    'karpenter.sh/capacity-type': 'spot',
    'karpenter.k8s.aws/instance-tenancy': 'default',
    'karpenter.sh/nodepool': 'default',
  });
  assert.deepEqual(status, { providerID: 'aws:///us-west-2a/i-1', imageID: 'ami-1' });
});

test('a reserved instance has the labels of its own reservation', () => {
  const reservation = { id: 'cr-2', type: 'capacity-block', interruptible: false } as const;
  const { metadata } = nodeClaimOf({ instance: { ...instance, capacityType: 'reserved', reservation }, type }, NOW);
  assert.equal(metadata.labels?.['karpenter.k8s.aws/capacity-reservation-id'], 'cr-2');
  assert.equal(metadata.labels?.['karpenter.k8s.aws/capacity-reservation-type'], 'capacity-block');
  assert.equal(metadata.labels?.['karpenter.k8s.aws/capacity-reservation-interruptible'], 'false');
});

test('a partition that nobody asked for is an empty label, until EC2 tells which it chose', () => {
  const group = 'karpenter.k8s.aws/placement-group-id';
  const partition = 'karpenter.k8s.aws/placement-group-partition';
  const labels = (placementGroup: PlacementGroup, asked?: string) =>
    nodeClaimOf({ instance, type, placementGroup, partition: asked }, NOW).metadata.labels!;
  assert.equal(labels(PARTITION_GROUP)[group], 'pg-1');
  assert.equal(labels(PARTITION_GROUP)[partition], '');
  assert.equal(labels(PARTITION_GROUP, '2')[partition], '2');
  assert.equal(labels({ ...PARTITION_GROUP, strategy: 'spread' }, '2')[partition], undefined);
});

for (const state of ['shutting-down', 'terminated']) {
  test(`an instance that is ${state} is one that is being deleted`, () => {
    const { metadata } = nodeClaimOf({ instance: { ...instance, state } }, NOW);
    assert.equal(metadata.deletionTimestamp, '2026-01-02T03:04:05Z');
  });
}
