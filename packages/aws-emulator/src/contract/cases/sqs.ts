import assert from 'node:assert/strict';
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  DeleteQueueCommand,
  GetQueueUrlCommand,
  type Message,
  ReceiveMessageCommand,
  type ReceiveMessageCommandInput,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { ContractCase, ContractContext } from '../contract-case.ts';

const SECOND = 1000;

export const SQS_CASES: readonly ContractCase[] = [
  {
    name: 'a queue is found by its name',
    services: ['sqs'],
    run: async ({ sqs, unique }) => {
      const QueueName = unique('queue');
      const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName }));
      assert.equal((await sqs.send(new GetQueueUrlCommand({ QueueName }))).QueueUrl, QueueUrl);
      assert.match(QueueUrl!, new RegExp(`/\\d{12}/${QueueName}$`));
    },
  },
  {
    name: 'a queue that is not there does not exist, by name and by URL',
    services: ['sqs'],
    run: async ({ sqs, unique }) => {
      const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: unique('queue') }));
      const notThere = { name: 'QueueDoesNotExist', Code: 'AWS.SimpleQueueService.NonExistentQueue', $fault: 'client' };
      await assert.rejects(sqs.send(new GetQueueUrlCommand({ QueueName: unique('other') })), notThere);
      await assert.rejects(sqs.send(new ReceiveMessageCommand({ QueueUrl: `${QueueUrl}-other` })), notThere);
    },
  },
  {
    name: 'a queue that is created again is the same one, with other attributes it is refused',
    services: ['sqs'],
    run: async ({ sqs, unique }) => {
      const queue = { QueueName: unique('queue'), Attributes: { MessageRetentionPeriod: '300' } };
      const { QueueUrl } = await sqs.send(new CreateQueueCommand(queue));
      assert.equal((await sqs.send(new CreateQueueCommand(queue))).QueueUrl, QueueUrl);
      const other = { ...queue, Attributes: { MessageRetentionPeriod: '600' } };
      await assert.rejects(sqs.send(new CreateQueueCommand(other)), { name: 'QueueNameExists' });
    },
  },
  {
    name: 'a queue that is deleted does not exist any more',
    services: ['sqs'],
    run: async ({ sqs, unique, eventually }) => {
      const QueueName = unique('queue');
      const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName }));
      await sqs.send(new DeleteQueueCommand({ QueueUrl }));
      await eventually('it is gone', () =>
        sqs.send(new GetQueueUrlCommand({ QueueName })).then(
          () => false,
          ({ name }: Error) => name === 'QueueDoesNotExist',
        ),
      );
    },
  },
  {
    name: 'a message is received with what was sent and when, and no more once it is deleted',
    services: ['sqs'],
    run: async (aws) => {
      const QueueUrl = await createQueue(aws, { VisibilityTimeout: '1' });
      const body = JSON.stringify({ source: 'aws.ec2', text: '<ä> & "ö"' });
      const { MessageId } = await aws.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: body }));
      const [message] = await receive(aws.sqs, { QueueUrl, MessageSystemAttributeNames: ['SentTimestamp'] });
      assert.equal(message?.Body, body);
      assert.equal(message.MessageId, MessageId);
      assert.deepEqual(Object.keys(message.Attributes!), ['SentTimestamp']);
      assert.match(message.Attributes!.SentTimestamp!, /^\d{13}$/);
      await aws.sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: message.ReceiptHandle }));
      await aws.sleep(1.5 * SECOND);
      assert.deepEqual(await receive(aws.sqs, { QueueUrl }), []);
    },
  },
  {
    name: 'a message that was received and not deleted is hidden for a while, then it comes again',
    services: ['sqs'],
    run: async (aws) => {
      const QueueUrl = await createQueue(aws, { VisibilityTimeout: '30' });
      await aws.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'again' }));
      const [first] = await receive(aws.sqs, { QueueUrl, VisibilityTimeout: 10 });
      assert.equal(first?.Body, 'again');
      assert.deepEqual(await receive(aws.sqs, { QueueUrl }), []);
      const [second] = await aws.eventually('the message', async () => {
        const messages = await receive(aws.sqs, {
          QueueUrl,
          MessageSystemAttributeNames: ['ApproximateReceiveCount'],
        });
        return messages.length > 0 && messages;
      });
      assert.equal(second?.MessageId, first.MessageId);
      assert.equal(second?.Attributes?.ApproximateReceiveCount, '2');
      assert.notEqual(second?.ReceiptHandle, first.ReceiptHandle);
    },
  },
  {
    name: 'who waits for messages gets one as soon as it is sent',
    services: ['sqs'],
    run: async (aws) => {
      const QueueUrl = await createQueue(aws);
      const waiting = receive(aws.sqs, { QueueUrl, WaitTimeSeconds: 20 });
      await aws.sleep(0.5 * SECOND);
      await aws.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'at last' }));
      assert.equal((await waiting)[0]?.Body, 'at last');
    },
  },
  {
    name: 'who waits in vain for messages gets none, and that is no error',
    services: ['sqs'],
    run: async (aws) => {
      const QueueUrl = await createQueue(aws);
      const { Messages } = await aws.sqs.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 1 }));
      assert.equal(Messages, undefined);
    },
  },
  {
    name: 'a call gives ten messages at most, each once while it is hidden',
    services: ['sqs'],
    run: async (aws) => {
      const QueueUrl = await createQueue(aws);
      const sent = Array.from({ length: 12 }, (_, i) => `message ${i}`);
      for (const MessageBody of sent) await aws.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }));
      const received: Message[] = [];
      await aws.eventually('all twelve', async () => {
        const messages = await receive(aws.sqs, { QueueUrl, MaxNumberOfMessages: 10 });
        assert.ok(messages.length <= 10);
        received.push(...messages);
        return received.length >= sent.length;
      });
      assert.deepEqual(new Set(received.map(({ Body }) => Body)), new Set(sent));
      assert.equal(received.length, sent.length);
      await assert.rejects(receive(aws.sqs, { QueueUrl, MaxNumberOfMessages: 11 }), { $fault: 'client' });
    },
  },
  {
    name: 'attributes of messages are told when they are asked for',
    services: ['sqs'],
    run: async (aws) => {
      const QueueUrl = await createQueue(aws, { VisibilityTimeout: '0' });
      const MessageAttributes = { kind: { DataType: 'String', StringValue: 'spot' } };
      await aws.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'a', MessageAttributes }));
      const [without] = await receive(aws.sqs, { QueueUrl });
      assert.equal(without?.MessageAttributes, undefined);
      assert.equal(without?.Attributes, undefined);
      const [all] = await receive(aws.sqs, { QueueUrl, MessageAttributeNames: ['All'] });
      assert.equal(all?.MessageAttributes?.kind?.StringValue, 'spot');
    },
  },
  {
    name: 'a handle that no message was given with deletes nothing',
    services: ['sqs'],
    run: async (aws) => {
      const QueueUrl = await createQueue(aws);
      await assert.rejects(aws.sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: 'nonsense' })), {
        name: 'ReceiptHandleIsInvalid',
      });
    },
  },
];

async function createQueue({ sqs, unique }: ContractContext, Attributes: Record<string, string> = {}): Promise<string> {
  const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: unique('queue'), Attributes }));
  return QueueUrl!;
}

async function receive(sqs: SQSClient, input: ReceiveMessageCommandInput): Promise<readonly Message[]> {
  return (await sqs.send(new ReceiveMessageCommand(input))).Messages ?? [];
}
