import type { Message } from '@aws-sdk/client-sqs';
import { SECOND } from '@karpenter-ts/runtime';
import type { SqsApi } from '../api/aws-apis.ts';
import { within } from '../api/with-context.ts';

/** As many messages as SQS gives at once. */
export const MOST_MESSAGES = 10;

/** As long as SQS lets a request wait for a message. */
export const LONGEST_WAIT = 20 * SECOND;

/** A message that was received comes again after this time, unless it was deleted. */
export const VISIBILITY_TIMEOUT = 20 * SECOND;

/** The SQS queue in which EventBridge puts what becomes of instances. */
export class InterruptionQueue {
  readonly #sqs: Pick<SqsApi, 'receiveMessage' | 'deleteMessage'>;
  readonly #url: string;

  constructor(sqs: Pick<SqsApi, 'receiveMessage' | 'deleteMessage'>, url: string) {
    this.#sqs = sqs;
    this.#url = url;
  }

  /** Finds a queue of this account and region. Rejects with SQS' own words if there is none. */
  static async find(sqs: SqsApi, name: string, signal: AbortSignal): Promise<InterruptionQueue> {
    const { QueueUrl: url } = await sqs.getQueueUrl({ QueueName: name }, signal);
    if (!url) throw new Error('SQS does not tell the URL of the queue'); // kept, it would fail until a restart
    return new InterruptionQueue(sqs, url);
  }

  get name(): string {
    return this.#url.slice(this.#url.lastIndexOf('/') + 1);
  }

  /** At most ten messages. Waits up to `wait` milliseconds for the first. */
  async receive(wait: number, signal: AbortSignal): Promise<readonly Message[]> {
    const input = {
      QueueUrl: this.#url,
      MaxNumberOfMessages: MOST_MESSAGES,
      VisibilityTimeout: VISIBILITY_TIMEOUT / SECOND,
      WaitTimeSeconds: wait / SECOND,
      MessageSystemAttributeNames: ['SentTimestamp' as const],
      MessageAttributeNames: ['All'],
    };
    const { Messages = [] } = await within('receiving sqs messages', this.#sqs.receiveMessage(input, signal));
    return Messages;
  }

  async delete(receiptHandle: string | undefined, signal: AbortSignal): Promise<void> {
    const input = { QueueUrl: this.#url, ReceiptHandle: receiptHandle };
    await within('deleting messages from sqs queue', this.#sqs.deleteMessage(input, signal));
  }
}
