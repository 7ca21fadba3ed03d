// The interruption queue, from the message to the NodeClaim's deletion, on SQS in the process.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Fault, requestLimitExceeded } from '@karpenter-ts/aws-emulator';
import { NODE_CLAIMS } from '@karpenter-ts/apis';
import { HOUR, MINUTE, nullLogger, SECOND } from '@karpenter-ts/runtime';
import { deletedMessages } from '../interruption/drain-queue.ts';
import { receivedMessages } from '../interruption/process-message.ts';
import { QueueEnvironment, spotWarning } from '../testing/queue-environment.ts';

const ids = (count: number) => Array.from({ length: count }, (_, i) => `i-${i}`);
const NOBODYS = JSON.stringify({ version: '0', source: 'aws.ec2', 'detail-type': 'EC2 Fleet State Change' });

const ACCESS_DENIED: Fault = {
  kind: 'refuse',
  code: 'AccessDeniedException',
  message: 'User is not authorized to perform: sqs:receivemessage on resource: interruptions',
  status: 400,
};
const THROTTLED: Fault = { kind: 'refuse', code: 'RequestThrottled', message: 'Rate exceeded', status: 400 };

test('08/113 a hundred messages are acted on and deleted in one pass', async (t) => {
  const queue = await QueueEnvironment.start(t);
  const instances = ids(100);
  await queue.addInstances(...instances);
  queue.send(...instances.map((id) => spotWarning(id)));
  await queue.pass();
  assert.equal(queue.size, 0);
  assert.deepEqual(queue.env.deleted.toSorted(), instances.map((id) => `claim-of-${id}: spot_interrupted`).toSorted());
  assert.equal(queue.env.metrics.find(receivedMessages, { message_type: 'spot_interrupted' }), 100);
  assert.equal(queue.env.metrics.find(deletedMessages, {}), 100);
});

test('an idle queue costs one request in twenty seconds, which asks for what upstream asks for', async (t) => {
  const queue = await QueueEnvironment.start(t);
  const requests = queue.requestsOf('ReceiveMessage');
  await queue.env.run(queue.controller);
  await queue.env.clock.advance(1 * MINUTE);
  assert.equal(requests.length, 4);
  assert.deepEqual(requests[0], {
    QueueUrl: 'https://sqs.us-east-1.amazonaws.com/111122223333/interruptions',
    MaxNumberOfMessages: 10,
    VisibilityTimeout: 20,
    WaitTimeSeconds: 20,
    MessageSystemAttributeNames: ['SentTimestamp'],
    MessageAttributeNames: ['All'],
  });
  assert.deepEqual(queue.lines('debug'), ['watching interruption queue']);
  assert.deepEqual(queue.lines('error'), []);
});

test('a warning that comes while nothing happens is acted on at once', async (t) => {
  const queue = await QueueEnvironment.start(t);
  await queue.addInstances('i-1');
  await queue.env.run(queue.controller);
  await queue.env.clock.advance(7 * SECOND);
  queue.send(spotWarning('i-1'));
  await queue.env.clock.advance(10);
  assert.deepEqual(queue.env.deleted, ['claim-of-i-1: spot_interrupted']);
  assert.equal(queue.size, 0);
  const line = queue.env.logger.lines.find(({ message }) => message === 'initiating delete from interruption message');
  assert.equal(line?.fields['queue'], 'interruptions');
});

test('05/85, 08/117 a queue that does not exist yet is an error, and is found once it exists', async (t) => {
  const queue = await QueueEnvironment.start(t, { withQueue: false });
  const { env } = queue;
  await queue.addInstances('i-1');
  await assert.rejects(queue.pass(), {
    message: 'creating sqs provider, api error QueueDoesNotExist: The specified queue does not exist.',
  });
  assert.deepEqual(queue.lines('error'), ['failed to create valid sqs provider']);
  await env.run(queue.controller);
  await env.clock.advance(1 * HOUR);
  await queue.createQueue();
  queue.send(spotWarning('i-1'));
  await env.clock.advance(20 * SECOND);
  assert.deepEqual(env.deleted, ['claim-of-i-1: spot_interrupted']);
});

test('an answer without the URL of the queue is an error, and the queue is asked for again', async (t) => {
  const queue = await QueueEnvironment.start(t);
  const lift = queue.emulator.faults.inject({ kind: 'alter', alter: () => ({}) }, { operation: 'GetQueueUrl' });
  await assert.rejects(queue.pass(), { message: 'creating sqs provider, SQS does not tell the URL of the queue' });
  lift();
  await queue.addInstances('i-1');
  queue.send(spotWarning('i-1'));
  await queue.pass();
  assert.deepEqual(queue.env.deleted, ['claim-of-i-1: spot_interrupted']);
});

test('08/117 a queue that is deleted is an error, and is read again once there is another of its name', async (t) => {
  const queue = await QueueEnvironment.start(t);
  const { env } = queue;
  await queue.addInstances('i-1', 'i-2');
  await env.run(queue.controller);
  queue.send(spotWarning('i-1'));
  await env.clock.advance(1 * MINUTE);
  await queue.deleteQueue();
  await env.clock.advance(1 * HOUR);
  const errors = new Set(env.logger.lines.filter(({ level }) => level === 'error').map(({ error }) => error));
  assert.deepEqual(
    [...errors],
    [
      'getting messages from queue, receiving sqs messages, api error QueueDoesNotExist: The specified queue does not exist.',
    ],
  );
  await queue.createQueue();
  queue.send(spotWarning('i-2'));
  await env.clock.advance(20 * SECOND);
  assert.deepEqual(env.deleted, ['claim-of-i-1: spot_interrupted', 'claim-of-i-2: spot_interrupted']);
});

test('08/117 without the right to receive the pass is an error, and is tried again', async (t) => {
  const queue = await QueueEnvironment.start(t);
  const lift = queue.emulator.faults.inject(ACCESS_DENIED, { operation: 'ReceiveMessage' });
  await queue.addInstances('i-1');
  queue.send(spotWarning('i-1'));
  await assert.rejects(queue.pass(), {
    message: /^getting messages from queue, receiving sqs messages, api error AccessDeniedException: User is not auth/,
  });
  lift();
  await queue.pass();
  assert.deepEqual(queue.env.deleted, ['claim-of-i-1: spot_interrupted']);
});

test('without the right to delete, all messages are acted on once, however often they come', async (t) => {
  const queue = await QueueEnvironment.start(t);
  queue.emulator.faults.inject(ACCESS_DENIED, { operation: 'DeleteMessage' });
  const instances = ids(50);
  await queue.addInstances(...instances);
  queue.send(...instances.map((id) => spotWarning(id)));
  await assert.rejects(queue.pass(), {
    message: /deleting sqs message, deleting messages from sqs queue, api error AccessDeniedException/,
  });
  assert.equal(queue.env.deleted.length, 50);
  await queue.env.run(queue.controller);
  await queue.env.clock.advance(2 * MINUTE);
  assert.equal(queue.env.deleted.length, 50);
  assert.equal(queue.env.metrics.find(deletedMessages, {}), undefined);
  assert.equal(queue.size, 50);
});

test('requests that SQS throttles or fails are made again, and nothing is lost', async (t) => {
  const queue = await QueueEnvironment.start(t);
  const { faults } = queue.emulator;
  const instances = ids(30);
  await queue.addInstances(...instances);
  await queue.env.run(queue.controller);
  const operations = ['ReceiveMessage', 'DeleteMessage'];
  for (const operation of operations) {
    faults.inject(THROTTLED, { operation, times: 20 });
    faults.inject(requestLimitExceeded, { operation, times: 5 });
    faults.inject({ kind: 'reset', when: 'after' }, { operation, times: 5 });
    faults.inject({ kind: 'half-answer' }, { operation, times: 5 });
  }
  queue.send(...instances.map((id) => spotWarning(id)));
  await queue.env.clock.advance(4 * MINUTE);
  assert.equal(queue.env.deleted.length, 30);
  assert.equal(queue.size, 0);
});

test('05/86, 08/114 what cannot be read is an error and is deleted, but not counted as received', async (t) => {
  const queue = await QueueEnvironment.start(t);
  queue.send('{', 'not JSON', '[]');
  await queue.pass();
  assert.deepEqual(
    queue.lines('error'),
    Array.from({ length: 3 }, () => 'failed parsing interruption message'),
  );
  assert.equal(queue.size, 0);
  assert.equal(queue.env.metrics.find(deletedMessages, {}), 3);
  assert.equal(queue.env.metrics.find(receivedMessages, { message_type: 'no_op' }), undefined);
});

test('08/114 a message that cannot be acted on stays, and comes again after twenty seconds', async (t) => {
  const queue = await QueueEnvironment.start(t);
  const { env } = queue;
  await queue.addInstances('i-1', 'i-2');
  env.refusals.add({ method: 'DELETE', path: /claim-of-i-1$/, code: 500, times: 2 });
  queue.send(spotWarning('i-1'), spotWarning('i-2'));
  await assert.rejects(queue.pass(), { message: /^handling message, acting on NodeClaims, / });
  assert.deepEqual(env.deleted, ['claim-of-i-2: spot_interrupted']);
  assert.equal(queue.size, 1);
  await env.run(queue.controller);
  await env.clock.advance(45 * SECOND);
  assert.deepEqual(env.deleted, ['claim-of-i-2: spot_interrupted', 'claim-of-i-1: spot_interrupted']);
  assert.equal(queue.size, 0);
});

test('a message that can never be acted on holds up no other', async (t) => {
  const queue = await QueueEnvironment.start(t);
  const { env } = queue;
  await queue.addInstances('i-1', 'i-2');
  env.refusals.add({ method: 'DELETE', path: /claim-of-i-1$/, code: 403, times: 1000 });
  queue.send(spotWarning('i-1'));
  await env.run(queue.controller);
  await env.clock.advance(3 * MINUTE);
  queue.send(spotWarning('i-2'));
  await env.clock.advance(1 * SECOND);
  assert.deepEqual(env.deleted, ['claim-of-i-2: spot_interrupted']);
});

test('messages that come twice and in another order delete once', async (t) => {
  const queue = await QueueEnvironment.start(t);
  await queue.addInstances('i-1');
  const terminated = spotWarning('i-1')
    .replace('EC2 Spot Instance Interruption Warning', 'EC2 Instance State-change Notification')
    .replace('"instance-action":"terminate"', '"state":"terminated"');
  queue.send(terminated, spotWarning('i-1'), spotWarning('i-1'), terminated);
  await queue.pass();
  queue.send(spotWarning('i-1'), terminated);
  await queue.pass();
  assert.equal(queue.env.deleted.length, 1);
  assert.equal(queue.size, 0);
});

test('08/115 of instances that are not ours, messages are deleted and nothing else', async (t) => {
  const queue = await QueueEnvironment.start(t);
  queue.send(...ids(25).map((id) => spotWarning(id)), ...ids(25).map(() => NOBODYS));
  await queue.pass();
  assert.equal(queue.size, 0);
  assert.deepEqual(queue.env.deleted, []);
  assert.equal(queue.env.metrics.find(receivedMessages, { message_type: 'no_op' }), 25);
});

test('a message of 256 KiB is read like any other', async (t) => {
  const queue = await QueueEnvironment.start(t);
  await queue.addInstances('i-1');
  const envelope = JSON.parse(spotWarning('i-1')) as object;
  const bare = JSON.stringify({ ...envelope, padding: '' }).length;
  const longest = JSON.stringify({ ...envelope, padding: 'x'.repeat(256 * 1024 - bare) });
  assert.equal(longest.length, 256 * 1024);
  queue.send(longest, 'x'.repeat(256 * 1024), '['.repeat(256 * 1024));
  await queue.pass();
  assert.deepEqual(queue.env.deleted, ['claim-of-i-1: spot_interrupted']);
  assert.equal(queue.size, 0);
});

test('the end of the process ends the wait for messages at once', async (t) => {
  const queue = await QueueEnvironment.start(t);
  const { clock } = queue.env;
  const stopping = new AbortController();
  const pass = queue.controller.reconcile('', stopping.signal, nullLogger);
  pass.catch(() => undefined);
  await clock.advance(5 * SECOND);
  const before = clock.elapsed();
  stopping.abort(new Error('stopping'));
  await assert.rejects(pass, { message: 'stopping' });
  assert.equal(clock.elapsed(), before);
});

test('what the end of the process keeps from being acted on stays in the queue, for the next process', async (t) => {
  const queue = await QueueEnvironment.start(t);
  const { env } = queue;
  const instances = ids(40);
  await queue.addInstances(...instances);
  queue.send(...instances.map((id) => spotWarning(id)));
  const stopping = new AbortController();
  const cut = env.deleted.length + 5;
  const seen = env.deleted.push.bind(env.deleted);
  env.deleted.push = (...names) => {
    const length = seen(...names);
    if (length === cut) stopping.abort(new Error('stopping'));
    return length;
  };
  const pass = queue.controller.reconcile('', stopping.signal, nullLogger);
  await assert.rejects(env.clock.runUntil(pass), { message: 'stopping' });
  await env.clock.flush();
  const { items } = await env.client.listAll(NODE_CLAIMS);
  assert.ok(queue.size >= items.length, `${queue.size} messages for ${items.length} NodeClaims`);
  await env.run(queue.controller);
  await env.clock.advance(1 * MINUTE);
  assert.deepEqual((await env.client.listAll(NODE_CLAIMS)).items, []);
  assert.equal(queue.size, 0);
});
