import type { Message } from '@aws-sdk/client-sqs';
import { combineErrors, defineCounter, type Metrics, SECOND, type SteadyClock } from '@karpenter-ts/runtime';
import { within } from '../api/with-context.ts';
import { type InterruptionQueue, LONGEST_WAIT, MOST_MESSAGES } from './interruption-queue.ts';

export const deletedMessages = defineCounter(
  'karpenter_interruption_deleted_messages_total',
  [],
  'Count of messages deleted from the SQS queue.',
);

export interface DrainDeps {
  readonly queue: InterruptionQueue;
  readonly clock: Pick<SteadyClock, 'elapsed'>;
  readonly metrics: Metrics;
  /** Acts on the body of a message. Rejects if the message should come again. */
  readonly process: (body: string | undefined, signal: AbortSignal) => Promise<void>;
}

/** How many requests for messages are under way at once, while there are more messages than one request returns. */
const MOST_RECEIVERS = 8;

/** How many messages are acted on at once: each may have to wait for the client's rate limit. */
const MOST_IN_HAND = 1000;

/** How many are deleted at once. Each answer takes half a millisecond to read, and those that come together hold the process. */
const MOST_DELETIONS = 16;

/** A message has up to 256 KiB, and all those in hand must fit into the memory of a small container. */
const MOST_TEXT_IN_HAND = 16 * 1024 * 1024;

/** How long to wait for further messages while others are being acted on. */
const SHORT_WAIT = 1 * SECOND;

/** A pass ends after this time even if messages keep coming, so that its errors are told. */
const LONGEST_PASS = 20 * SECOND;

/** As many as a pass of upstream can have. */
const MOST_ERRORS = 10;

/**
 * Waits for messages, and acts on them until there are no more. A message is deleted once it has been acted on; one that
 * cannot be acted on stays in the queue, which gives it again later. Rejects with what went wrong, when all messages have
 * been tried.
 */
export async function drainQueue(deps: DrainDeps, signal: AbortSignal): Promise<void> {
  await new Pass(deps, signal).run();
}

/**
 * Receiving does not wait for acting. One request is under way at a time, and while SQS returns full batches each of them
 * starts a further one, so that a backlog is taken in quickly, and an idle queue costs one request in twenty seconds.
 */
class Pass {
  readonly #deps: DrainDeps;
  readonly #signal: AbortSignal;
  readonly #errors: unknown[] = [];
  readonly #finished = Promise.withResolvers<void>();
  #inHand = 0;
  #textInHand = 0;
  #receivers = 0;
  #deletions = 0;
  readonly #waitingToDelete: (() => void)[] = [];
  #endsAt = Number.POSITIVE_INFINITY; // elapsed milliseconds
  /** Set while a receiver waits until fewer messages are in hand. */
  #room: PromiseWithResolvers<void> | undefined;

  constructor(deps: DrainDeps, signal: AbortSignal) {
    this.#deps = deps;
    this.#signal = signal;
  }

  async run(): Promise<void> {
    void this.#receive(LONGEST_WAIT);
    await this.#finished.promise;
    this.#signal.throwIfAborted();
    if (this.#errors.length > 0) throw combineErrors(this.#errors);
  }

  /** Receives until there is nothing more. Never rejects. */
  async #receive(firstWait: number): Promise<void> {
    this.#receivers++;
    try {
      let wait = firstWait;
      while (await this.#receiveOnce(wait)) wait = this.#receivers > 1 ? 0 : SHORT_WAIT;
    } catch (error) {
      this.#note(error);
    }
    this.#receivers--;
    this.#finishIfDone();
  }

  /** Whether to go on. The last receiver goes on for as long as messages are in hand. */
  async #receiveOnce(wait: number): Promise<boolean> {
    const { queue, clock } = this.#deps;
    const messages = await within('getting messages from queue', queue.receive(wait, this.#signal));
    this.#endsAt = Math.min(this.#endsAt, clock.elapsed() + LONGEST_PASS);
    for (const message of messages) void this.#handle(message);
    if (messages.length === MOST_MESSAGES && this.#receivers < MOST_RECEIVERS && this.#hasRoom) void this.#receive(0);
    while (!this.#hasRoom) await (this.#room ??= Promise.withResolvers()).promise;
    if (clock.elapsed() >= this.#endsAt) return false;
    return messages.length > 0 || (this.#receivers === 1 && this.#inHand > 0);
  }

  get #hasRoom(): boolean {
    return this.#inHand < MOST_IN_HAND && this.#textInHand < MOST_TEXT_IN_HAND;
  }

  /** Never rejects. */
  async #handle({ Body: body, ReceiptHandle: receiptHandle }: Message): Promise<void> {
    const length = body?.length ?? 0;
    this.#inHand++;
    this.#textInHand += length;
    try {
      await this.#deps.process(body, this.#signal);
      await this.#delete(receiptHandle);
    } catch (error) {
      this.#note(error);
    }
    this.#inHand--;
    this.#textInHand -= length;
    if (this.#hasRoom) {
      this.#room?.resolve();
      this.#room = undefined;
    }
    this.#finishIfDone();
  }

  /** In its turn: those who wait get theirs in the order in which they came. */
  async #delete(receiptHandle: string | undefined): Promise<void> {
    if (this.#deletions < MOST_DELETIONS) this.#deletions++;
    else await new Promise<void>((resolve) => this.#waitingToDelete.push(resolve));
    try {
      await within('deleting sqs message', this.#deps.queue.delete(receiptHandle, this.#signal));
      this.#deps.metrics.increment(deletedMessages, {});
    } finally {
      const next = this.#waitingToDelete.shift();
      if (next === undefined) this.#deletions--;
      else next();
    }
  }

  #note(error: unknown): void {
    if (this.#errors.length < MOST_ERRORS) this.#errors.push(error);
  }

  #finishIfDone(): void {
    if (this.#receivers === 0 && this.#inHand === 0) this.#finished.resolve();
  }
}
