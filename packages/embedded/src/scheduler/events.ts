import {
  type Client,
  type Instant,
  isNotFound,
  MINUTE,
  StatusError,
  type SteadyClock,
  TokenBucket,
} from '@karpenter-ts/runtime';
import { microTimestamp, type Pod, type ResourceType } from '@karpenter-ts/kubernetes';
import { SCHEDULER_NAME } from './scheduler-name.ts';

/** An event about a pod. */
export interface SchedulingEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: 'Scheduled' | 'FailedScheduling';
  readonly action: 'Binding' | 'Scheduling';
  readonly note: string;
}

/** Users and tools match on these texts. */
export function scheduled({ metadata: { namespace, name } }: Pod, node: string): SchedulingEvent {
  const note = `Successfully assigned ${namespace}/${name} to ${node}`;
  return { type: 'Normal', reason: 'Scheduled', action: 'Binding', note };
}

export function failedScheduling(message: string): SchedulingEvent {
  return { type: 'Warning', reason: 'FailedScheduling', action: 'Scheduling', note: truncate(message) };
}

const EVENTS: ResourceType = {
  group: 'events.k8s.io',
  version: 'v1',
  plural: 'events',
  kind: 'Event',
  namespaced: true,
};

const LONGEST_NOTE = 1024;
/** Further events are dropped, because the scheduler must not wait for its own events. */
const MOST_WAITING = 1000;
/** A rate limit, so that events do not slow down bindings. kube-scheduler's is lower. */
const PACE = { qps: 200, burst: 1000 };
/** An event that is repeated within this time belongs to the same series. */
const SERIES_END = 6 * MINUTE;

interface EventObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly [field: string]: unknown;
}

interface Known {
  readonly metadata: EventObject['metadata'];
  readonly at: number; // elapsed milliseconds
  isSeries: boolean;
}

/**
 * Publishes events like kube-scheduler: in the `events.k8s.io` form, one after another. A repetition within six minutes
 * about an unchanged pod turns the event into a series; further repetitions are dropped.
 */
export class SchedulingEvents {
  readonly #client: Pick<Client, 'create' | 'patch'>;
  readonly #clock: SteadyClock;
  readonly #pace: TokenBucket;
  readonly #waiting: (() => Promise<unknown>)[] = [];
  readonly #known = new Map<string, Known>();
  #isSending = false;
  #lastNanos = 0n;

  constructor(client: Pick<Client, 'create' | 'patch'>, clock: SteadyClock) {
    this.#client = client;
    this.#clock = clock;
    this.#pace = new TokenBucket(PACE, clock);
  }

  /** Never waits and never throws. */
  publish(pod: Pod, event: SchedulingEvent): void {
    this.#forgetOld();
    const { uid, resourceVersion } = pod.metadata;
    const key = [uid, resourceVersion, event.type, event.action, event.reason].join('\0');
    const known = this.#known.get(key);
    if (known?.isSeries || this.#waiting.length >= MOST_WAITING) return;
    const object = eventObject(pod, event, this.#clock.now(), this.#nextNanos());
    if (known === undefined) {
      this.#known.set(key, { metadata: object.metadata, at: this.#clock.elapsed(), isSeries: false });
      this.#enqueue(() => this.#client.create(EVENTS, object));
    } else {
      known.isSeries = true;
      this.#enqueue(() => this.#extend({ ...object, metadata: known.metadata }));
    }
  }

  async #extend(event: EventObject): Promise<void> {
    const body = { series: { count: 2, lastObservedTime: microTimestamp(this.#clock.now()) } };
    try {
      await this.#client.patch(EVENTS, event.metadata, { type: 'strategic', body });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      await this.#client.create(EVENTS, { ...event, ...body });
    }
  }

  #enqueue(send: () => Promise<unknown>): void {
    this.#waiting.push(send);
    if (!this.#isSending) void this.#sendAll();
  }

  async #sendAll(): Promise<void> {
    this.#isSending = true;
    for (let send = this.#waiting.shift(); send !== undefined; send = this.#waiting.shift()) {
      const delay = this.#pace.reserve();
      if (delay > 0) await this.#clock.sleep(delay);
      await send().catch((error: unknown) => this.#sendFailed(error));
    }
    this.#isSending = false;
  }

  /**
   * A refused event is dropped, as when its namespace terminates. If the server cannot be reached, all are dropped:
   * they would be outdated.
   */
  #sendFailed(error: unknown): void {
    if (!(error instanceof StatusError)) this.#waiting.length = 0;
  }

  /** Entries are never set again, so the oldest come first. */
  #forgetOld(): void {
    for (const [key, { at }] of this.#known) {
      if (this.#clock.elapsed() - at <= SERIES_END) return;
      this.#known.delete(key);
    }
  }

  /** Nanoseconds of now, and never the same twice: they make the names of events. */
  #nextNanos(): bigint {
    const now = BigInt(Math.trunc(this.#clock.now())) * 1_000_000n;
    this.#lastNanos = now > this.#lastNanos ? now : this.#lastNanos + 1n;
    return this.#lastNanos;
  }
}

function eventObject({ metadata }: Pod, event: SchedulingEvent, now: Instant, nanos: bigint): EventObject {
  const { name, namespace = '', uid, resourceVersion } = metadata;
  return {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: `${name}.${nanos.toString(16)}`, namespace },
    eventTime: microTimestamp(now),
    reportingController: SCHEDULER_NAME,
    reportingInstance: `${SCHEDULER_NAME}-embedded`,
    regarding: { kind: 'Pod', apiVersion: 'v1', namespace, name, uid, resourceVersion },
    ...event,
  };
}

function truncate(message: string): string {
  return message.length <= LONGEST_NOTE ? message : `${message.slice(0, LONGEST_NOTE - 4)} ...`;
}
