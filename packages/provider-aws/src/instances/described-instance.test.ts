import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Instance as Ec2Instance } from '@aws-sdk/client-ec2';
import { instanceOf } from './described-instance.ts';
import { described } from './testing/fake-instances.ts';

const ON = { reservedCapacity: true };
const RESERVED: Ec2Instance = {
  CapacityReservationId: 'cr-1',
  CapacityReservationSpecification: { CapacityReservationPreference: 'capacity-reservations-only' },
};

test('an instance has what EC2 says of it', () => {
  assert.deepEqual(
    instanceOf(
      described('i-1', {
        Placement: { PartitionNumber: 3, Tenancy: 'dedicated' },
        NetworkInterfaces: ['interface', 'efa', 'efa-only'].map((InterfaceType) => ({ InterfaceType })),
      }),
      ON,
    ),
    {
      id: 'i-1',
      launchTime: new Date('2026-01-01T00:00:00Z'),
      state: 'running',
      imageId: 'ami-1',
      type: 'm5.large',
      zone: 'us-west-2a',
      zoneId: 'usw2-az1',
      capacityType: 'on-demand',
      securityGroupIds: ['sg-1'],
      subnetId: 'subnet-1',
      tags: {
        'karpenter.sh/nodepool': 'default',
        'karpenter.k8s.aws/ec2nodeclass': 'default',
        'eks:eks-cluster-name': 'test-cluster',
      },
      efaCount: 2,
      tenancy: 'dedicated',
      partition: 3,
    },
  );
});

test('what EC2 leaves out is empty; the tenancy is then the default, and partition 0 is none', () => {
  const { tenancy, partition, zone, tags } = instanceOf({ Placement: { PartitionNumber: 0 } }, ON);
  assert.deepEqual([tenancy, partition, zone, tags], ['default', undefined, '', {}]);
  assert.equal(instanceOf({}, ON).tenancy, 'default');
});

test('07/95 an instance of a reservation is reserved if its launch asked for that and the feature is on', () => {
  const kindOf = (parts: Ec2Instance, settings = ON) => {
    const { capacityType, reservation } = instanceOf(described('i-1', parts), settings);
    return [capacityType, reservation?.id];
  };
  assert.deepEqual(kindOf(RESERVED), ['reserved', 'cr-1']);
  assert.deepEqual(kindOf(RESERVED, { reservedCapacity: false }), ['on-demand', undefined]);
  const inOpenReservation = { CapacityReservationSpecification: { CapacityReservationPreference: 'open' } } as const;
  assert.deepEqual(kindOf({ ...RESERVED, ...inOpenReservation }), ['on-demand', undefined]);
  assert.deepEqual(kindOf({ ...RESERVED, SpotInstanceRequestId: 'sir-1' }), ['spot', undefined]);
});

for (const [InstanceLifecycle, type, interruptible] of [
  ['capacity-block', 'capacity-block', false],
  ['interruptible-capacity-reservation', 'default', true],
  [undefined, 'default', false],
] as const) {
  test(`an instance of lifecycle ${InstanceLifecycle} draws on a reservation of type ${type}`, () => {
    const instance = described('i-1', { ...RESERVED, ...(InstanceLifecycle && { InstanceLifecycle }) });
    assert.deepEqual(instanceOf(instance, ON).reservation, { id: 'cr-1', type, interruptible });
  });
}
