import type { Logger } from './logger.ts';
import type { RetryLimits } from './queue/rate-limiter.ts';
import type { Enqueuer } from './queue/work-queue.ts';

/** Nothing to do until the object changes. */
export const DONE: unique symbol = Symbol('done');

/** Retry with back-off, without an error: a precondition is not met yet. */
export const RETRY: unique symbol = Symbol('retry');

/** The result of a reconcile: done, retry with back-off, or requeue after so many milliseconds (0: at once). */
export type Result = typeof DONE | typeof RETRY | { readonly requeueAfter: number };

/** An error that retrying soon cannot fix: the key is not retried with back-off. It is still logged and counted as an error. */
export class TerminalError extends Error {
  override readonly name = 'TerminalError';
  /** Milliseconds after which the key is reconciled again; undefined if only a change of the object can help. */
  readonly requeueAfter: number | undefined;

  constructor(cause: Error, { requeueAfter }: { readonly requeueAfter?: number } = {}) {
    super(`terminal error: ${cause.message}`, { cause });
    this.requeueAfter = requeueAfter;
  }
}

/**
 * A level-triggered reconciler, as in controller-runtime. A key names an object, never an event: each reconcile starts
 * from the current state.
 */
export interface Controller<K = string> {
  /** The name in logs and metrics. Dashboards match on it. */
  readonly name: string;
  /** The kind of the objects that the keys name, for the log. Undefined if they name none. */
  readonly kind?: { readonly group: string; readonly kind: string };
  /** How many keys are reconciled at once; 1 by default. One key is never reconciled twice at the same time. */
  readonly concurrency?: number;
  /** The rate limits for retries; `DEFAULT_RETRIES` by default. */
  readonly retries?: RetryLimits;
  /** The sources of the controller's keys. */
  readonly sources?: readonly Source<K>[];
  /**
   * Reconciles one key. An error is retried with back-off; a write conflict is retried without an error line, because
   * the next reconcile reads the object again. `signal` aborts when the process stops and must be passed to every
   * request and every wait, or an unresponsive server delays the stop. (A write that was sent may still be answered for
   * a moment: see `writeGrace` of Client.) `logger` carries the controller, the key and the id of this reconcile.
   */
  reconcile(key: K, signal: AbortSignal, logger: Logger): Promise<Result>;
}

/** A source of keys. */
export interface Source<K = string> {
  /** In logs: `kind source: *v1.Pod`. */
  readonly name: string;
  /** The cache that the source reads from, if any: workers start once it has synced. */
  readonly watched?: { readonly kind: string; readonly cache: Cache };
  /**
   * From now on, adds keys to the queue. Resolves when the keys of all existing objects have been added. Called once.
   */
  attach(queue: Enqueuer<K>): void | Promise<void>;
}

/** A cache of the API server, such as an informer. */
export interface Cache {
  /** Runs until aborted. */
  start(signal: AbortSignal): Promise<void>;
  /** Whether the initial list is complete, in the cache and in its handlers. */
  readonly hasSynced: boolean;
  /** The kind it caches, as logs name it: `*v1.Pod`. */
  readonly kind?: string;
  /** The failure of the last list or watch; undefined if there was none. */
  readonly lastFailure?: unknown;
}
