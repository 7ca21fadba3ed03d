import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { EC2NodeClass } from '@karpenter-ts/apis';
import { NodeClaimNotFoundError } from '@karpenter-ts/cloudprovider';
import { makeNodeClaim } from '@karpenter-ts/cloudprovider/testing';
import { requestLimitExceeded } from '@karpenter-ts/aws-emulator';
import { MINUTE } from '@karpenter-ts/runtime';
import { NEVER } from '@karpenter-ts/runtime/testing';
import { BatchedEc2 } from '../batching/batched-ec2.ts';
import { listInstanceStatuses } from '../interruption/list-instance-statuses.ts';
import { unhealthyInstances } from '../interruption/unhealthy-instances.ts';
import { PlacementGroups } from '../placement/placement-groups.ts';
import { CapacityReservations } from '../reservations/capacity-reservations.ts';
import { ReservationCounts } from '../reservations/reservation-counts.ts';
import { statusReservations } from '../reservations/status-entry.ts';
import { EMULATED_CLUSTER, EMULATED_ZONE, EmulatedAws } from '../testing/emulated-aws.ts';
import { ZonalShifts } from '../zonal-shift/zonal-shifts.ts';
import { Instances } from './instances.ts';
import { placementGroupHook } from './placement-group-hook.ts';

// The parts that read EC2, through AWS' own clients and their XML, on an EC2 in this process.

async function environment(t: TestContext) {
  const aws = await EmulatedAws.start(t);
  const { apis, clock, logger, metrics, emulator, stopping } = aws;
  const { ec2 } = apis;
  const clusterArn = 'arn:aws:eks:us-east-1:111122223333:cluster/test-cluster';
  emulator.arcZonalShift.manage(clusterArn);
  const zonalShifts = new ZonalShifts({ arcZonalShift: apis.arcZonalShift, clusterArn, clock, logger });
  const instances = new Instances({
    ec2,
    batched: new BatchedEc2({ ec2, clock, logger, metrics }),
    zonalShifts,
    metrics,
    clusterName: EMULATED_CLUSTER,
    settings: { reservedCapacity: true },
  });
  const counts = new ReservationCounts(clock);
  const reservations = new CapacityReservations({ ec2, clock, counts, stopping });
  const groups = new PlacementGroups({ ec2, clock, stopping });
  const { network, image } = aws;
  return {
    aws,
    emulator,
    network,
    image,
    levers: emulator.ec2,
    ec2,
    clusterArn,
    zonalShifts,
    instances,
    counts,
    reservations,
    groups,
  };
}

const selecting = (placementGroupSelector: { readonly name?: string; readonly id?: string }): EC2NodeClass =>
  ({ metadata: { name: 'default' }, spec: { placementGroupSelector } }) as unknown as EC2NodeClass;

const targeting = (CapacityReservationId: string) => ({
  CapacityReservationSpecification: {
    CapacityReservationPreference: 'capacity-reservations-only' as const,
    CapacityReservationTarget: { CapacityReservationId },
  },
});

test('an instance is read, listed, tagged and terminated, and is gone at last', async (t) => {
  const { aws, network, image, instances } = await environment(t);
  const id = await aws.launch();
  const read = await aws.settle(instances.get(id, NEVER));
  assert.deepEqual(
    {
      ...read,
      launchTime: read.launchTime instanceof Date,
      tags: Object.keys(read.tags).filter((key) => !key.startsWith('aws:')).length,
    },
    {
      id,
      launchTime: true,
      state: 'running',
      imageId: image,
      type: 'm5.large',
      zone: EMULATED_ZONE,
      zoneId: read.zoneId,
      capacityType: 'on-demand',
      securityGroupIds: [network.securityGroupId],
      subnetId: network.subnetIds[EMULATED_ZONE],
      tags: 3,
      efaCount: 0,
      tenancy: 'default',
    },
  );
  assert.match(read.zoneId, /^use1-az\d$/);
  await aws.settle(instances.createTags(id, { Name: 'node-1' }, NEVER));
  const [listed] = await aws.settle(instances.list(NEVER));
  assert.deepEqual([listed?.id, listed?.tags['Name']], [id, 'node-1']);
  await aws.settle(instances.delete(id, NEVER));
  assert.equal((await aws.settle(instances.getFresh(id, NEVER))).state, 'shutting-down');
  await aws.clock.advance(2 * MINUTE);
  await assert.rejects(aws.settle(instances.delete(id, NEVER)), NodeClaimNotFoundError);
  await assert.rejects(aws.settle(instances.getFresh('i-0123456789abcdef0', NEVER)), NodeClaimNotFoundError);
  assert.deepEqual(await aws.settle(instances.list(NEVER)), []);
});

test('07/105 an instance is reserved until its reservation ends, and then on-demand', async (t) => {
  const { aws, levers, instances, reservations, counts } = await environment(t);
  const spare = { instanceType: 'm5.large', zone: EMULATED_ZONE, count: 2, tags: { team: 'a' } };
  const id = levers.addCapacityReservation(spare);
  const instance = await aws.launch(targeting(id));
  const read = await aws.settle(instances.get(instance, NEVER));
  assert.equal(read.capacityType, 'reserved');
  assert.deepEqual(read.reservation, { id, type: 'default', interruptible: false });
  const terms = [{ id }, { id: 'cr-0123456789abcdef0' }, { tags: { team: '*' } }];
  const found = await aws.settle(reservations.list(terms, NEVER));
  assert.equal(counts.available(id), 1);
  assert.deepEqual(statusReservations(found, aws.clock.now()), {
    entries: [
      {
        availabilityZone: EMULATED_ZONE,
        id,
        instanceMatchCriteria: 'targeted',
        instanceType: 'm5.large',
        interruptible: false,
        ownerID: '111122223333',
        reservationType: 'default',
        state: 'active',
      },
    ],
    problems: [],
  });
  levers.cancelReservation(id);
  await aws.clock.advance(1 * MINUTE);
  assert.equal((await aws.settle(instances.getFresh(instance, NEVER))).capacityType, 'on-demand');
  assert.deepEqual(await aws.settle(reservations.list(terms, NEVER)), []);
});

test('07/107, 07/108 a group is found by name and id, or not at all, and EC2 tells the partition that it chose', async (t) => {
  const { aws, levers, instances, groups } = await environment(t);
  const id = levers.addPlacementGroup({ name: 'racks', strategy: 'partition', partitions: 3 });
  const group = { id, name: 'racks', strategy: 'partition', partitionCount: 3 };
  assert.deepEqual(await aws.settle(groups.resolve(selecting({ name: 'racks' }), NEVER)), group);
  assert.deepEqual(await aws.settle(groups.resolve(selecting({ id }), NEVER)), group);
  assert.deepEqual(await aws.settle(groups.find(selecting({ name: 'nowhere' }), NEVER)), { group: undefined });
  assert.deepEqual(await aws.settle(groups.find(selecting({ id: 'pg-0123456789abcdef0' }), NEVER)), {
    group: undefined,
  });
  const instance = await aws.launch({ Placement: { GroupId: id } });
  const labels = { 'karpenter.k8s.aws/placement-group-id': id, 'karpenter.k8s.aws/placement-group-partition': '' };
  const nodeClaim = { ...makeNodeClaim('claim', { labels }), status: { providerID: `aws:///us-east-1a/${instance}` } };
  const result = await aws.settle(placementGroupHook(instances).prepare(nodeClaim, NEVER));
  assert.ok(result.ready);
  assert.match(result.nodeClaim.metadata.labels?.['karpenter.k8s.aws/placement-group-partition'] ?? '', /^[1-3]$/);
});

test('07/110, 08/118 failing checks and events are told of an instance, until they are over', async (t) => {
  const { aws, levers, ec2 } = await environment(t);
  const id = await aws.launch();
  const find = async () => unhealthyInstances(await aws.settle(listInstanceStatuses(ec2, NEVER)), aws.clock.now());
  assert.deepEqual(await find(), []);
  levers.impair(id, 'system');
  await aws.clock.advance(3 * MINUTE);
  assert.deepEqual(await find(), [{ id, categories: ['SystemStatus'] }]);
  levers.recover(id, 'system');
  const event = levers.scheduleEvent(id, { code: 'instance-retirement', notBefore: aws.clock.now() + 60 * MINUTE });
  assert.deepEqual(await find(), [{ id, categories: ['EventStatus'] }]);
  levers.endEvent(id, event, 'Canceled');
  assert.deepEqual(await find(), []);
});

test('07/49, 07/93 an instance is left alone while its zone is shifted away from', async (t) => {
  const { aws, clusterArn, instances, zonalShifts, emulator } = await environment(t);
  const id = await aws.launch();
  const { zoneId } = await aws.settle(instances.get(id, NEVER));
  const shift = emulator.arcZonalShift.startShift({ resource: clusterArn, awayFrom: zoneId });
  await aws.settle(zonalShifts.refresh(NEVER));
  await assert.rejects(aws.settle(instances.delete(id, NEVER)), /skipping termination$/);
  emulator.arcZonalShift.cancelShift(shift);
  await aws.settle(zonalShifts.refresh(NEVER));
  await aws.settle(instances.delete(id, NEVER));
  assert.equal(emulator.ec2.findInstance(id)?.state, 'shutting-down');
});

test('a listing that is throttled for a moment comes all the same', async (t) => {
  const { aws, instances, emulator } = await environment(t);
  const id = await aws.launch();
  emulator.faults.inject(requestLimitExceeded, { operation: 'DescribeInstances', times: 1 });
  const listed = await aws.settle(instances.list(NEVER));
  assert.deepEqual(
    listed.map((one) => one.id),
    [id],
  );
});
