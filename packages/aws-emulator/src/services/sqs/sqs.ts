import type {
  CreateQueueRequest,
  CreateQueueResult,
  DeleteMessageRequest,
  DeleteQueueRequest,
  GetQueueAttributesRequest,
  GetQueueAttributesResult,
  GetQueueUrlRequest,
  GetQueueUrlResult,
  ListQueuesRequest,
  ListQueuesResult,
  Message,
  ReceiveMessageRequest,
  ReceiveMessageResult,
  SendMessageRequest,
  SendMessageResult,
} from '@aws-sdk/client-sqs';
import { MINUTE, SECOND } from '../../clock.ts';
import type { PermissionRequest } from '../../policies/evaluate.ts';
import type { EventRule } from '../../state/event-bridge.ts';
import { PerPlace, type Place, partitionOf } from '../../state/place.ts';
import { jsonProtocol } from '../../wire/json-protocol.ts';
import type { Answer, Call } from '../../wire/operation.ts';
import type { Service, ServiceDeps } from '../service.ts';
import { md5, Queue } from './queue.ts';
import { checkQueueName, checkRange, deletedRecently, noSuchQueue, queueExists, refusal } from './sqs-errors.ts';
import { queueSettings } from './queue-settings.ts';

/** What tests do with queues of the emulator's own account and region without a client. */
export interface SqsLevers {
  /** A queue with the usual settings. */
  addQueue(name: string): void;
  /** Sends the events of the place there, all of them or as rules of EventBridge say. Returns how to end that. */
  sendEventsTo(queue: string, rules?: readonly EventRule[]): () => void;
  /** Puts a message there, whatever its body: SQS itself takes none that is empty. */
  send(queue: string, body: string): void;
  /** How many messages there are, those that are hidden included. */
  size(queue: string): number;
}

interface PlaceQueues {
  readonly queues: Map<string, Queue>;
  /** Names of queues that were deleted, with the time. */
  readonly deleted: Map<string, number>;
}

/** After a queue was deleted its name cannot be used so long. */
const NAME_KEPT = MINUTE;

/** Standard queues. */
export function createSqs(deps: ServiceDeps): { readonly service: Service; readonly levers: SqsLevers } {
  const { eventBridge, place: ownPlace } = deps;
  const places = new PerPlace<PlaceQueues>(() => ({ queues: new Map(), deleted: new Map() }));
  const queueAt = (place: Place, name: string): Queue => {
    const queue = places.of(place).queues.get(name);
    if (queue === undefined) throw noSuchQueue();
    return queue;
  };
  const queueOf = (url: string | undefined, { place }: Call): Queue => {
    const [account = '', name = ''] = (url ?? '').split('/').slice(-2);
    return queueAt({ account, region: place.region }, name);
  };
  const service: Service = {
    name: 'sqs',
    permissions: queuePermissions,
    protocol: jsonProtocol('1.0'),
    handlers: {
      CreateQueue: (input: CreateQueueRequest, call: Call): Answer<CreateQueueResult> => ({
        QueueUrl: createQueue(places.of(call.place), input, call.place, deps).url,
      }),

      GetQueueUrl: (input: GetQueueUrlRequest, { place }: Call): Answer<GetQueueUrlResult> => {
        const account = input.QueueOwnerAWSAccountId ?? place.account;
        return { QueueUrl: queueAt({ ...place, account }, input.QueueName ?? '').url };
      },

      ListQueues: ({ QueueNamePrefix: prefix = '' }: ListQueuesRequest, { place }: Call): Answer<ListQueuesResult> => {
        const all = [...places.of(place).queues].filter(([name]) => name.startsWith(prefix));
        return { QueueUrls: all.map(([, { url }]) => url) };
      },

      GetQueueAttributes: (input: GetQueueAttributesRequest, call: Call): Answer<GetQueueAttributesResult> => {
        const attributes = attributesOf(queueOf(input.QueueUrl, call), call.place);
        const Attributes = pick(attributes, input.AttributeNames ?? []);
        return Attributes === undefined ? {} : { Attributes };
      },

      DeleteQueue: ({ QueueUrl }: DeleteQueueRequest, call: Call): object => {
        const queue = queueOf(QueueUrl, call);
        const { queues, deleted } = places.of(call.place);
        const name = queue.url.slice(queue.url.lastIndexOf('/') + 1);
        queues.delete(name);
        deleted.set(name, call.clock.now());
        queue.close();
        return {};
      },

      SendMessage: (input: SendMessageRequest, call: Call): Answer<SendMessageResult> => {
        const { MessageBody: body = '', MessageAttributes: attributes, DelaySeconds } = input;
        if (body === '') throw refusal('MissingParameter', 'The request must contain the parameter MessageBody.');
        if (DelaySeconds !== undefined) checkRange('DelaySeconds', DelaySeconds, 0, 900);
        const delay = DelaySeconds === undefined ? undefined : DelaySeconds * SECOND;
        const MessageId = queueOf(input.QueueUrl, call).send({ body, attributes, delay });
        return { MessageId, MD5OfMessageBody: md5(body) };
      },

      ReceiveMessage: async (input: ReceiveMessageRequest, call: Call): Promise<Answer<ReceiveMessageResult>> => {
        const queue = queueOf(input.QueueUrl, call);
        const { MaxNumberOfMessages: most = 1, VisibilityTimeout = queue.settings.VisibilityTimeout } = input;
        const { WaitTimeSeconds = queue.settings.ReceiveMessageWaitTimeSeconds } = input;
        checkRange('MaxNumberOfMessages', most, 1, 10);
        checkRange('VisibilityTimeout', VisibilityTimeout, 0, 43_200);
        checkRange('WaitTimeSeconds', WaitTimeSeconds, 0, 20);
        const receiving = { most, invisibleFor: VisibilityTimeout * SECOND, wait: WaitTimeSeconds * SECOND };
        const messages = await queue.receive(receiving, call.signal);
        return messages.length === 0 ? {} : { Messages: messages.map((message) => asAskedFor(message, input)) };
      },

      DeleteMessage: ({ QueueUrl, ReceiptHandle = '' }: DeleteMessageRequest, call: Call): object => {
        if (queueOf(QueueUrl, call).delete(ReceiptHandle)) return {};
        throw refusal(
          'ReceiptHandleIsInvalid',
          `The input receipt handle "${ReceiptHandle}" is not a valid receipt handle.`,
        );
      },
    },
  };
  const levers: SqsLevers = {
    addQueue: (name) => void createQueue(places.of(ownPlace), { QueueName: name }, ownPlace, deps),
    sendEventsTo: (name, rules) => {
      const queue = queueAt(ownPlace, name);
      return eventBridge.addTarget(ownPlace, (body) => queue.send({ body }), rules);
    },
    send: (name, body) => void queueAt(ownPlace, name).send({ body }),
    size: (name) => queueAt(ownPlace, name).size,
  };
  return { service, levers };
}

function createQueue(
  { queues, deleted }: PlaceQueues,
  { QueueName: name = '', Attributes = {} }: CreateQueueRequest,
  place: Place,
  deps: ServiceDeps,
): Queue {
  const { clock } = deps;
  checkQueueName(name);
  const settings = queueSettings(Attributes);
  const known = queues.get(name);
  if (known !== undefined) {
    if (JSON.stringify(known.settings) !== JSON.stringify(settings)) throw queueExists();
    return known;
  }
  for (const [other, at] of deleted) if (at + NAME_KEPT <= clock.now()) deleted.delete(other);
  if (deleted.has(name)) throw deletedRecently();
  const queue = new Queue(`https://${hostOf(place)}/${place.account}/${name}`, settings, deps);
  queues.set(name, queue);
  return queue;
}

/** Those that are counted and set here. */
function attributesOf({ url, settings, size, visibleSize }: Queue, { region }: Place): Record<string, string> {
  const [account, name] = url.split('/').slice(-2);
  const numbers = {
    ApproximateNumberOfMessages: visibleSize,
    ApproximateNumberOfMessagesNotVisible: size - visibleSize,
  };
  const texts = Object.entries({ ...numbers, ...settings }).map(([key, value]) => [key, String(value)] as const);
  return { QueueArn: `arn:${partitionOf(region)}:sqs:${region}:${account}:${name}`, ...Object.fromEntries(texts) };
}

function hostOf({ region }: Place): string {
  return `sqs.${region}.amazonaws.com${partitionOf(region) === 'aws-cn' ? '.cn' : ''}`;
}

/** Attributes are told only when they are asked for. */
function asAskedFor(message: Message, input: ReceiveMessageRequest): Message {
  const { Attributes = {}, MessageAttributes = {}, ...rest } = message;
  const system = pick(Attributes, [...(input.MessageSystemAttributeNames ?? []), ...(input.AttributeNames ?? [])]);
  const own = pick(MessageAttributes, input.MessageAttributeNames ?? []);
  return { ...rest, ...(system && { Attributes: system }), ...(own && { MessageAttributes: own }) };
}

/** The attributes of these names; undefined if there are none. */
function pick<T>(attributes: Record<string, T>, names: readonly string[]): Record<string, T> | undefined {
  const entries = Object.entries(attributes).filter(([name]) => names.includes('All') || names.includes(name));
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** Permissions are about one queue, which calls name by its address; only its creation is about a name. */
function queuePermissions(
  operation: string,
  { QueueName, QueueUrl = '' }: { readonly QueueName?: string; readonly QueueUrl?: string },
  { account, region }: Place,
): readonly PermissionRequest[] {
  const name = QueueName ?? QueueUrl.slice(QueueUrl.lastIndexOf('/') + 1);
  const resource = `arn:${partitionOf(region)}:sqs:${region}:${account}:${name}`;
  return [{ action: `sqs:${operation}`, resource, context: {} }];
}
