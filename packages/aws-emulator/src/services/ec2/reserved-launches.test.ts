import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CreateFleetCommandOutput } from '@aws-sdk/client-ec2';
import { startEc2, ZONE } from './testing/ec2-fixture.ts';

const HOUR = 3_600_000;

const idsOf = ({ Instances = [] }: CreateFleetCommandOutput): readonly string[] =>
  Instances.flatMap(({ InstanceIds = [] }) => InstanceIds);
const codesOf = ({ Errors = [] }: CreateFleetCommandOutput): unknown => Errors.map(({ ErrorCode }) => ErrorCode);

const byNumber = (a?: number, b?: number): number => a! - b!;

const targeting = (CapacityReservationId: string): object => ({
  CapacityReservationSpecification: {
    CapacityReservationPreference: 'capacity-reservations-only',
    CapacityReservationTarget: { CapacityReservationId },
  },
});

test('a targeted reservation takes as many instances as it has, whatever else there is', async (t) => {
  const { template, fleet, running, instance, ec2, clock } = await startEc2(t);
  ec2.setCapacity({}, 0);
  const reservation = ec2.addCapacityReservation({ instanceType: 'm5.large', zone: ZONE, count: 2 });
  const name = await template('reserved', targeting(reservation));
  const launched = await fleet({ template: name, types: ['m5.large'], count: 3 });
  assert.deepEqual([idsOf(launched).length, codesOf(launched)], [2, ['ReservationCapacityExceeded']]);
  const [first] = await running(launched);
  const found = (await instance(first!))!;
  assert.equal(found.CapacityReservationId, reservation);
  const { CapacityReservationPreference } = found.CapacityReservationSpecification!;
  assert.equal(CapacityReservationPreference, 'capacity-reservations-only');
  ec2.terminate(first!);
  await clock.advance(60_000);
  assert.equal(idsOf(await fleet({ template: name, types: ['m5.large'] })).length, 1);
  const unfitting = await fleet({ template: name, types: ['m5.xlarge'] });
  assert.deepEqual(codesOf(unfitting), ['ReservationCapacityExceeded']);
});

test('an open reservation takes what fits it, unless the launch wants none', async (t) => {
  const { template, fleet, running, instance, ec2 } = await startEc2(t);
  const reservation = ec2.addCapacityReservation({
    instanceType: 'm5.large',
    zone: ZONE,
    count: 1,
    matchCriteria: 'open',
  });
  const none = await template('none', { CapacityReservationSpecification: { CapacityReservationPreference: 'none' } });
  const open = await template('open');
  const reservedIn = async (name: string): Promise<string | undefined> => {
    const [id] = await running(await fleet({ template: name, types: ['m5.large'] }));
    return (await instance(id!))?.CapacityReservationId;
  };
  assert.equal(await reservedIn(none), undefined);
  assert.equal(await reservedIn(open), reservation);
  assert.equal(await reservedIn(open), undefined);
});

test('an instance whose reservation is cancelled, or that leaves it, runs on outside it', async (t) => {
  const { template, fleet, running, instance, ec2 } = await startEc2(t);
  const reservation = ec2.addCapacityReservation({ instanceType: 'm5.large', zone: ZONE, count: 2 });
  const name = await template('reserved', targeting(reservation));
  const [first, second] = await running(await fleet({ template: name, types: ['m5.large'], count: 2 }));
  ec2.leaveReservation(first!);
  assert.equal((await instance(first!))?.CapacityReservationId, undefined);
  assert.equal((await instance(second!))?.CapacityReservationId, reservation);
  ec2.cancelReservation(reservation);
  assert.equal((await instance(second!))?.CapacityReservationId, undefined);
  assert.equal((await instance(second!))?.State?.Name, 'running');
});

test('what is in a capacity block is terminated half an hour before its end', async (t) => {
  const { template, fleet, running, instance, ec2, clock } = await startEc2(t);
  const reservation = ec2.addCapacityReservation({
    instanceType: 'p5.48xlarge',
    zone: ZONE,
    count: 1,
    type: 'capacity-block',
    endsAt: clock.now() + 24 * HOUR,
  });
  const name = await template('block', {
    ...targeting(reservation),
    InstanceMarketOptions: { MarketType: 'capacity-block' },
  });
  const launched = await fleet({ template: name, types: ['p5.48xlarge'], kind: 'capacity-block' });
  const [id] = await running(launched);
  assert.equal((await instance(id!))?.InstanceLifecycle, 'capacity-block');
  await clock.advance(23.4 * HOUR);
  assert.equal((await instance(id!))?.State?.Name, 'running');
  await clock.advance(0.2 * HOUR);
  assert.equal((await instance(id!))?.State?.Name, 'terminated');
  const late = await fleet({ template: name, types: ['p5.48xlarge'], kind: 'capacity-block' });
  assert.equal(idsOf(late).length, 1);
  await clock.advance(HOUR);
  assert.equal(ec2.findReservation(reservation)?.state, 'expired');
});

test('a reservation is used by launches of its own kind only', async (t) => {
  const { template, fleet, ec2, clock } = await startEc2(t);
  const block = ec2.addCapacityReservation({
    instanceType: 'p5.48xlarge',
    zone: ZONE,
    count: 1,
    type: 'capacity-block',
    endsAt: clock.now() + 24 * HOUR,
  });
  const plain = await template('plain', targeting(block));
  const asOnDemand = await fleet({ template: plain, types: ['p5.48xlarge'] });
  const withoutMarket = await fleet({ template: plain, types: ['p5.48xlarge'], kind: 'capacity-block' });
  const untargeted = await template('untargeted', { InstanceMarketOptions: { MarketType: 'capacity-block' } });
  const withoutTarget = await fleet({ template: untargeted, types: ['p5.48xlarge'], kind: 'capacity-block' });
  for (const refused of [asOnDemand, withoutMarket, withoutTarget]) {
    assert.deepEqual([idsOf(refused), codesOf(refused)], [[], ['InvalidParameterCombination']]);
  }
  const only = {
    CapacityReservationSpecification: { CapacityReservationPreference: 'capacity-reservations-only' as const },
  };
  const none = await fleet({ template: await template('only', only), types: ['m5.large'] });
  assert.deepEqual([idsOf(none), codesOf(none)], [[], ['ReservationCapacityExceeded']]);
});

test('an interruptible reservation can be taken back', async (t) => {
  const { template, fleet, running, instance, ec2, heard, clock } = await startEc2(t);
  const reservation = ec2.addCapacityReservation({
    instanceType: 'm5.large',
    zone: ZONE,
    count: 1,
    isInterruptible: true,
  });
  const name = await template('interruptible', {
    ...targeting(reservation),
    InstanceMarketOptions: { MarketType: 'interruptible-capacity-reservation' },
  });
  const [id] = await running(
    await fleet({
      template: name,
      types: ['m5.large'],
      kind: 'reserved-capacity',
      more: {
        OnDemandOptions: undefined,
        ReservedCapacityOptions: { ReservationTypes: ['interruptible-capacity-reservation'] },
      },
    }),
  );
  assert.equal((await instance(id!))?.InstanceLifecycle, 'interruptible-capacity-reservation');
  ec2.interrupt(id!);
  assert.equal(heard.at(-1)!['detail-type'], 'EC2 Capacity Reservation Instance Interruption Warning');
  await clock.advance(120_000);
  assert.equal((await instance(id!))?.State?.Name, 'shutting-down');
});

test('a spread group takes seven instances in a zone', async (t) => {
  const { template, fleet, ec2 } = await startEc2(t);
  const GroupId = ec2.addPlacementGroup({ name: 'apart', strategy: 'spread' });
  const name = await template('spread', { Placement: { GroupId } });
  const launched = await fleet({ template: name, types: ['m5.large'], count: 8 });
  assert.equal(idsOf(launched).length, 7);
  assert.deepEqual(codesOf(launched), ['InsufficientInstanceCapacity']);
  assert.match(launched.Errors![0]!.ErrorMessage!, /limit of instances in this spread placement group/);
  assert.equal(idsOf(await fleet({ template: name, types: ['m5.large'], zones: ['us-east-1b'] })).length, 1);
});

test('instances of a partition group go where they are told, and spread otherwise', async (t) => {
  const { template, fleet, running, instance, ec2 } = await startEc2(t);
  const GroupId = ec2.addPlacementGroup({ name: 'parts', strategy: 'partition', partitions: 3 });
  const partitions = async (name: string, count: number): Promise<(number | undefined)[]> => {
    const ids = await running(await fleet({ template: name, types: ['m5.large'], count }));
    const found = await Promise.all(ids.map(instance));
    return found.map((one) => one?.Placement?.PartitionNumber);
  };
  const second = await template('second', { Placement: { GroupId, PartitionNumber: 2 } });
  assert.deepEqual(await partitions(second, 2), [2, 2]);
  assert.deepEqual(await partitions(await template('any'), 1), [undefined]);
  assert.deepEqual(
    (await partitions(await template('grouped', { Placement: { GroupId } }), 3)).toSorted(byNumber),
    [1, 1, 3],
  );
  const none = await template('fourth', { Placement: { GroupId, PartitionNumber: 4 } });
  assert.deepEqual(codesOf(await fleet({ template: none, types: ['m5.large'] })), ['InvalidParameterValue']);
});
