import type { Cancel } from '../clock.ts';
import { Heap, type HeapItem, OUTSIDE } from '../heap.ts';
import type { Metrics } from '../metrics/registry.ts';
import type { SteadyClock } from '../steady-clock.ts';
import { QueueMetrics } from './queue-metrics.ts';
import type { RateLimiter } from './rate-limiter.ts';

/** The priority of keys whose object has just changed. */
export const NORMAL_PRIORITY = 0;
/**
 * The priority of the initial list and of resyncs without a change. Keys at this priority are handled when no others
 * are ready.
 */
export const LOW_PRIORITY = -100;

/** The side of a queue that sources use. */
export interface Enqueuer<K> {
  /** Queues `key` to be handled as soon as possible. */
  add(key: K, priority?: number): void;
  /** Queues `key` to be handled in `delay` milliseconds. */
  addAfter(key: K, delay: number, priority?: number): void;
}

/** A key that was taken, with its priority in the queue. */
export interface QueueItem<K> {
  readonly key: K;
  readonly priority: number;
}

export interface WorkQueueDeps<K> {
  /** The controller's name, which is the name of the queue in metrics. */
  readonly name: string;
  readonly clock: SteadyClock;
  readonly metrics: Metrics;
  readonly limiter: RateLimiter<K>;
  /** Called whenever a key becomes ready to be taken. The callback must not take the key itself. */
  readonly onReady: () => void;
}

/** The queue's entry of a key. It is in one of the heaps, or in none while the key is being handled. */
interface Entry<K> extends HeapItem {
  readonly key: K;
  priority: number;
  order: number;
  readyAt: number | undefined; // undefined: ready now
}

/**
 * A queue of keys, as in controller-runtime: each key is queued at most once and is never handled by two workers at the
 * same time.
 *
 * A key that is added again before it is taken remains one item, with the earlier time and the higher priority of the
 * two. A key that is added while it is being handled is handled once more after `done`. Higher priorities go first; at
 * equal priority, the key that became ready first. Every operation costs O(log n), and memory is proportional to the
 * number of keys, not of events.
 */
export class WorkQueue<K> implements Enqueuer<K> {
  readonly #clock: SteadyClock;
  readonly #limiter: RateLimiter<K>;
  readonly #metrics: QueueMetrics<K>;
  readonly #onReady: () => void;

  readonly #entries = new Map<K, Entry<K>>();
  readonly #running = new Set<K>();
  /** Ready entries whose key is not being handled. `done` adds the others. */
  readonly #ready = new Heap<Entry<K>>(isServedBefore);
  readonly #waiting = new Heap<Entry<K>>((a, b) =>
    a.readyAt === b.readyAt ? isServedBefore(a, b) : a.readyAt! < b.readyAt!,
  );
  #order = 0;
  #alarm: { readonly at: number; readonly cancel: Cancel } | undefined;
  #isShutDown = false;

  constructor({ name, clock, metrics, limiter, onReady }: WorkQueueDeps<K>) {
    this.#clock = clock;
    this.#limiter = limiter;
    this.#metrics = new QueueMetrics(name, metrics, clock);
    this.#onReady = onReady;
  }

  add(key: K, priority = NORMAL_PRIORITY): void {
    this.#enqueue(key, priority, undefined);
  }

  /** A delay of 0 puts the key behind those that are ready already. */
  addAfter(key: K, delay: number, priority = NORMAL_PRIORITY): void {
    if (this.#isShutDown) return;
    this.#metrics.retried();
    this.#enqueue(key, priority, delay > 0 ? this.#clock.elapsed() + delay : undefined);
  }

  /** Queues `key` after the delay of the rate limiter. */
  addRateLimited(key: K, priority = NORMAL_PRIORITY): void {
    this.addAfter(key, this.#limiter.delayFor(key), priority);
  }

  /** Takes the next key, which belongs to the caller until `done`. Undefined if none is ready. */
  take(): QueueItem<K> | undefined {
    const entry = this.#isShutDown ? undefined : this.#ready.pop();
    if (entry === undefined) return undefined;
    this.#entries.delete(entry.key);
    this.#running.add(entry.key);
    this.#metrics.taken(entry.key, entry.priority);
    return entry;
  }

  /** Marks the key as handled. To be called after any `add…` for the same key. */
  done(key: K): void {
    this.#running.delete(key);
    this.#metrics.done(key);
    const again = this.#entries.get(key);
    if (again !== undefined && again.readyAt === undefined) this.#offer(again);
  }

  /** Forgets the failures of `key`. */
  forget(key: K): void {
    this.#limiter.forget(key);
  }

  /** Stops the queue: it hands out no key and ignores added ones. `done` is still allowed. */
  shutDown(): void {
    this.#isShutDown = true;
    this.#alarm?.cancel();
  }

  /** Whether `take` would return a key. */
  get hasReady(): boolean {
    return this.#ready.size > 0 && !this.#isShutDown;
  }

  /** The number of heap slots in use, which never exceeds the number of keys. */
  get slots(): number {
    return this.#ready.size + this.#waiting.size;
  }

  #enqueue(key: K, priority: number, readyAt: number | undefined): void {
    if (this.#isShutDown) return;
    const old = this.#entries.get(key);
    if (old !== undefined) return this.#improve(old, priority, readyAt);
    const entry: Entry<K> = { key, priority, order: this.#order++, readyAt, slot: OUTSIDE };
    this.#entries.set(key, entry);
    this.#place(entry);
  }

  /** Merges a repeated add into the entry: the earlier time and the higher priority win. */
  #improve(entry: Entry<K>, priority: number, readyAt: number | undefined): void {
    const wasWaiting = entry.readyAt !== undefined;
    const isRaised = priority > entry.priority;
    const isSooner = wasWaiting && (readyAt === undefined || readyAt < entry.readyAt!);
    if (!isRaised && !isSooner) return;
    (wasWaiting ? this.#waiting : this.#ready).remove(entry);
    if (isRaised) {
      if (!wasWaiting) this.#metrics.reprioritised(entry.priority, priority);
      entry.priority = priority;
      entry.order = this.#order++; // behind the others of its new priority
    }
    if (isSooner) entry.readyAt = readyAt;
    if (wasWaiting) this.#place(entry);
    else this.#offer(entry);
  }

  #place(entry: Entry<K>): void {
    if (entry.readyAt === undefined) {
      this.#metrics.ready(entry.key, entry.priority);
      this.#offer(entry);
    } else {
      this.#waiting.push(entry);
      this.#setAlarm();
    }
  }

  #offer(entry: Entry<K>): void {
    if (this.#running.has(entry.key)) return;
    this.#ready.push(entry);
    this.#onReady();
  }

  #setAlarm(): void {
    const next = this.#waiting.peek()?.readyAt;
    if (next === undefined || (this.#alarm !== undefined && this.#alarm.at <= next)) return;
    this.#alarm?.cancel();
    const cancel = this.#clock.after(next - this.#clock.elapsed(), () => this.#wake(next));
    this.#alarm = { at: next, cancel };
  }

  /**
   * Moves entries that are due at `at` to the ready heap, in the order of their times. The caller passes the timer's
   * due time, because a timer may fire slightly early.
   */
  #wake(at: number): void {
    this.#alarm = undefined;
    const due = Math.max(at, this.#clock.elapsed());
    for (let entry = this.#waiting.peek(); entry !== undefined; entry = this.#waiting.peek()) {
      if (entry.readyAt! > due) break;
      this.#waiting.remove(entry);
      entry.order = this.#order++;
      entry.readyAt = undefined;
      this.#place(entry);
    }
    this.#setAlarm();
  }
}

function isServedBefore<K>(a: Entry<K>, b: Entry<K>): boolean {
  return a.priority === b.priority ? a.order < b.order : a.priority > b.priority;
}
