import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CreateError, InsufficientCapacityError } from '@karpenter-ts/cloudprovider';
import { findCause, type StructuredError } from '@karpenter-ts/runtime';
import { type FailedLaunch, fleetFailure, marksOf, readFleetError, reasonOf } from './fleet-errors.ts';
import { offering, reserved, typeOf } from './testing/types.ts';

const SPREAD = "You've reached the limit of instances in this spread placement group.";
const launch: FailedLaunch = {
  types: [typeOf('m5.large', [offering('spot', 1)]), typeOf('c5.large', [offering('spot', 1)])],
  capacityType: 'spot',
  placementGroupId: undefined,
  partition: undefined,
};
const inReservations: FailedLaunch = {
  ...launch,
  capacityType: 'reserved',
  types: [typeOf('m5.large', [reserved('cr-1', 0.1), reserved('cr-2', 0.1, { zone: 'b' })])],
};

const error = (
  code: string,
  message = '',
  parts: { zone?: string; instanceType?: string; subnetId?: string } = {},
) => ({
  code,
  message,
  instanceType: 'm5.large',
  zone: 'a',
  subnetId: '',
  ...parts,
});

test('07/70 a quota marks the one pool that it was told of', () => {
  const pool = {
    instanceType: 'm5.large',
    zone: 'a',
    capacityType: 'spot',
    placementGroupId: undefined,
    partition: undefined,
  };
  for (const code of ['MaxFleetCountExceeded', 'VcpuLimitExceeded', 'MaxSpotInstanceCountExceeded', 'Unsupported']) {
    assert.deepEqual(marksOf(error(code), launch), [{ unavailable: 'offering', pool, reason: code }]);
  }
});

test('errors that are not about capacity mark nothing', () => {
  for (const code of [
    'RequestLimitExceeded',
    'InvalidParameter',
    'PendingVerification',
    'too few instances returned',
  ]) {
    assert.deepEqual(marksOf(error(code), launch), []);
    assert.deepEqual(marksOf(error(code), inReservations), []);
  }
});

test('07/67 a subnet without addresses is marked, and so is the pool; of a reserved launch only the subnet', () => {
  const full = error('InsufficientFreeAddressesInSubnet', 'full', { subnetId: 'subnet-1' });
  const kinds = (of: FailedLaunch, one = full) => marksOf(one, of).map(({ unavailable }) => unavailable);
  assert.deepEqual(kinds(launch), ['subnet', 'offering']);
  assert.deepEqual(kinds(inReservations), ['subnet', 'reservation']);
  assert.deepEqual(kinds(launch, { ...full, subnetId: '' }), ['offering']);
});

test('07/69 without the role for spot all of spot is unavailable', () => {
  assert.deepEqual(marksOf(error('AuthFailure.ServiceLinkedRoleCreationNotPermitted'), launch), [
    { unavailable: 'spot' },
  ]);
});

test('07/109 a full spread group is full for all types of the launch in that zone, and for that group only', () => {
  const inGroup = { ...launch, placementGroupId: 'pg-1' };
  const pool = (instanceType: string) => ({ instanceType, zone: 'a', capacityType: 'spot', placementGroupId: 'pg-1' });
  assert.deepEqual(marksOf(error('InsufficientInstanceCapacity', SPREAD), inGroup), [
    {
      unavailable: 'spread group',
      pools: [pool('m5.large'), pool('c5.large')],
      reason: 'InsufficientInstanceCapacity',
    },
  ]);
});

test('a mark is of the group and the partition that were asked for', () => {
  const inPartition = { ...launch, placementGroupId: 'pg-1', partition: '2' };
  const [mark] = marksOf(error('InsufficientInstanceCapacity'), inPartition);
  assert.ok(mark?.unavailable === 'offering');
  assert.deepEqual([mark.pool.placementGroupId, mark.pool.partition], ['pg-1', '2']);
});

test('07/104 a reservation without capacity is exhausted; throttling and a full spread group say nothing of it', () => {
  const exceeded = error('ReservationCapacityExceeded', 'none left', { zone: 'b' });
  assert.deepEqual(marksOf(exceeded, inReservations), [
    { unavailable: 'reservation', reservationId: 'cr-2', error: exceeded },
  ]);
  assert.deepEqual(marksOf(error('RequestLimitExceeded'), inReservations), []);
  assert.deepEqual(marksOf(error('InsufficientInstanceCapacity', SPREAD), inReservations), []);
  assert.deepEqual(marksOf(error('ReservationCapacityExceeded', '', { zone: 'c' }), inReservations), []);
});

test('an error that tells nothing of where it happened marks nothing', () => {
  const bare = readFleetError({ ErrorCode: 'InsufficientInstanceCapacity', ErrorMessage: 'none' });
  assert.deepEqual([bare.zone, bare.instanceType, bare.subnetId], ['', '', '']);
  assert.deepEqual(marksOf(bare, launch), []);
  assert.deepEqual(marksOf(bare, inReservations), []);
  assert.deepEqual(readFleetError({}).code, '');
});

test('07/72 an unknown code counts as a failed launch', () => {
  assert.equal(reasonOf(error('SomethingNew')), 'LaunchFailed');
  assert.equal(reasonOf(error('X', 'You are not eligible for Free Tier')), 'FreeTierIneligible');
});

test('07/68 nothing but a lack of capacity replaces the NodeClaim', () => {
  const failure = fleetFailure(
    [
      error('InsufficientInstanceCapacity', 'none'),
      error('VcpuLimitExceeded', 'few'),
      error('InsufficientInstanceCapacity', 'none'),
    ],
    'request-1',
  );
  assert.ok(findCause(failure, InsufficientCapacityError));
  assert.equal(
    failure.message,
    'insufficient capacity, with fleet error(s), InsufficientInstanceCapacity: none; VcpuLimitExceeded: few ' +
      '(aws-error-code=UnfulfillableCapacity, aws-operation-name=CreateFleet, aws-request-id=request-1, ' +
      'aws-service-name=EC2, aws-status-code=200)',
  );
  assert.equal((failure as StructuredError).values['aws-request-id'], 'request-1');
});

test('07/71 a lack of capacity beside anything else is an error to retry', () => {
  const failure = fleetFailure(
    [error('InsufficientInstanceCapacity', 'none'), error('RequestLimitExceeded', 'slow')],
    '',
  );
  assert.equal(findCause(failure, InsufficientCapacityError), undefined);
  const created = findCause(failure, CreateError);
  assert.deepEqual(
    [created?.conditionReason, created?.conditionMessage],
    ['RequestLimitExceeded', 'Request limit exceeded'],
  );
});
