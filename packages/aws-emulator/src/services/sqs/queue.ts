import { createHash } from 'node:crypto';
import type { Message, MessageAttributeValue } from '@aws-sdk/client-sqs';
import { SECOND } from '../../clock.ts';
import type { ServiceDeps } from '../service.ts';

/** How a queue behaves. In seconds, as SQS has them. */
export interface QueueSettings {
  readonly VisibilityTimeout: number;
  readonly MessageRetentionPeriod: number;
  readonly ReceiveMessageWaitTimeSeconds: number;
  readonly DelaySeconds: number;
}

export interface SentMessage {
  readonly body: string;
  readonly attributes?: Record<string, MessageAttributeValue> | undefined;
  /** In milliseconds. */
  readonly delay?: number | undefined;
}

interface Stored {
  readonly id: string;
  readonly body: string;
  readonly attributes: Record<string, MessageAttributeValue>;
  readonly sentAt: number;
  visibleAt: number;
  /** Of the latest time it was received. Only this one deletes it. */
  receiptHandle: string;
  firstReceivedAt: number | undefined;
  receiveCount: number;
}

export interface Receiving {
  readonly most: number;
  /** In milliseconds. */
  readonly invisibleFor: number;
  /** In milliseconds. */
  readonly wait: number;
}

/** A standard queue: a message that was received is hidden for a while, and comes again unless it was deleted. */
export class Queue {
  readonly url: string;
  readonly settings: QueueSettings;
  readonly #deps: Pick<ServiceDeps, 'clock' | 'timers' | 'random'>;
  readonly #messages = new Map<string, Stored>(); // by id, in the order in which they were sent
  readonly #waiting = new Set<() => void>();

  constructor(url: string, settings: QueueSettings, deps: Pick<ServiceDeps, 'clock' | 'timers' | 'random'>) {
    this.url = url;
    this.settings = settings;
    this.#deps = deps;
  }

  /** How many there are, those that are hidden included. */
  get size(): number {
    this.#dropExpired();
    return this.#messages.size;
  }

  /** Those that nobody has received, or whose time with a receiver is over; those that are delayed do not count. */
  get visibleSize(): number {
    this.#dropExpired();
    const now = this.#deps.clock.now();
    return [...this.#messages.values()].filter(({ visibleAt }) => visibleAt <= now).length;
  }

  /** Returns the message's id. */
  send({ body, attributes = {}, delay = this.settings.DelaySeconds * SECOND }: SentMessage): string {
    this.#dropExpired();
    const now = this.#deps.clock.now();
    const message: Stored = {
      id: this.#deps.random.uuid(),
      body,
      attributes,
      sentAt: now,
      visibleAt: now + delay,
      receiptHandle: '',
      firstReceivedAt: undefined,
      receiveCount: 0,
    };
    this.#messages.set(message.id, message);
    this.#wake();
    return message.id;
  }

  /** Waits until there is a message, at most as long as it is told. Rejects with the signal's reason. */
  async receive({ most, invisibleFor, wait }: Receiving, signal: AbortSignal): Promise<readonly Message[]> {
    const { clock } = this.#deps;
    const deadline = clock.now() + wait;
    for (;;) {
      signal.throwIfAborted();
      const taken = this.#take(most, invisibleFor);
      if (taken.length > 0 || clock.now() >= deadline) return taken;
      await this.#change(deadline, signal);
    }
  }

  /** False for a handle that this queue never gave. One that is not the latest of its message deletes nothing. */
  delete(receiptHandle: string): boolean {
    const [id, proof] = Buffer.from(receiptHandle, 'base64url').toString().split('/');
    if (id === undefined || proof === undefined) return false;
    if (this.#messages.get(id)?.receiptHandle === receiptHandle) this.#messages.delete(id);
    return true;
  }

  /** Ends all waiting, with what there is. */
  close(): void {
    this.#messages.clear();
    this.#wake();
  }

  #take(most: number, invisibleFor: number): readonly Message[] {
    this.#dropExpired();
    const now = this.#deps.clock.now();
    const taken: Message[] = [];
    for (const message of this.#messages.values()) {
      if (taken.length === most) break;
      if (message.visibleAt > now) continue;
      message.visibleAt = now + invisibleFor;
      message.receiveCount++;
      message.firstReceivedAt ??= now;
      message.receiptHandle = Buffer.from(`${message.id}/${this.#deps.random.hex(16)}`).toString('base64url');
      taken.push(messageOf(message));
    }
    return taken;
  }

  /** Resolves when a message is sent or becomes visible, at the deadline, and when the signal is aborted. */
  #change(deadline: number, signal: AbortSignal): Promise<void> {
    const { clock, timers } = this.#deps;
    let until = deadline;
    for (const { visibleAt } of this.#messages.values()) until = Math.min(until, visibleAt);
    return new Promise((resolve) => {
      const wake = (): void => {
        cancel();
        this.#waiting.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      const cancel = timers.after(until - clock.now(), wake);
      this.#waiting.add(wake);
      signal.addEventListener('abort', wake, { once: true });
    });
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
  }

  #dropExpired(): void {
    const oldest = this.#deps.clock.now() - this.settings.MessageRetentionPeriod * SECOND;
    for (const message of this.#messages.values()) {
      if (message.sentAt > oldest) return;
      this.#messages.delete(message.id);
    }
  }
}

function messageOf(message: Stored): Message {
  return {
    MessageId: message.id,
    ReceiptHandle: message.receiptHandle,
    MD5OfBody: md5(message.body),
    Body: message.body,
    Attributes: {
      SentTimestamp: String(message.sentAt),
      ApproximateReceiveCount: String(message.receiveCount),
      ApproximateFirstReceiveTimestamp: String(message.firstReceivedAt),
    },
    ...(Object.keys(message.attributes).length > 0 && { MessageAttributes: message.attributes }),
  };
}

export function md5(text: string): string {
  return createHash('md5').update(text).digest('hex');
}
