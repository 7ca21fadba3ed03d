import { type Cancel, type Metrics, SECOND, type SteadyClock } from '@karpenter-ts/runtime';
import { batchSize, batchTime } from './batch-metrics.ts';

/** What one caller of a batch gets. */
export type Outcome<O> = { readonly output: O } | { readonly error: unknown };

/** How requests are collected and carried out. Times in milliseconds. */
export interface BatcherSettings<I, O> {
  /** The label in metrics. */
  readonly name: string;
  /** The window closes when no request has come for so long, */
  readonly idle: number;
  /** when it has been open for so long, */
  readonly max: number;
  /** or when so many requests have come, whatever their buckets. */
  readonly maxItems: number;
  /** Requests of one window with equal texts are carried out together. */
  readonly bucketOf: (input: I) => string;
  /** Carries out one bucket. The outcomes are in the order of the inputs; a missing one is an error. */
  readonly execute: (inputs: readonly I[], signal: AbortSignal) => Promise<readonly Outcome<O>[]>;
  /**
   * Set if the requests of a bucket are equal, so that it does not matter which caller gets which outcome. Those who
   * still wait then get the first ones, and this is called with what is left over.
   */
  readonly discard?: (output: O) => void;
}

export interface BatcherDeps {
  readonly clock: SteadyClock;
  readonly metrics: Metrics;
}

/** More calls than these at once would only be throttled. */
const MAX_EXECUTIONS = 100;

interface Caller<I, O> {
  readonly input: I;
  readonly bucket: string;
  resolve(output: O): void;
  reject(error: unknown): void;
  /** Its signal was aborted: it has its answer. */
  hasLeft: boolean;
}

/** The requests of a window that are carried out together. */
interface Bucket<I, O> {
  readonly callers: readonly Caller<I, O>[];
  readonly calls: AbortController;
}

/**
 * Collects requests for a moment and carries out those of a bucket with one call (spec 07 §16.4). A caller whose signal
 * is aborted leaves at once; the call itself goes on for the others, and is aborted when all of them have left.
 */
export class Batcher<I, O> {
  readonly #settings: BatcherSettings<I, O>;
  readonly #deps: BatcherDeps;
  #window: Window<I, O> | undefined;
  readonly #waiting: Bucket<I, O>[] = [];
  readonly #running = new Set<Bucket<I, O>>();

  constructor(settings: BatcherSettings<I, O>, deps: BatcherDeps) {
    this.#settings = settings;
    this.#deps = deps;
  }

  /** The answer to one request. Rejects with the reason of the signal once that is aborted. */
  add(input: I, signal: AbortSignal): Promise<O> {
    return new Promise<O>((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason);
        return;
      }
      const leave = (): void => {
        caller.hasLeft = true;
        reject(signal.reason);
        this.#abandon(caller);
      };
      const stay = (): void => signal.removeEventListener('abort', leave);
      const caller: Caller<I, O> = {
        input,
        bucket: this.#settings.bucketOf(input),
        resolve: (output) => {
          stay();
          resolve(output);
        },
        reject: (error) => {
          stay();
          reject(error);
        },
        hasLeft: false,
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#collect(caller);
    });
  }

  #collect(caller: Caller<I, O>): void {
    this.#window ??= new Window(this.#settings, this.#deps, (callers) => this.#close(callers));
    this.#window.add(caller);
  }

  #close(callers: readonly Caller<I, O>[]): void {
    this.#window = undefined;
    const buckets = Map.groupBy(callers, ({ bucket }) => bucket);
    for (const sharing of buckets.values()) {
      const present = sharing.filter(({ hasLeft }) => !hasLeft);
      if (present.length > 0) this.#waiting.push({ callers: present, calls: new AbortController() });
    }
    this.#startWaiting();
  }

  #startWaiting(): void {
    while (this.#running.size < MAX_EXECUTIONS) {
      const bucket = this.#waiting.shift();
      if (bucket === undefined) return;
      if (bucket.calls.signal.aborted) continue;
      this.#running.add(bucket);
      void this.#execute(bucket).finally(() => {
        this.#running.delete(bucket);
        this.#startWaiting();
      });
    }
  }

  /** Aborts the call that nobody waits for any more. */
  #abandon(caller: Caller<I, O>): void {
    for (const bucket of [...this.#waiting, ...this.#running]) {
      if (!bucket.callers.includes(caller)) continue;
      if (bucket.callers.every(({ hasLeft }) => hasLeft)) bucket.calls.abort(new Error('all callers have left'));
      return;
    }
  }

  async #execute({ callers, calls }: Bucket<I, O>): Promise<void> {
    const { name, execute, discard } = this.#settings;
    const present = callers.filter(({ hasLeft }) => !hasLeft);
    this.#deps.metrics.observe(batchSize, { batcher: name }, present.length);
    let outcomes: readonly Outcome<O>[];
    try {
      outcomes = await execute(
        present.map(({ input }) => input),
        calls.signal,
      );
    } catch (error) {
      outcomes = present.map(() => ({ error }));
    }
    const order = discard === undefined ? present : present.toSorted((a, b) => Number(a.hasLeft) - Number(b.hasLeft));
    for (const [index, caller] of order.entries()) {
      const outcome = outcomes[index] ?? { error: new Error('error making call') };
      if ('error' in outcome) caller.reject(outcome.error);
      else if (caller.hasLeft) discard?.(outcome.output);
      else caller.resolve(outcome.output);
    }
  }
}

/** The time in which requests are collected. */
class Window<I, O> {
  readonly #settings: BatcherSettings<I, O>;
  readonly #deps: BatcherDeps;
  readonly #close: (callers: readonly Caller<I, O>[]) => void;
  readonly #callers: Caller<I, O>[] = [];
  readonly #openedAt: number;
  readonly #cancelMax: Cancel;
  #cancelIdle: Cancel = () => undefined;
  #lastAt: number;

  constructor(settings: BatcherSettings<I, O>, deps: BatcherDeps, close: (callers: readonly Caller<I, O>[]) => void) {
    this.#settings = settings;
    this.#deps = deps;
    this.#close = close;
    this.#openedAt = deps.clock.elapsed();
    this.#lastAt = this.#openedAt;
    this.#cancelMax = deps.clock.after(settings.max, () => this.#end());
  }

  add(caller: Caller<I, O>): void {
    this.#callers.push(caller);
    this.#lastAt = this.#deps.clock.elapsed();
    this.#cancelIdle();
    if (this.#callers.length >= this.#settings.maxItems) this.#end();
    else this.#waitForIdle(() => this.#endUnlessLate());
  }

  #waitForIdle(then: () => void): void {
    this.#cancelIdle = this.#deps.clock.after(this.#settings.idle, then);
  }

  /**
   * A timer that fires much too late was held up by a busy event loop, and so were requests: their answers from AWS are
   * read after the timers. They get as long again to arrive.
   */
  #endUnlessLate(): void {
    const isLate = this.#deps.clock.elapsed() - this.#lastAt > 2 * this.#settings.idle;
    if (isLate) this.#waitForIdle(() => this.#end());
    else this.#end();
  }

  #end(): void {
    this.#cancelMax();
    this.#cancelIdle();
    const { clock, metrics } = this.#deps;
    metrics.observe(batchTime, { batcher: this.#settings.name }, (clock.elapsed() - this.#openedAt) / SECOND);
    this.#close(this.#callers);
  }
}
