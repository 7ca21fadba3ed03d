import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINUTE } from '@karpenter-ts/runtime';
import { statusReservation, statusReservations } from './status-entry.ts';
import { reservation } from './testing/reservation-environment.ts';

const NOW = Date.UTC(2026, 0, 2);
const ending = (minutes: number) => new Date(NOW + minutes * MINUTE);

test('the status shows a reservation as EC2 tells it; a type that EC2 leaves empty is the default', () => {
  const endTime = '2026-01-02T03:00:00Z';
  assert.deepEqual(statusReservation(reservation('cr-1', { EndDate: new Date(endTime), Interruptible: true }), NOW), {
    availabilityZone: 'us-west-2a',
    endTime,
    id: 'cr-1',
    instanceMatchCriteria: 'targeted',
    instanceType: 'm5.large',
    interruptible: true,
    ownerID: '111122223333',
    reservationType: 'default',
    state: 'active',
  });
});

test('07/101, 08/35 EC2 not saying whether a reservation is interruptible means that it is not', () => {
  const entry = statusReservation(reservation('cr-1'), NOW);
  assert.equal(!(entry instanceof Error) && entry.interruptible, false);
});

for (const [name, ReservationType, minutes, InstanceType, state] of [
  ['a capacity block 39 minutes before its end', 'capacity-block', 39, 'p5.48xlarge', 'expiring'],
  ['a capacity block 40 minutes before its end', 'capacity-block', 40, 'p5.48xlarge', 'expiring'],
  ['a capacity block 60 minutes before its end', 'capacity-block', 60, 'p5.48xlarge', 'active'],
  ['a default reservation 39 minutes before its end', 'default', 39, 'm5.large', 'active'],
  ['a block of UltraServers 70 minutes before its end', 'capacity-block', 70, 'trn2u.48xlarge', 'expiring'],
  ['a block of UltraServers 71 minutes before its end', 'capacity-block', 71, 'p6e-gb200.36xlarge', 'active'],
] as const) {
  test(`07/102, 08/34 ${name} is ${state}`, () => {
    const parts = { ReservationType, EndDate: ending(minutes), InstanceType };
    const entry = statusReservation(reservation('cr-1', parts), NOW);
    assert.equal(!(entry instanceof Error) && entry.state, state);
  });
}

test('a capacity block without an end stays active', () => {
  const entry = statusReservation(reservation('cr-1', { ReservationType: 'capacity-block' }), NOW);
  assert.equal(!(entry instanceof Error) && entry.state, 'active');
});

test('entries are sorted by id; what EC2 invented since is skipped and reported', () => {
  const { entries, problems } = statusReservations(
    [
      reservation('cr-c'),
      reservation('cr-b', { InstanceMatchCriteria: 'lottery' as 'open' }),
      reservation('cr-a'),
      reservation('cr-d', { ReservationType: 'lease' as 'default' }),
    ],
    NOW,
  );
  assert.deepEqual(
    entries.map(({ id }) => id),
    ['cr-a', 'cr-c'],
  );
  assert.deepEqual(
    problems.map(({ message }) => message),
    [
      'received capacity reservation with unsupported instance match criteria from ec2 (capacity-reservation=cr-b, instance-match-criteria=lottery)',
      'received capacity reservation with unsupported reservation type from ec2 (capacity-reservation=cr-d, reservation-type=lease)',
    ],
  );
});
