import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINUTE, SECOND, VirtualClock } from '@karpenter-ts/runtime';
import type { AwsCall } from '../../faults/aws-connection.ts';
import type { Violation } from '../violation.ts';
import { Purchases } from './purchases.ts';

const REFUSED =
  '<errorSet><item><launchTemplateAndOverrides><overrides><instanceType>m5.large</instanceType>' +
  '<availabilityZone>zone-a</availabilityZone></overrides></launchTemplateAndOverrides><lifecycle>spot</lifecycle>' +
  '<errorCode>InsufficientInstanceCapacity</errorCode></item></errorSet>';

function fleet(token: string): AwsCall {
  const parameters = new Map([
    ['ClientToken', token],
    ['TargetCapacitySpecification.DefaultTargetCapacityType', 'spot'],
    ['LaunchTemplateConfigs.1.Overrides.1.InstanceType', 'm5.large'],
    ['LaunchTemplateConfigs.1.Overrides.1.AvailabilityZone', 'zone-a'],
  ]);
  return { operation: 'CreateFleet', parameters };
}

function start(isAlive = true) {
  const clock = new VirtualClock();
  const found: Violation[] = [];
  const purchases = new Purchases({ clock, isAlive: () => isAlive, report: (violation) => found.push(violation) });
  return { clock, purchases, found };
}

test('what EC2 has just refused is not asked for again before it is forgotten', async () => {
  const { clock, purchases, found } = start();
  purchases.asking(fleet('a'));
  purchases.told(fleet('a'), REFUSED);
  purchases.asking(fleet('b')); // composed before
  await clock.advance(2 * MINUTE);
  purchases.asking(fleet('c'));
  assert.deepEqual(found, [
    { invariant: 'capacity', detail: 'asked for m5.large/zone-a/spot 120 s after EC2 had none' },
  ]);
  await clock.advance(2 * MINUTE);
  purchases.asking(fleet('d'));
  assert.equal(found.length, 1);
});

test('a purchase that was not answered is asked for again with the same token', async () => {
  const { clock, purchases, found } = start();
  purchases.asking(fleet('a'));
  purchases.untold(fleet('a'));
  purchases.asking(fleet('a'));
  purchases.told(fleet('a'), '');
  purchases.asking(fleet('b'));
  purchases.untold(fleet('b'));
  purchases.asking(fleet('c'));
  await clock.advance(30 * SECOND);
  assert.deepEqual(found, [
    { invariant: 'double', detail: 'a purchase that was not answered was not asked for again, b' },
  ]);
});

test('an operator that has died need not ask again', async () => {
  const { clock, purchases, found } = start(false);
  purchases.asking(fleet('a'));
  purchases.untold(fleet('a'));
  await clock.advance(30 * SECOND);
  assert.deepEqual(found, []);
});
