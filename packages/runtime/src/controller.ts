import type { Logger } from './logger.ts';
import type { RetryLimits } from './queue/rate-limiter.ts';
import type { Enqueuer } from './queue/work-queue.ts';

/** Nothing to do until something changes. */
export const DONE: unique symbol = Symbol('done');

/** Try again with back-off: nothing is wrong, but the time has not come. */
export const RETRY: unique symbol = Symbol('retry');

/** What a pass over one key asks for: nothing, another pass with back-off, or one after so many ms (0: at once). */
export type Result = typeof DONE | typeof RETRY | { readonly requeueAfter: number };

/** Trying again cannot help: the key is left alone until something changes. Still logged and counted as an error. */
export class TerminalError extends Error {
  override readonly name = 'TerminalError';

  constructor(cause: Error) {
    super(`terminal error: ${cause.message}`, { cause });
  }
}

/**
 * Keeps one kind of thing as it should be. A key says which one to look at, never what happened to it: each pass starts
 * from what is there now, as if it were the first.
 */
export interface Controller<K = string> {
  /** In logs and metrics; dashboards match on it. */
  readonly name: string;
  /** Of the objects its keys name, for the log; absent when they name none. */
  readonly kind?: { readonly group: string; readonly kind: string };
  /** How many keys it handles at once; 1 unless given. One key is never handled twice at a time. */
  readonly concurrency?: number;
  /** How failed keys are held back; `DEFAULT_RETRIES` unless given. */
  readonly retries?: RetryLimits;
  /** Where its keys come from. */
  readonly sources?: readonly Source<K>[];
  /**
   * One pass. Whatever it throws is retried with back-off; a write conflict without an error line, for the next pass
   * reads anew. `signal` aborts as soon as the process is to stop: it goes into every request and every wait, or a server
   * that says nothing holds up the stop. (A write that has been sent may still be answered for a moment: see
   * `writeGrace` of Client.) `logger` carries the controller, the key and this pass's id.
   */
  reconcile(key: K, signal: AbortSignal, logger: Logger): Promise<Result>;
}

/** Where keys come from. */
export interface Source<K = string> {
  /** In logs: `kind source: *v1.Pod`. */
  readonly name: string;
  /** What the source reads from, if it is a cache of the API server: workers start once that has synced. */
  readonly watched?: { readonly kind: string; readonly cache: Cache };
  /** Puts keys into the queue from now on; resolves when those of all that was there before are in it. Called once. */
  attach(queue: Enqueuer<K>): void | Promise<void>;
}

/** A cache of the API server, such as an informer. */
export interface Cache {
  /** Runs until aborted. */
  start(signal: AbortSignal): Promise<void>;
  /** Whether all that existed at the start has been taken in, handlers included. */
  readonly hasSynced: boolean;
  /** The kind it caches, as logs name it: `*v1.Pod`. */
  readonly kind?: string;
  /** Why it was last refused or cut off; undefined if it never was. */
  readonly lastFailure?: unknown;
}
