import { randomUUID } from 'node:crypto';
import { findCause, isCausedBy } from './cause.ts';
import { refOfKey } from '@karpenter-ts/kubernetes';
import { isConflict } from './client/status-error.ts';
import { type Controller, DONE, RETRY, type Result, type Source, TerminalError } from './controller.ts';
import { ControllerMetrics, type ReconcileResult } from './controller-metrics.ts';
import type { Logger } from './logger.ts';
import type { Fields } from './logging/log-entry.ts';
import type { Metrics } from './metrics/registry.ts';
import { isPanic, panicText, RecoveredPanicError } from './panic.ts';
import { DEFAULT_RETRIES, rateLimiter } from './queue/rate-limiter.ts';
import { type QueueItem, WorkQueue } from './queue/work-queue.ts';
import type { SteadyClock } from './steady-clock.ts';

export interface ControllerDeps {
  readonly clock: SteadyClock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Source of jitter, in [0, 1); Math.random by default. */
  readonly random?: () => number;
  /**
   * Starts the cache that a source reads from, unless it is running, and resolves when it has synced. Rejects if it
   * does not.
   */
  readonly syncSource: (source: Source<never>, controller: string, logger: Logger) => Promise<void>;
}

/**
 * How many reconciles start in one turn of the event loop, so that a full queue delays neither probes nor the lease.
 */
const PASSES_PER_TURN = 8;

type Outcome =
  | { readonly kind: 'result'; readonly result: Result }
  | { readonly kind: 'conflict' }
  | { readonly kind: 'error'; readonly error: unknown }
  | { readonly kind: 'stopped' };

/** Runs one controller: attaches its sources to its queue and passes keys to its `reconcile`. */
export class ControllerRunner<K = string> {
  readonly name: string;
  readonly #controller: Controller<K>;
  readonly #deps: ControllerDeps;
  readonly #logger: Logger;
  readonly #queue: WorkQueue<K>;
  readonly #concurrency: number;
  #metrics: ControllerMetrics | undefined; // set when the runner has started
  #warm: Promise<void> | undefined;
  #signal: AbortSignal | undefined; // set while workers run
  #active = 0;
  #isTurnQueued = false;
  #whenIdle: (() => void) | undefined;

  constructor(controller: Controller<K>, deps: ControllerDeps) {
    const { name, kind } = controller;
    this.name = name;
    this.#controller = controller;
    this.#deps = deps;
    this.#concurrency = controller.concurrency ?? 1;
    this.#logger = deps.logger.with({
      controller: name,
      ...(kind && { controllerGroup: kind.group, controllerKind: kind.kind }),
    });
    this.#queue = new WorkQueue<K>({
      name,
      clock: deps.clock,
      metrics: deps.metrics,
      limiter: rateLimiter(controller.retries ?? DEFAULT_RETRIES, deps.clock, deps.random),
      onReady: () => this.#queueTurn(),
    });
  }

  /** Attaches the sources and waits for their caches. No key is handled yet. Later calls return the same promise. */
  warmUp(): Promise<void> {
    this.#warm ??= this.#attachSources();
    return this.#warm;
  }

  /**
   * Handles keys until aborted, and resolves when the reconciles under way have ended. Rejects if a source does not
   * sync.
   */
  async start(signal: AbortSignal): Promise<void> {
    this.#metrics = new ControllerMetrics(this.#deps.metrics, this.name, this.#concurrency);
    signal.addEventListener('abort', () => this.#queue.shutDown(), { once: true });
    await this.warmUp();
    if (signal.aborted) return;
    this.#logger.info('Starting Controller');
    this.#logger.info('Starting workers', { 'worker count': this.#concurrency });
    this.#signal = signal;
    this.#queueTurn();
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    this.#logger.info('Shutdown signal received, waiting for all workers to finish');
    if (this.#active > 0) await new Promise<void>((resolve) => (this.#whenIdle = resolve));
    this.#logger.info('All workers finished');
  }

  async #attachSources(): Promise<void> {
    const sources = this.#controller.sources ?? [];
    await Promise.all(
      sources.map(async (source) => {
        const logger = this.#logger.with({ source: source.name });
        logger.info('Starting EventSource');
        await source.attach(this.#queue);
        await this.#deps.syncSource(source, this.name, logger);
      }),
    );
  }

  #queueTurn(): void {
    if (this.#isTurnQueued || this.#signal === undefined) return;
    this.#isTurnQueued = true;
    setImmediate(() => {
      this.#isTurnQueued = false;
      this.#takeTurn();
    });
  }

  #takeTurn(): void {
    for (let begun = 0; this.#active < this.#concurrency; begun++) {
      if (begun === PASSES_PER_TURN) {
        this.#queueTurn();
        return;
      }
      const item = this.#queue.take();
      if (item === undefined) return;
      void this.#handle(item);
    }
  }

  /** Runs one reconcile and acts on its outcome. Never rejects. */
  async #handle({ key, priority }: QueueItem<K>): Promise<void> {
    const { clock } = this.#deps;
    const metrics = this.#metrics!;
    this.#active++;
    metrics.activeWorkers.value++;
    const started = clock.elapsed();
    const logger = this.#loggerOf(key);
    const outcome = await this.#reconcile(key, logger);
    this.#conclude(key, priority, outcome, logger);
    metrics.passed(clock.elapsed() - started);
    metrics.activeWorkers.value--;
    this.#active--;
    this.#queue.done(key);
    // A worker is free; keys that become ready later queue a turn themselves.
    if (this.#queue.hasReady) this.#queueTurn();
    if (this.#active === 0) this.#whenIdle?.();
  }

  async #reconcile(key: K, logger: Logger): Promise<Outcome> {
    const signal = this.#signal!;
    try {
      return { kind: 'result', result: await this.#controller.reconcile(key, signal, logger) };
    } catch (thrown) {
      if (signal.aborted) return { kind: 'stopped' };
      if (isCausedBy(thrown, isConflict)) return { kind: 'conflict' };
      if (!isPanic(thrown)) return { kind: 'error', error: thrown };
      this.#metrics!.panics.value++;
      const stacktrace = thrown instanceof Error ? thrown.stack : undefined;
      logger.error('Observed a panic', undefined, { panic: panicText(thrown), ...(stacktrace && { stacktrace }) });
      return { kind: 'error', error: new RecoveredPanicError(thrown) };
    }
  }

  /** Requeues the key according to the outcome, at its previous priority, and counts the outcome (spec 05 §3.1). */
  #conclude(key: K, priority: number, outcome: Outcome, logger: Logger): void {
    switch (outcome.kind) {
      case 'stopped':
        return;
      case 'conflict':
        this.#requeue(key, priority, RETRY);
        return;
      case 'error':
        this.#fail(key, priority, outcome.error, logger);
        return;
      case 'result':
        this.#requeue(key, priority, outcome.result);
        return;
      default:
        outcome satisfies never;
    }
  }

  #requeue(key: K, priority: number, result: Result): void {
    if (result === RETRY) {
      this.#queue.addRateLimited(key, priority);
      this.#count('requeue');
      return;
    }
    this.#queue.forget(key);
    if (result !== DONE) this.#queue.addAfter(key, result.requeueAfter, priority);
    this.#count(result === DONE ? 'success' : 'requeue_after');
  }

  #fail(key: K, priority: number, error: unknown, logger: Logger): void {
    const metrics = this.#metrics!;
    const terminal = findCause(error, TerminalError);
    if (terminal === undefined) this.#queue.addRateLimited(key, priority);
    else this.#endRetries(key, priority, terminal);
    metrics.errors.value++;
    this.#count('error');
    logger.error('Reconciler error', error);
  }

  #endRetries(key: K, priority: number, { requeueAfter }: TerminalError): void {
    this.#metrics!.terminalErrors.value++;
    if (requeueAfter === undefined) return;
    this.#queue.forget(key);
    this.#queue.addAfter(key, requeueAfter, priority);
  }

  #count(result: ReconcileResult): void {
    this.#metrics!.results[result].value++;
  }

  #loggerOf(key: K): Logger {
    const fields = typeof key === 'string' ? keyFields(key, this.#controller.kind?.kind) : {};
    return this.#logger.with({ ...fields, reconcileID: randomUUID() });
  }
}

/** The log fields that name the object: a reference under its kind, and name and namespace. */
function keyFields(key: string, kind: string | undefined): Fields {
  const { namespace, name } = refOfKey(key);
  const reference = namespace === undefined ? { name } : { name, namespace };
  return { ...(kind !== undefined && { [kind]: reference }), namespace: namespace ?? '', name };
}
