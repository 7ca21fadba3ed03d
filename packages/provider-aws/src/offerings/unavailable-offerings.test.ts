import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINUTE, SECOND, VirtualClock } from '@karpenter-ts/runtime';
import { recordingLogger } from '@karpenter-ts/runtime/testing';
import { type CapacityPool, UnavailableOfferings } from './unavailable-offerings.ts';

const SPOT: CapacityPool = { instanceType: 'm5.large', zone: 'us-west-2a', capacityType: 'spot' };
const ON_DEMAND: CapacityPool = { ...SPOT, capacityType: 'on-demand' };
const ICE = { reason: 'InsufficientInstanceCapacity' };

function environment() {
  const clock = new VirtualClock();
  const logger = recordingLogger();
  return { clock, logger, unavailable: new UnavailableOfferings({ clock, logger }) };
}

test('a mark concerns its type, zone and capacity type only', () => {
  const { unavailable } = environment();
  unavailable.markUnavailable(SPOT, ICE);
  assert.equal(unavailable.isUnavailable(SPOT, []), true);
  assert.equal(unavailable.isUnavailable(ON_DEMAND, []), false);
  assert.equal(unavailable.isUnavailable({ ...SPOT, zone: 'us-west-2b' }, []), false);
  assert.equal(unavailable.isUnavailable({ ...SPOT, instanceType: 'm5.xlarge' }, []), false);
});

test('07/41 a mark ends three minutes after the last time it was made', async () => {
  const { clock, unavailable } = environment();
  unavailable.markUnavailable(SPOT, ICE);
  await clock.advance(2 * MINUTE);
  unavailable.markUnavailable(SPOT, ICE);
  await clock.advance(3 * MINUTE - 1);
  assert.equal(unavailable.isUnavailable(SPOT, []), true);
  await clock.advance(1);
  assert.equal(unavailable.isUnavailable(SPOT, []), false);
});

test('07/38 a capacity type that is marked is unavailable for all types', async () => {
  const { clock, unavailable } = environment();
  unavailable.markCapacityTypeUnavailable('spot');
  assert.equal(unavailable.isUnavailable(SPOT, []), true);
  assert.equal(unavailable.isUnavailable({ ...SPOT, instanceType: 'c5.large', zone: 'us-west-2c' }, []), true);
  assert.equal(unavailable.isUnavailable(ON_DEMAND, []), false);
  await clock.advance(3 * MINUTE);
  assert.equal(unavailable.isUnavailable(SPOT, []), false);
});

test('07/39 a zone is out of addresses when all of its subnets are, and without subnets it is not judged', () => {
  const { unavailable } = environment();
  const subnets = ['subnet-1', 'subnet-2', 'subnet-3'];
  unavailable.markSubnetUnavailable('subnet-1');
  assert.equal(unavailable.isUnavailable(ON_DEMAND, subnets), false);
  unavailable.markSubnetUnavailable('subnet-2');
  unavailable.markSubnetUnavailable('subnet-3');
  assert.equal(unavailable.isUnavailable(ON_DEMAND, subnets), true);
  assert.equal(unavailable.isUnavailable(ON_DEMAND, []), false);
});

test('07/40 the sequence rises with every mark, deletion and end, for that type or for all', async () => {
  const { clock, unavailable } = environment();
  const sequences = () => [unavailable.sequence('m5.large'), unavailable.sequence('c5.large')];
  const steps: [unknown, number[], number][] = [];
  const note = (step: unknown) => steps.push([step, sequences(), unavailable.version]);
  note('nothing');
  unavailable.markUnavailable(SPOT, ICE);
  note('marked');
  unavailable.markUnavailable(SPOT, ICE);
  note('marked again');
  unavailable.delete(SPOT);
  note('deleted');
  unavailable.delete(SPOT);
  note('deleted though it is not there');
  unavailable.markSubnetUnavailable('subnet-1');
  note('subnet marked');
  unavailable.markCapacityTypeUnavailable('spot');
  note('capacity type marked');
  await clock.advance(3 * MINUTE + 10 * SECOND);
  note('both at their end');
  unavailable.markUnavailable(SPOT, ICE);
  await clock.advance(3 * MINUTE);
  note('marked, and at its end');
  assert.deepEqual(steps, [
    ['nothing', [0, 0], 0],
    ['marked', [1, 0], 1],
    ['marked again', [2, 0], 2],
    ['deleted', [3, 0], 3],
    ['deleted though it is not there', [3, 0], 3],
    ['subnet marked', [4, 1], 4],
    ['capacity type marked', [5, 2], 5],
    ['both at their end', [7, 4], 7],
    ['marked, and at its end', [9, 4], 9],
  ]);
});

test('a mark of a placement group, or of a partition of it, is one of its own', () => {
  const { unavailable } = environment();
  const inGroup = { ...SPOT, placementGroupId: 'pg-1' };
  const inPartition = { ...inGroup, partition: '2' };
  unavailable.markUnavailable(inPartition, ICE);
  assert.deepEqual(
    [SPOT, inGroup, inPartition, { ...inPartition, partition: '1' }].map((pool) => unavailable.isUnavailable(pool, [])),
    [false, false, true, false],
  );
  unavailable.markUnavailable(inGroup, ICE);
  assert.deepEqual(
    [SPOT, inGroup].map((pool) => unavailable.isUnavailable(pool, [])),
    [false, true],
  );
});

test('a mark is logged with what was lacking where, and which request met it', () => {
  const { logger, unavailable } = environment();
  unavailable.markUnavailable({ ...SPOT, placementGroupId: 'pg-1', partition: '2' }, { ...ICE, fleetId: 'fleet-1' });
  unavailable.markUnavailable(ON_DEMAND, { reason: 'spot_interrupted' });
  assert.deepEqual(
    logger.lines.map(({ level, message, fields }) => [level, message, fields]),
    [
      [
        'debug',
        'removing offering from offerings',
        {
          reason: 'InsufficientInstanceCapacity',
          'instance-type': 'm5.large',
          zone: 'us-west-2a',
          'capacity-type': 'spot',
          ttl: '3m0s',
          'placement-group-id': 'pg-1',
          'placement-group-partition': '2',
          'fleet-id': 'fleet-1',
        },
      ],
      [
        'debug',
        'removing offering from offerings',
        {
          reason: 'spot_interrupted',
          'instance-type': 'm5.large',
          zone: 'us-west-2a',
          'capacity-type': 'on-demand',
          ttl: '3m0s',
        },
      ],
    ],
  );
});
