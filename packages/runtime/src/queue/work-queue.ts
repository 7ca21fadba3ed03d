import type { Cancel } from '../clock.ts';
import { Heap, type HeapItem, OUTSIDE } from '../heap.ts';
import type { Metrics } from '../metrics/registry.ts';
import type { SteadyClock } from '../steady-clock.ts';
import { QueueMetrics } from './queue-metrics.ts';
import type { RateLimiter } from './rate-limiter.ts';

/** Of what changed just now. */
export const NORMAL_PRIORITY = 0;
/** Of what merely exists: the initial list and resyncs that changed nothing. Served when nothing else is left. */
export const LOW_PRIORITY = -100;

/** The side of a queue that sources of work see. */
export interface Enqueuer<K> {
  /** `key` is to be handled as soon as its turn comes. */
  add(key: K, priority?: number): void;
  /** `key` is to be handled `delay` milliseconds from now. */
  addAfter(key: K, delay: number, priority?: number): void;
}

/** A key handed out, with the priority it was queued at. */
export interface QueueItem<K> {
  readonly key: K;
  readonly priority: number;
}

export interface WorkQueueDeps<K> {
  /** The controller's: the name of the queue in metrics. */
  readonly name: string;
  readonly clock: SteadyClock;
  readonly metrics: Metrics;
  readonly limiter: RateLimiter<K>;
  /** Called whenever a key has become ready to be taken; takes nothing itself. */
  readonly onReady: () => void;
}

/** A queued key: one for each key, in one of the heaps or, while the key is being handled, in none. */
interface Entry<K> extends HeapItem {
  readonly key: K;
  priority: number;
  order: number;
  readyAt: number | undefined; // undefined: ready now
}

/**
 * Keys to be handled, each at most once in the queue and never by two workers at a time.
 *
 * A key added again before it is taken stays one item: the earlier time and the higher priority win. A key added while
 * it is being handled is taken once more after `done`. Higher priorities go first; within one, the first to be ready.
 * Every operation costs O(log n), and memory follows the number of keys, however many events there are for each.
 */
export class WorkQueue<K> implements Enqueuer<K> {
  readonly #clock: SteadyClock;
  readonly #limiter: RateLimiter<K>;
  readonly #metrics: QueueMetrics<K>;
  readonly #onReady: () => void;

  readonly #entries = new Map<K, Entry<K>>();
  readonly #running = new Set<K>();
  /** Holds ready entries whose key is not running; `done` brings the others. */
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

  /** A delay of 0 is "at once, after those already there". */
  addAfter(key: K, delay: number, priority = NORMAL_PRIORITY): void {
    if (this.#isShutDown) return;
    this.#metrics.retried();
    this.#enqueue(key, priority, delay > 0 ? this.#clock.elapsed() + delay : undefined);
  }

  /** Adds `key` once its failures so far have been waited for. */
  addRateLimited(key: K, priority = NORMAL_PRIORITY): void {
    this.addAfter(key, this.#limiter.delayFor(key), priority);
  }

  /** The next key, which is the caller's until it calls `done`; undefined if none is ready. */
  take(): QueueItem<K> | undefined {
    const entry = this.#isShutDown ? undefined : this.#ready.pop();
    if (entry === undefined) return undefined;
    this.#entries.delete(entry.key);
    this.#running.add(entry.key);
    this.#metrics.taken(entry.key, entry.priority);
    return entry;
  }

  /** The key has been handled. Comes after whatever `add…` its outcome asks for. */
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

  /** Hands out and takes in nothing from now on. What is being handled may still be `done`. */
  shutDown(): void {
    this.#isShutDown = true;
    this.#alarm?.cancel();
  }

  /** Whether `take` would give a key. */
  get hasReady(): boolean {
    return this.#ready.size > 0 && !this.#isShutDown;
  }

  /** How many places the heaps take up: never more than there are keys. */
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

  /** The same key again: takes over what is earlier or higher, and leaves the entry alone if nothing is. */
  #improve(entry: Entry<K>, priority: number, readyAt: number | undefined): void {
    const wasWaiting = entry.readyAt !== undefined;
    const isRaised = priority > entry.priority;
    const isSooner = wasWaiting && (readyAt === undefined || readyAt < entry.readyAt!);
    if (!isRaised && !isSooner) return;
    (wasWaiting ? this.#waiting : this.#ready).remove(entry);
    if (isRaised) {
      if (!wasWaiting) this.#metrics.reprioritised(entry.priority, priority);
      entry.priority = priority;
      entry.order = this.#order++; // behind those of the new priority
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

  /** Moves what is due to the ready side, in the order of its time. A timer may fire a moment early: `at` is due. */
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
