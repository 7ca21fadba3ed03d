// What becomes of the cluster when a message of the interruption queue arrives.
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { CAPACITY_TYPE_LABEL, INSTANCE_TYPE_LABEL, ZONE_LABEL } from '@karpenter-ts/apis';
import { Metrics, MINUTE } from '@karpenter-ts/runtime';
import { NEVER } from '@karpenter-ts/runtime/testing';
import { NodeClaimsByInstance } from '../instances/node-claims-by-instance.ts';
import { UnavailableOfferings } from '../offerings/unavailable-offerings.ts';
import { ReservationCounts } from '../reservations/reservation-counts.ts';
import { ProviderEnvironment } from '../testing/provider-environment.ts';
import { processMessage, queueSeconds, receivedMessages } from './process-message.ts';

const POOL = { instanceType: 'm5.large', zone: 'us-west-2a', capacityType: 'spot' };
const LABELS = {
  [INSTANCE_TYPE_LABEL]: 'm5.large',
  [ZONE_LABEL]: 'us-west-2a',
  [CAPACITY_TYPE_LABEL]: 'spot',
  'karpenter.k8s.aws/capacity-reservation-id': 'cr-1',
};

async function environment(t: TestContext) {
  const env = await ProviderEnvironment.start(t);
  const { clock, logger, caches, client, events, deleteNodeClaim } = env;
  const unavailable = new UnavailableOfferings({ clock, logger });
  const reservations = new ReservationCounts(clock);
  reservations.counted('cr-1', 5);
  const metrics = new Metrics(clock);
  const deps = {
    clock,
    logger,
    caches,
    client,
    events,
    deleteNodeClaim,
    metrics,
    unavailable,
    reservations,
    nodeClaims: new NodeClaimsByInstance(caches.nodeClaims),
  };
  const receive = (body: string | undefined) => clock.runUntil(processMessage(body, deps, NEVER));
  const addInstance = (id: string) =>
    env.addNodeClaim(`claim-of-${id}`, { labels: LABELS, status: { providerID: `aws:///us-west-2a/${id}` } });
  return { env, deps, unavailable, reservations, metrics, receive, addInstance };
}

function message(detailType: string, detail: object, time?: string): string {
  const source = detailType.includes('Health') ? 'aws.health' : 'aws.ec2';
  return JSON.stringify({ version: '0', source, 'detail-type': detailType, detail, ...(time && { time }) });
}

const about = (id: string, more: object = {}) => ({ 'instance-id': id, ...more });
const SPOT = 'EC2 Spot Instance Interruption Warning';
const STATE = 'EC2 Instance State-change Notification';

for (const [body, kind, reason] of [
  [message(SPOT, about('i-1')), 'spot_interrupted', 'SpotInterrupted'],
  [
    message('EC2 Capacity Reservation Instance Interruption Warning', about('i-1')),
    'capacity_reservation_interrupted',
    'CapacityReservationInstanceInterrupted',
  ],
  [message(STATE, about('i-1', { state: 'stopping' })), 'instance_stopped', 'InstanceStopping'],
  [message(STATE, about('i-1', { state: 'terminated' })), 'instance_terminated', 'InstanceTerminating'],
  [
    message('AWS Health Event', {
      service: 'EC2',
      eventTypeCategory: 'scheduledChange',
      affectedEntities: [{ entityValue: 'i-1' }],
    }),
    'scheduled_change',
    'InstanceUnhealthy',
  ],
] as const) {
  test(`08/111 a message of kind ${kind} deletes the NodeClaim of its instance and tells so`, async (t) => {
    const { env, metrics, receive, addInstance } = await environment(t);
    await addInstance('i-1');
    await receive(body);
    assert.deepEqual(env.deleted, [`claim-of-i-1: ${kind}`]);
    assert.deepEqual(
      env.published.map((event) => event.reason),
      [reason, 'TerminatingOnInterruption'],
    );
    assert.equal(metrics.find(receivedMessages, { message_type: kind }), 1);
  });
}

test('08/111 a rebalance recommendation is told, and deletes nothing', async (t) => {
  const { env, receive, addInstance } = await environment(t);
  await addInstance('i-1');
  await receive(message('EC2 Instance Rebalance Recommendation', about('i-1')));
  assert.deepEqual(env.deleted, []);
  assert.equal(env.published[0]!.reason, 'SpotRebalanceRecommendation');
});

test('08/115 08/152 messages for instances that are not ours, or whose NodeClaim is being deleted, are done with', async (t) => {
  const { env, receive } = await environment(t);
  await env.addNodeClaim('claim', { finalizers: ['test/keep'] });
  const nodeClaim = (await env.findNodeClaim('claim'))!;
  await env.deleteNodeClaim(nodeClaim, 'test', NEVER);
  await env.clock.flush();
  for (const id of ['i-1', 'i-unknown', '']) await receive(message(SPOT, about(id)));
  await receive(message('EC2 Capacity Reservation Instance Interruption Warning', about('i-unknown')));
  assert.deepEqual(env.deleted, ['claim: test']);
});

test('that an instance ends whose NodeClaim is being deleted is not worth a warning, a spot interruption is', async (t) => {
  const { env, receive } = await environment(t);
  const nodeClaim = await env.addNodeClaim('claim', { finalizers: ['test/keep'] });
  await env.deleteNodeClaim(nodeClaim, 'test', NEVER);
  await env.clock.flush();
  for (const state of ['stopping', 'shutting-down', 'terminated'])
    await receive(message(STATE, about('i-1', { state })));
  assert.deepEqual(env.eventTexts(), []);
  await receive(message(SPOT, about('i-1')));
  assert.deepEqual(env.eventTexts(), ['NodeClaim/claim SpotInterrupted: Spot interruption warning was triggered']);
});

test('08/116 a spot interruption marks its offering for three minutes', async (t) => {
  const { env, unavailable, receive, addInstance } = await environment(t);
  await addInstance('i-1');
  await receive(message(SPOT, about('i-1')));
  assert.equal(unavailable.isUnavailable(POOL, []), true);
  assert.equal(unavailable.isUnavailable({ ...POOL, capacityType: 'on-demand' }, []), false);
  await env.clock.advance(3 * MINUTE);
  assert.equal(unavailable.isUnavailable(POOL, []), false);
});

test('08/116 nothing is marked for a NodeClaim without zone or type', async (t) => {
  const { env, unavailable, receive } = await environment(t);
  await env.addNodeClaim('claim', { labels: { [ZONE_LABEL]: 'us-west-2a' } });
  await receive(message(SPOT, about('i-1')));
  assert.equal(unavailable.version, 0);
  assert.deepEqual(env.deleted, ['claim: spot_interrupted']);
});

test('08/116 an interrupted reservation has nothing left, others keep what they have', async (t) => {
  const { reservations, receive, addInstance } = await environment(t);
  await addInstance('i-1');
  await receive(message(SPOT, about('i-1')));
  assert.equal(reservations.available('cr-1'), 5);
  await addInstance('i-2');
  await receive(message('EC2 Capacity Reservation Instance Interruption Warning', about('i-2')));
  assert.equal(reservations.available('cr-1'), 0);
});

test('08/114 what cannot be read is logged and done with, what cannot be done comes again', async (t) => {
  const { env, metrics, receive, addInstance } = await environment(t);
  await receive(undefined);
  await receive('{');
  assert.deepEqual(
    env.logger.lines.filter(({ level }) => level === 'error').map(({ message: line }) => line),
    ['failed parsing interruption message', 'failed parsing interruption message'],
  );
  assert.match(env.logger.lines.at(-1)!.error!, /^parsing sqs message, unmarshalling the message as Metadata, /);
  await addInstance('i-1');
  await addInstance('i-2');
  env.refusals.add({ method: 'DELETE', path: /claim-of-i-1$/, code: 500 });
  const affectedEntities = [{ entityValue: 'i-1' }, { entityValue: 'i-2' }];
  const body = message('AWS Health Event', { service: 'EC2', eventTypeCategory: 'scheduledChange', affectedEntities });
  await assert.rejects(receive(body), { message: /^handling message, acting on NodeClaims, / });
  assert.deepEqual(env.deleted, ['claim-of-i-2: scheduled_change']);
  assert.equal(metrics.find(receivedMessages, { message_type: 'scheduled_change' }), 1);
});

test('how long a message was on the way is observed, but of one for others it is not', async (t) => {
  const { env, metrics, receive } = await environment(t);
  const observed = () => metrics.find(queueSeconds, {});
  await receive('{}');
  assert.equal(observed(), undefined);
  await receive(message(SPOT, about('i-1'), new Date(env.clock.now() - 2 * MINUTE).toISOString()));
  assert.equal(observed(), 1);
  let text = '';
  for await (const slice of metrics.render('text')) text += slice;
  assert.match(text, /message_queue_duration_seconds_sum 120\n/);
});
