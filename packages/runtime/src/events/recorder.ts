import { SECOND } from '../clock.ts';
import { isAlreadyExists, isNotFound, StatusError } from '../client/status-error.ts';
import type { Logger } from '../logger.ts';
import type { Fields } from '../logging/log-entry.ts';
import { defineCounter } from '../metrics/definition.ts';
import type { Metrics } from '../metrics/registry.ts';
import type { SteadyClock } from '../steady-clock.ts';
import { type Correlated, Correlator } from './correlator.ts';
import { Dedupe } from './dedupe.ts';
import { type CoreEvent, coreEvent, type EventDraft } from './event.ts';

/** Publishes Kubernetes Events about objects. */
export interface EventRecorder {
  /** Never waits and never throws. Events that cannot be sent are dropped. */
  publish(...drafts: readonly EventDraft[]): void;
}

/** The fields that change when an event is repeated. */
export type EventChange = Pick<CoreEvent, 'count' | 'lastTimestamp' | 'message'>;

/** The two calls that events need. A `StatusError` means that the server refused; any other error is retried. */
export interface EventSink {
  create(event: CoreEvent, signal: AbortSignal): Promise<unknown>;
  patch(event: CoreEvent, change: EventChange, signal: AbortSignal): Promise<unknown>;
}

/** What a recorder depends on. */
export interface RecorderDeps {
  readonly sink: EventSink;
  readonly clock: SteadyClock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** The reporting component, `karpenter` by default. */
  readonly component?: string;
  /** From 0 to 1. Spreads the first retry of many processes. */
  readonly random?: () => number;
}

// The figures are client-go's (tools/record/event.go).
const MAX_QUEUED = 1000;
const MAX_TRIES = 12;
const RETRY_DELAY = 10 * SECOND;
/** If the server does not answer for this long while the process waits to stop, the remaining events are dropped. */
const FLUSH_TIMEOUT = 1 * SECOND;

const droppedEvents = defineCounter(
  'karpenter_events_dropped_total',
  ['reason'],
  'Events that were published but not recorded: the queue was full, the server refused or could not be reached.',
);

/**
 * Sends events one after another, in the order of publication, after deduplication and correlation. While the server
 * cannot be reached, up to a thousand events wait and further ones are dropped.
 */
export class QueuedRecorder implements EventRecorder {
  readonly #deps: RecorderDeps;
  readonly #dedupe = new Dedupe();
  readonly #correlator = new Correlator();
  readonly #queue: CoreEvent[] = [];
  readonly #lastTry = new AbortController(); // aborted: events are tried once only
  #arrival = Promise.withResolvers<void>();
  #idle: PromiseWithResolvers<void> | undefined; // set while a caller waits for the queue to be empty
  #isRunning = false;
  #isSending = false;
  #overflow = 0; // events dropped since the queue was empty last
  #answers = 0; // answers of the server, refusals included
  #nanos = 0n;

  constructor(deps: RecorderDeps) {
    this.#deps = deps;
  }

  publish(...drafts: readonly EventDraft[]): void {
    const { clock, component = 'karpenter' } = this.#deps;
    for (const draft of drafts) {
      if (!this.#dedupe.admits(draft, clock.elapsed())) continue;
      const event = coreEvent(draft, { component, now: clock.now(), nanos: this.#nextNanos() });
      if (this.#queue.length >= MAX_QUEUED) {
        this.#dropForWantOfRoom(event);
        continue;
      }
      this.#queue.push(event);
      this.#arrival.resolve();
    }
  }

  /** Sends published events until aborted. */
  async start(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => this.#arrival.resolve(), { once: true });
    this.#isRunning = true;
    while (!signal.aborted) {
      const event = this.#queue.shift();
      if (event === undefined) {
        this.#endOverflow();
        this.#idle?.resolve();
        await this.#arrival.promise;
        this.#arrival = Promise.withResolvers();
        continue;
      }
      this.#isSending = true;
      await this.#record(event, signal);
      this.#isSending = false;
    }
    this.#isRunning = false;
    this.#idle?.resolve();
  }

  /**
   * Tries to send each remaining event once. Gives up after `timeout` milliseconds, or if the server has not answered
   * for a second.
   */
  async flush(timeout: number): Promise<void> {
    const { clock } = this.#deps;
    const end = clock.elapsed() + timeout;
    this.#lastTry.abort();
    this.#idle = Promise.withResolvers();
    for (let before = -1; this.#isBusy && this.#answers > before && clock.elapsed() < end; ) {
      before = this.#answers;
      const timer = new AbortController();
      const patience = clock.sleep(Math.min(FLUSH_TIMEOUT, end - clock.elapsed()), timer.signal);
      await Promise.race([this.#idle.promise, patience.catch(() => undefined)]);
      timer.abort();
    }
    for (const event of this.#queue.splice(0)) {
      this.#drop(event, 'shutdown', 'Unable to write event (broadcaster is shut down)');
    }
  }

  get #isBusy(): boolean {
    return this.#isRunning && (this.#isSending || this.#queue.length > 0);
  }

  async #record(event: CoreEvent, signal: AbortSignal): Promise<void> {
    const correlated = this.#correlator.correlate(event, this.#deps.clock.elapsed(), this.#nextNanos());
    if (correlated === undefined) return;
    for (let tries = 1; !signal.aborted; tries++) {
      if (await this.#send(correlated, signal)) return;
      if (tries === MAX_TRIES || this.#lastTry.signal.aborted) {
        this.#drop(event, 'unreachable', 'Unable to write event (retry limit exceeded!)');
        return;
      }
      await this.#pause(tries === 1 ? RETRY_DELAY * (this.#deps.random ?? Math.random)() : RETRY_DELAY, signal);
    }
  }

  /** Returns true if the event is done: it was sent, or finally refused. */
  async #send({ event, isUpdate }: Correlated, signal: AbortSignal): Promise<boolean> {
    try {
      await (isUpdate ? this.#update(event, signal) : this.#deps.sink.create(event, signal));
      this.#answers++;
      return true;
    } catch (error) {
      if (signal.aborted) return true;
      if (!(error instanceof StatusError)) {
        this.#deps.logger.error('Unable to write event (may retry after sleeping)', error, describe(event));
        return false;
      }
      this.#answers++;
      this.#deps.metrics.increment(droppedEvents, { reason: 'rejected' });
      if (!isExpected(error))
        this.#deps.logger.error('Server rejected event (will not retry!)', error, describe(event));
      return true;
    }
  }

  /** Updates an Event, or creates it if it no longer exists: Events expire after an hour. */
  async #update(event: CoreEvent, signal: AbortSignal): Promise<void> {
    const { count, lastTimestamp, message } = event;
    try {
      await this.#deps.sink.patch(event, { count, lastTimestamp, message }, signal);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      await this.#deps.sink.create(event, signal);
    }
  }

  async #pause(delay: number, signal: AbortSignal): Promise<void> {
    const cut = AbortSignal.any([signal, this.#lastTry.signal]);
    await this.#deps.clock.sleep(delay, cut).catch(() => undefined);
  }

  /** A pass over thousands of nodes may drop as many events at once, so only the first is logged, and their number. */
  #dropForWantOfRoom(event: CoreEvent): void {
    const message = 'Unable to record event: too many queued events, dropped event';
    if (this.#overflow++ === 0) this.#drop(event, 'queue_full', message);
    else this.#deps.metrics.increment(droppedEvents, { reason: 'queue_full' });
  }

  #endOverflow(): void {
    const events = this.#overflow;
    this.#overflow = 0;
    if (events > 1) this.#deps.logger.error('dropped events because too many were queued', undefined, { events });
  }

  #drop(event: CoreEvent, reason: 'queue_full' | 'unreachable' | 'shutdown', message: string): void {
    this.#deps.metrics.increment(droppedEvents, { reason });
    this.#deps.logger.error(message, undefined, describe(event));
  }

  /** The current time in nanoseconds, never the same twice, because it is part of an Event's name. */
  #nextNanos(): bigint {
    const now = BigInt(Math.trunc(this.#deps.clock.now())) * 1_000_000n;
    this.#nanos = now > this.#nanos ? now : this.#nanos + 1n;
    return this.#nanos;
  }
}

/** Whether the Event exists already, or its namespace is being deleted. */
function isExpected(error: StatusError): boolean {
  const causes = error.status.details?.causes ?? [];
  return isAlreadyExists(error) || causes.some(({ reason }) => reason === 'NamespaceTerminating');
}

function describe({ metadata, involvedObject, reason, message }: CoreEvent): Fields {
  return { event: { name: metadata.name, kind: involvedObject.kind, object: involvedObject.name, reason, message } };
}
