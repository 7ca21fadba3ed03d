// What the messages of the interruption queue say.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseMessage } from './parse-message.ts';

const TIME = '2026-01-02T03:04:05Z';

/** A message as EventBridge sends it, with other members where they are given. */
function message(detailType: string, detail: unknown, envelope: object = {}): string {
  return JSON.stringify({
    version: '0',
    id: '7b1d',
    'detail-type': detailType,
    source: detailType.includes('Health') ? 'aws.health' : 'aws.ec2',
    account: '111122223333',
    time: TIME,
    region: 'us-west-2',
    resources: ['arn:aws:ec2:us-west-2:111122223333:instance/i-9'],
    detail,
    ...envelope,
  });
}

const SPOT = 'EC2 Spot Instance Interruption Warning';
const STATE = 'EC2 Instance State-change Notification';
const HEALTH = 'AWS Health Event';

for (const [detailType, kind] of [
  [SPOT, 'spot_interrupted'],
  ['EC2 Capacity Reservation Instance Interruption Warning', 'capacity_reservation_interrupted'],
  ['EC2 Instance Rebalance Recommendation', 'rebalance_recommendation'],
] as const) {
  test(`an ${detailType} names its instance in the detail`, () => {
    const body = message(detailType, { 'instance-id': 'i-1', 'instance-action': 'terminate' });
    assert.deepEqual(parseMessage(body), { kind, instanceIds: ['i-1'], startTime: TIME });
  });
}

for (const [state, kind] of [
  ['stopping', 'instance_stopped'],
  ['stopped', 'instance_stopped'],
  ['shutting-down', 'instance_terminated'],
  ['terminated', 'instance_terminated'],
  ['Stopped', 'instance_terminated'],
] as const) {
  test(`the state ${state} counts as ${kind}, as upstream has it`, () => {
    assert.deepEqual(parseMessage(message(STATE, { 'instance-id': 'i-1', state })).kind, kind);
  });
}

const NOTHING = { kind: 'no_op', instanceIds: [], startTime: undefined };

test('08/112 the state pending, and health events of other services and categories, concern nothing', () => {
  const affectedEntities = [{ entityValue: 'i-1' }];
  for (const body of [
    message(STATE, { 'instance-id': 'i-1', state: 'pending' }),
    message(HEALTH, { service: 'RDS', eventTypeCategory: 'scheduledChange', affectedEntities }),
    message(HEALTH, { service: 'EC2', eventTypeCategory: 'issue', affectedEntities }),
  ]) {
    assert.deepEqual(parseMessage(body), NOTHING);
  }
});

test('a scheduled change names all instances that it affects', () => {
  const affectedEntities = [{ entityValue: 'i-1' }, { entityValue: 'i-2' }, null];
  const detail = { service: 'EC2', eventTypeCategory: 'scheduledChange', affectedEntities };
  assert.deepEqual(parseMessage(message(HEALTH, detail)), {
    kind: 'scheduled_change',
    instanceIds: ['i-1', 'i-2', ''],
    startTime: TIME,
  });
});

test('an event of another version, source or type concerns nothing, but has its time', () => {
  const detail = { 'instance-id': 'i-1' };
  for (const body of [
    message(SPOT, detail, { version: '1' }),
    message(SPOT, detail, { source: 'aws.health' }),
    message(SPOT.toLowerCase(), detail),
    message('EC2 Fleet State Change', detail),
  ]) {
    assert.deepEqual(parseMessage(body), { ...NOTHING, startTime: TIME });
  }
});

test('nothing, null and an empty object concern nothing', () => {
  for (const body of ['', 'null', '{}', ' {} ', '{"Message":"wrapped"}']) assert.deepEqual(parseMessage(body), NOTHING);
});

test('names match in any letter case, null counts as absent, and a missing id is an empty one', () => {
  const body = `{"VERSION":"0","Source":"aws.ec2","Detail-Type":"${SPOT}","account":null,"DETAIL":{"Instance-ID":"i-1"}}`;
  assert.deepEqual(parseMessage(body), { kind: 'spot_interrupted', instanceIds: ['i-1'], startTime: undefined });
  assert.deepEqual(parseMessage(message(SPOT, null)).instanceIds, ['']);
  assert.deepEqual(parseMessage(message(SPOT, { 'instance-id': null })).instanceIds, ['']);
});

test('08/114 an envelope that cannot be read is refused', () => {
  const readable = (envelope: object) => message(SPOT, { 'instance-id': 'i-1' }, envelope);
  for (const body of [
    '{',
    '"text"',
    '[]',
    '1',
    'true',
    ...[{ version: 0 }, { source: {} }, { 'detail-type': [] }, { account: 1 }, { resources: 'a' }].map(readable),
    readable({ resources: [1] }),
    ...[
      1,
      '',
      '2026-01-02',
      '2026-02-30T00:00:00Z',
      '2026-01-02T24:00:00Z',
      '2026-01-02T03:04:05+25:00',
      '2026-01-02t03:04:05z',
    ].map((time) => readable({ time })),
  ]) {
    assert.throws(() => parseMessage(body), { message: /^unmarshalling the message as Metadata, / }, body);
  }
  const lenient = ['2026-01-02T3:04:05Z', '2026-01-02T03:04:05,5Z', '2026-01-02T03:04:05+24:60'];
  for (const time of ['2026-01-02T03:04:05.123456789Z', '2024-02-29T03:04:05+01:30', ...lenient]) {
    assert.equal(parseMessage(readable({ time })).startTime, time);
  }
});

test('08/114 a detail that cannot be read is refused, in the words of its type', () => {
  for (const [body, name] of [
    [message(SPOT, { 'instance-id': 1 }), 'EC2SpotInstanceInterruptionWarning'],
    [message(SPOT, 'i-1'), 'EC2SpotInstanceInterruptionWarning'],
    [message(SPOT, { 'instance-id': 'i-1', 'instance-action': 1 }), 'EC2SpotInstanceInterruptionWarning'],
    [message(STATE, { state: true }), 'EC2InstanceStateChangeNotification'],
    [message(HEALTH, { affectedEntities: ['i-1'] }), 'AWSHealthEvent'],
    [message(HEALTH, { eventDescription: {} }), 'AWSHealthEvent'],
  ] as const) {
    const text = `parsing event message, unmarhsalling the message as ${name}, `;
    assert.throws(
      () => parseMessage(body),
      (error: Error) => error.message.startsWith(text),
    );
  }
});
