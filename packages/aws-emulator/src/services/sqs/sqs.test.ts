import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { VirtualClock } from '@karpenter-ts/runtime';
import { startEmulator } from '../../emulator.ts';
import type { AwsEvent } from '../../state/event-bridge.ts';
import { callerOf } from '../../testing/wire-call.ts';

const MINUTE = 60_000;

async function start(t: TestContext) {
  const clock = new VirtualClock();
  const emulator = await startEmulator({ clock, seed: 1 });
  t.after(() => emulator.stop());
  const call = callerOf(emulator);
  const sqs = (operation: string, input: object) => call.json('sqs', `AmazonSQS.${operation}`, input);
  const { body } = await sqs('CreateQueue', { QueueName: 'cluster', Attributes: { MessageRetentionPeriod: '300' } });
  const QueueUrl = body['QueueUrl'] as string;
  const receive = async (input: object = {}) => {
    const answer = await clock.runUntil(sqs('ReceiveMessage', { QueueUrl, MaxNumberOfMessages: 10, ...input }));
    return (answer.body['Messages'] ?? []) as readonly { readonly Body: string; readonly ReceiptHandle: string }[];
  };
  return { clock, emulator, sqs, QueueUrl, receive };
}

const EVENT = {
  source: 'aws.ec2',
  detailType: 'EC2 Spot Instance Interruption Warning',
  resources: ['arn:aws:ec2:us-east-1:111122223333:instance/i-1'],
  detail: { 'instance-id': 'i-1', 'instance-action': 'terminate' },
};

test('events reach the queue in their envelope, from when they are sent there until they are not', async (t) => {
  const { emulator, receive } = await start(t);
  emulator.eventBridge.publish(emulator.place, EVENT);
  const stop = emulator.sqs.sendEventsTo('cluster');
  emulator.eventBridge.publish(emulator.place, EVENT);
  emulator.eventBridge.publish({ ...emulator.place, region: 'eu-west-1' }, EVENT);
  stop();
  emulator.eventBridge.publish(emulator.place, EVENT);
  const messages = await receive();
  assert.equal(messages.length, 1);
  const { id, ...event } = JSON.parse(messages[0]!.Body) as Record<string, unknown>;
  assert.match(id as string, /^[0-9a-f-]{36}$/);
  assert.deepEqual(event, {
    version: '0',
    'detail-type': EVENT.detailType,
    source: 'aws.ec2',
    account: '111122223333',
    time: '2026-01-01T00:00:00Z',
    region: 'us-east-1',
    resources: EVENT.resources,
    detail: EVENT.detail,
  });
});

test('who waits gets an event at the moment it happens', async (t) => {
  const { clock, emulator, sqs, QueueUrl } = await start(t);
  emulator.sqs.sendEventsTo('cluster');
  const begun = clock.now();
  clock.after(7_000, () => emulator.eventBridge.publish(emulator.place, EVENT));
  const { body } = await clock.runUntil(sqs('ReceiveMessage', { QueueUrl, WaitTimeSeconds: 20 }));
  assert.equal((body['Messages'] as unknown[]).length, 1);
  assert.equal(clock.now() - begun, 7_000);
});

test('the attributes of a queue count its messages, those that somebody has received apart', async (t) => {
  const { emulator, sqs, QueueUrl, receive } = await start(t);
  emulator.sqs.send('cluster', 'one');
  emulator.sqs.send('cluster', 'two');
  await receive({ MaxNumberOfMessages: 1 });
  const read = async (...AttributeNames: readonly string[]) =>
    (await sqs('GetQueueAttributes', { QueueUrl, AttributeNames })).body['Attributes'];
  assert.deepEqual(await read('All'), {
    QueueArn: 'arn:aws:sqs:us-east-1:111122223333:cluster',
    ApproximateNumberOfMessages: '1',
    ApproximateNumberOfMessagesNotVisible: '1',
    VisibilityTimeout: '30',
    MessageRetentionPeriod: '300',
    ReceiveMessageWaitTimeSeconds: '0',
    DelaySeconds: '0',
  });
  assert.deepEqual(await read('DelaySeconds'), { DelaySeconds: '0' });
  assert.equal(await read(), undefined);
  emulator.sqs.addQueue('other');
  assert.deepEqual((await sqs('ListQueues', { QueueNamePrefix: 'clu' })).body['QueueUrls'], [QueueUrl]);
});

test('rules take only the events that they are for', async (t) => {
  const { emulator } = await start(t);
  emulator.sqs.addQueue('ruled');
  const end = emulator.sqs.sendEventsTo('ruled', [{ source: EVENT.source, detailType: EVENT.detailType }]);
  const publish = (change: Partial<AwsEvent>): void =>
    emulator.eventBridge.publish(emulator.place, { ...EVENT, ...change });
  publish({});
  publish({ source: 'aws.health' });
  publish({ detailType: 'EC2 Fleet State Change' });
  assert.equal(emulator.sqs.size('ruled'), 1);
  end();
  publish({});
  assert.equal(emulator.sqs.size('ruled'), 1);
});

test('messages are forgotten after the time that the queue keeps them', async (t) => {
  const { clock, emulator, receive } = await start(t);
  emulator.sqs.send('cluster', 'old');
  await clock.advance(4 * MINUTE);
  emulator.sqs.send('cluster', '');
  assert.equal(emulator.sqs.size('cluster'), 2);
  await clock.advance(1 * MINUTE);
  assert.deepEqual(
    (await receive()).map(({ Body }) => Body),
    [''],
  );
});

test('the handle of an earlier time deletes nothing, the latest one does', async (t) => {
  const { emulator, sqs, QueueUrl, receive, clock } = await start(t);
  emulator.sqs.send('cluster', 'twice');
  const [first] = await receive({ VisibilityTimeout: 1 });
  await clock.advance(1000);
  const [second] = await receive();
  await sqs('DeleteMessage', { QueueUrl, ReceiptHandle: first!.ReceiptHandle });
  assert.equal(emulator.sqs.size('cluster'), 1);
  await sqs('DeleteMessage', { QueueUrl, ReceiptHandle: second!.ReceiptHandle });
  assert.equal(emulator.sqs.size('cluster'), 0);
  assert.equal((await sqs('DeleteMessage', { QueueUrl, ReceiptHandle: second!.ReceiptHandle })).status, 200);
});

test('the name of a deleted queue can be used again after a minute', async (t) => {
  const { clock, sqs, QueueUrl } = await start(t);
  await sqs('DeleteQueue', { QueueUrl });
  const refused = await sqs('CreateQueue', { QueueName: 'cluster' });
  assert.equal(refused.body['__type'], 'com.amazonaws.sqs#QueueDeletedRecently');
  await clock.advance(MINUTE);
  assert.equal((await sqs('CreateQueue', { QueueName: 'cluster' })).status, 200);
});

test('a queue that is not there is refused with both of its codes', async (t) => {
  const { sqs } = await start(t);
  const { status, headers, body } = await sqs('GetQueueUrl', { QueueName: 'other' });
  assert.equal(status, 400);
  assert.equal(body['__type'], 'com.amazonaws.sqs#QueueDoesNotExist');
  assert.equal(headers['x-amzn-query-error'], 'AWS.SimpleQueueService.NonExistentQueue;Sender');
});

test('who waits when the emulator stops is not left waiting', async (t) => {
  const { emulator, sqs, QueueUrl } = await start(t);
  const waiting = sqs('ReceiveMessage', { QueueUrl, WaitTimeSeconds: 20 });
  await emulator.stop();
  await assert.rejects(waiting, { name: 'AbortError' });
});

test('a queue that a lever adds is like any other', async (t) => {
  const { emulator, sqs } = await start(t);
  emulator.sqs.addQueue('other');
  emulator.sqs.send('other', 'hello');
  const { body } = await sqs('GetQueueUrl', { QueueName: 'other' });
  assert.match(String(body['QueueUrl']), /\/other$/);
  assert.equal(emulator.sqs.size('other'), 1);
});
