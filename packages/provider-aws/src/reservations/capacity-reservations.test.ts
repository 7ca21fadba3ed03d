import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CapacityReservation } from '@aws-sdk/client-ec2';
import { HOUR, MINUTE, SECOND, VirtualClock } from '@karpenter-ts/runtime';
import { NEVER } from '@karpenter-ts/runtime/testing';
import { AwsError } from '../api/aws-error.ts';
import { CapacityReservations } from './capacity-reservations.ts';
import type { ReservationSelectorTerm } from './reservation-queries.ts';
import { reservation, reservationEnvironment } from './testing/reservation-environment.ts';

const HELD = [
  reservation('cr-open', { InstanceMatchCriteria: 'open', Tags: [{ Key: 'team', Value: 'a' }] }),
  reservation('cr-targeted', { Tags: [{ Key: 'team', Value: 'b' }] }),
  reservation('cr-other', { OwnerId: '999999999999', Tags: [{ Key: 'team', Value: 'a' }] }),
  reservation('cr-cancelled', { State: 'cancelled' }),
];
const idsOf = (reservations: readonly CapacityReservation[]) =>
  reservations.map(({ CapacityReservationId }) => CapacityReservationId ?? '').toSorted();

const SELECTIONS: readonly [string, readonly ReservationSelectorTerm[], readonly string[]][] = [
  ['an id', [{ id: 'cr-targeted' }], ['cr-targeted']],
  ['a tag', [{ tags: { team: 'a' } }], ['cr-open', 'cr-other']],
  ['any value of a tag', [{ tags: { team: '*' } }], ['cr-open', 'cr-other', 'cr-targeted']],
  ['a tag and an owner', [{ tags: { team: 'a' }, ownerID: '999999999999' }], ['cr-other']],
  ['open', [{ instanceMatchCriteria: 'open' }], ['cr-open']],
  ['targeted', [{ instanceMatchCriteria: 'targeted' }], ['cr-other', 'cr-targeted']],
  ['targeted and a tag', [{ instanceMatchCriteria: 'targeted', tags: { team: 'b' } }], ['cr-targeted']],
  [
    'targeted, a tag and an owner',
    [{ instanceMatchCriteria: 'targeted', tags: { team: 'a' }, ownerID: '999999999999' }],
    ['cr-other'],
  ],
  ['terms that overlap', [{ id: 'cr-open' }, { tags: { team: '*' } }], ['cr-open', 'cr-other', 'cr-targeted']],
  ['an owner alone, which asks for nothing', [{ ownerID: '999999999999' }], []],
  ['an id that does not exist', [{ id: 'cr-nowhere' }], []],
  ['an id whose reservation is not active', [{ id: 'cr-cancelled' }], []],
];
for (const [name, terms, expected] of SELECTIONS) {
  test(`07/101, 08/32, 08/33 reservations are selected by ${name}`, async () => {
    const { reservations } = reservationEnvironment(HELD);
    assert.deepEqual(idsOf(await reservations.list(terms, NEVER)), expected);
  });
}

test('a search has pages, a call by ids has none', async () => {
  const { reservations, inputs } = reservationEnvironment(HELD);
  await reservations.list([{ id: 'cr-open' }, { tags: { team: 'a', zone: '*' }, ownerID: '111122223333' }], NEVER);
  assert.deepEqual(inputs, [
    { CapacityReservationIds: ['cr-open'], Filters: [{ Name: 'state', Values: ['active'] }] },
    {
      Filters: [
        { Name: 'state', Values: ['active'] },
        { Name: 'owner-id', Values: ['111122223333'] },
        { Name: 'tag:team', Values: ['a'] },
        { Name: 'tag-key', Values: ['zone'] },
      ],
      MaxResults: 1000,
    },
  ]);
});

test('a reservation that has ended is left out, also of an answer that is remembered', async () => {
  const end = new Date(new VirtualClock().now() + 30 * SECOND);
  const env = reservationEnvironment([reservation('cr-1', { EndDate: end })]);
  assert.deepEqual(idsOf(await env.reservations.list([{ id: 'cr-1' }], NEVER)), ['cr-1']);
  await env.clock.advance(30 * SECOND);
  assert.deepEqual(idsOf(await env.reservations.list([{ id: 'cr-1' }], NEVER)), []);
  assert.equal(env.inputs.length, 1);
});

test('an answer is kept for a minute, and equal questions at once are one call', async () => {
  const { clock, reservations, inputs } = reservationEnvironment(HELD);
  const ask = () => reservations.list([{ tags: { team: 'a' } }], NEVER);
  await Promise.all([ask(), ask(), ask()]);
  await clock.advance(59 * SECOND);
  await ask();
  assert.equal(inputs.length, 1);
  await clock.advance(1 * SECOND);
  await ask();
  assert.equal(inputs.length, 2);
});

test('many ids, some of them the same, are one call, and an unknown one spoils nothing for the others', async () => {
  const { reservations, inputs } = reservationEnvironment(HELD);
  const terms = ['cr-open', 'cr-targeted', 'cr-open', 'cr-other'].map((id) => ({ id }));
  assert.equal((await reservations.list(terms, NEVER)).length, 3);
  assert.deepEqual(
    inputs.map(({ CapacityReservationIds }) => CapacityReservationIds),
    [['cr-open', 'cr-targeted', 'cr-other']],
  );
  const env = reservationEnvironment(HELD);
  assert.deepEqual(idsOf(await env.reservations.list([...terms, { id: 'cr-gone' }], NEVER)), [
    'cr-open',
    'cr-other',
    'cr-targeted',
  ]);
  assert.equal(env.inputs.length, 5);
});

test('a failure names the listing and is not remembered', async () => {
  const { reservations, ec2, inputs } = reservationEnvironment(HELD);
  const works = ec2.describeCapacityReservations;
  ec2.describeCapacityReservations = async () => {
    throw new AwsError('RequestLimitExceeded', 'slow down');
  };
  await assert.rejects(reservations.list([{ id: 'cr-open' }], NEVER), {
    message: 'listing capacity reservations, api error RequestLimitExceeded: slow down',
  });
  ec2.describeCapacityReservations = works;
  assert.equal((await reservations.list([{ id: 'cr-open' }], NEVER)).length, 1);
  assert.equal(inputs.length, 1);
});

test('a caller that leaves does not end the call for the others', async () => {
  const { reservations, ec2 } = reservationEnvironment(HELD);
  const release = Promise.withResolvers<void>();
  const works = ec2.describeCapacityReservations;
  ec2.describeCapacityReservations = async (input, signal) => {
    await release.promise;
    return works(input, signal);
  };
  const caller = new AbortController();
  const first = reservations.list([{ id: 'cr-open' }], caller.signal);
  const second = reservations.list([{ id: 'cr-open' }], NEVER);
  caller.abort(new Error('left'));
  await assert.rejects(first, { message: 'left' });
  release.resolve();
  assert.equal((await second).length, 1);
});

test('07/103 what EC2 says is left falls with launches and rises with terminations', async () => {
  const { reservations, counts } = reservationEnvironment([reservation('cr-1', { AvailableInstanceCount: 1 })]);
  assert.equal(counts.available('cr-1'), 0);
  await reservations.list([{ id: 'cr-1' }], NEVER);
  const seen = [counts.available('cr-1')];
  for (const happens of [counts.launched, counts.launched, counts.terminated, counts.terminated, counts.exhausted]) {
    happens.call(counts, 'cr-1');
    seen.push(counts.available('cr-1'));
  }
  assert.deepEqual(seen, [1, 0, 0, 1, 2, 0]);
});

test('07/103 a reservation that EC2 has not told of has nothing left, whatever happens', () => {
  const { counts } = reservationEnvironment([]);
  counts.launched('cr-1');
  counts.terminated('cr-1');
  counts.exhausted('cr-1');
  assert.equal(counts.available('cr-1'), 0);
  assert.equal(counts.version, 0);
});

test('a count outlives an EC2 that does not answer for a day', async () => {
  const { clock, counts } = reservationEnvironment([]);
  counts.counted('cr-1', 5);
  counts.launched('cr-1');
  await clock.advance(24 * HOUR - 1);
  assert.equal(counts.available('cr-1'), 4);
  await clock.advance(1);
  assert.equal(counts.available('cr-1'), 0);
});

test('the version rises when a count changes, and not when EC2 says the same again', async () => {
  const { clock, counts } = reservationEnvironment([]);
  const versions = [counts.version];
  const step = (change: () => void) => {
    change();
    versions.push(counts.version);
  };
  step(() => counts.counted('cr-1', 1));
  step(() => counts.counted('cr-1', 1));
  step(() => counts.launched('cr-1'));
  step(() => counts.launched('cr-1')); // nothing is left to take
  step(() => counts.terminated('cr-1'));
  step(() => counts.exhausted('cr-1'));
  step(() => counts.counted('cr-1', 2));
  await clock.advance(24 * HOUR + MINUTE);
  step(() => undefined);
  assert.deepEqual(versions, [0, 1, 1, 2, 2, 3, 4, 5, 6]);
});

class TickingClock extends VirtualClock {
  /** What the next looks at the clock see. */
  readonly looks: number[] = [];

  override elapsed(): number {
    return this.looks.shift() ?? super.elapsed();
  }
}

test('an answer that expires between two looks at the clock is asked for again', async () => {
  const { ec2, counts, inputs } = reservationEnvironment(HELD);
  const clock = new TickingClock();
  const reservations = new CapacityReservations({ ec2, clock, counts, stopping: NEVER });
  const terms = [{ id: 'cr-open' }];
  await reservations.list(terms, NEVER);
  await clock.advance(1 * MINUTE);
  clock.looks.push(1 * MINUTE - 1);
  assert.deepEqual(idsOf(await reservations.list(terms, NEVER)), ['cr-open']);
  assert.equal(inputs.length, 2);
});
