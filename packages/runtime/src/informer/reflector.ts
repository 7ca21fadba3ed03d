import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CancellableClient } from '../client/cancellable-client.ts';
import type { Selectors, WatchOptions } from '../client/client.ts';
import { type ApiObject, resourceNameOf, type ResourceType } from '@karpenter-ts/kubernetes';
import { isGone, isNotFound, isVersionTooLarge, StatusError } from '../client/status-error.ts';
import { ConnectionError } from '../client/transport.ts';
import { endsInitialEvents, type WatchEvent } from '../client/watch-stream.ts';
import { MILLISECOND, MINUTE, SECOND } from '../clock.ts';
import type { Logger } from '../logger.ts';
import { BackOff, type BackOffSettings } from '../queue/back-off.ts';
import type { SteadyClock } from '../steady-clock.ts';

/** What a reflector writes to: a Store in client-go. */
export interface ReflectorStore<T extends ApiObject> {
  /** Begins a complete list, which takes effect when it is committed. */
  beginList(): PendingList<T>;
  apply(event: ObjectEvent<T>): void;
}

/** A list that is being received. It must end in `commit` or `abandon`. */
export interface PendingList<T extends ApiObject> {
  apply(event: ObjectEvent<T>): void;
  /** Replaces the content of the store by the list, and tells the handlers what was added, updated and deleted. */
  commit(): Promise<void>;
  abandon(): void;
}

export type ObjectEvent<T extends ApiObject> = Exclude<WatchEvent<T>, { type: 'BOOKMARK' }>;

export interface ReflectorOptions<T extends ApiObject> {
  readonly client: Pick<CancellableClient, 'learnt' | 'list' | 'watchInBatches'>;
  readonly type: ResourceType;
  readonly selectors: Selectors;
  readonly store: ReflectorStore<T>;
  readonly clock: SteadyClock;
  readonly logger: Logger;
  /** Source of jitter, in [0, 1). */
  readonly random: () => number;
  /** The back-off after failures; from 0.1 s, doubling up to 30 s, by default. */
  readonly backOff?: BackOffSettings | undefined;
  /** Called with every failure, before the retry. */
  readonly onFailure?: ((error: unknown) => void) | undefined;
}

const BACK_OFF = { base: 100 * MILLISECOND, cap: 30 * SECOND };
const EVENTS_PER_TURN = 64;
const WATCH_SECONDS = 300; // and up to as much again, so that not all watches end together
/** A watch that ends normally after at least this long has done its work: the next one follows at once. */
const SHORT_WATCH = 1 * SECOND; // what client-go calls a very short watch
/** After this time a list has been useful, and its back-off is reset. The figure is client-go's. */
const LIST_SERVED = 2 * MINUTE;
/** The longest Retry-After that is respected, so that the cache is not stale for a day. */
const MAX_RETRY_AFTER = 1 * MINUTE;
/** After this many refusals in a row the version is dropped: some servers cannot serve it and do not answer 410. */
const MAX_REFUSALS = 5;
/** After this many broken streaming lists in a row the list is fetched in pages: a proxy may cut long streams. */
const MAX_BROKEN_STREAMS = 3;

/**
 * Keeps a store in step with the API server: lists, then watches, until aborted. Nothing is missed, because a watch goes
 * on from the last version seen or the list is fetched again. The store never holds half a list.
 */
export class Reflector<T extends ApiObject> {
  readonly #options: ReflectorOptions<T>;
  /**
   * Lists and watches have separate back-offs, because a list is expensive and a watch is cheap. A watch that delivers
   * an event or stays open resets the back-off of watches. A successful list does not, because the watch after it may
   * fail at once, again and again; only a list that has served for a while does.
   */
  readonly #backOff: BackOff<'list' | 'watch'>;
  /**
   * The version the next watch continues from; undefined if a list must come first. Opaque: never compared or computed.
   */
  #version: string | undefined;
  /**
   * When the last list completed, in elapsed milliseconds; undefined before the first, and once it has reset the
   * back-off.
   */
  #listedAt: number | undefined;
  #refusals = 0;
  #brokenStreams = 0;
  #events = 0;

  constructor(options: ReflectorOptions<T>) {
    this.#options = options;
    this.#backOff = new BackOff(options.backOff ?? BACK_OFF, options.random);
  }

  /** Resolves when the signal is aborted, and never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    while (!signal.aborted) {
      let asked = 0;
      const begun = clock.elapsed();
      try {
        await this.#session(signal);
        if (clock.elapsed() - Math.max(begun, this.#listedAt ?? begun) >= SHORT_WATCH) {
          this.#backOff.forget('watch');
          continue;
        }
      } catch (error) {
        if (signal.aborted) return;
        asked = this.#afterFailure(error);
      }
      const delay = Math.max(asked, this.#holdBack());
      await clock.sleep(delay, signal).catch(() => {});
    }
  }

  /** One session: a list, a watch or both, until the connection ends. */
  async #session(signal: AbortSignal): Promise<void> {
    const { client } = this.#options;
    if (this.#version !== undefined) return this.#watch(signal);
    if (client.learnt.streamsLists && this.#brokenStreams < MAX_BROKEN_STREAMS) {
      try {
        return await this.#listAndWatch(signal);
      } catch (error) {
        if (this.#version !== undefined || !isStreamRefusal(error)) throw error;
        const { list, version } = await this.#listInPages(signal);
        client.learnt.streamsLists = false; // only a success proves it: the 403 may also have been about the kind
        await this.#complete(list, version);
      }
    } else {
      const { list, version } = await this.#listInPages(signal);
      await this.#complete(list, version);
    }
    await this.#watch(signal);
  }

  /** A streaming list: the list is the beginning of a watch, so that neither side holds all of it in memory. */
  async #listAndWatch(signal: AbortSignal): Promise<void> {
    const list = this.#options.store.beginList();
    this.#brokenStreams++;
    try {
      for await (const batch of this.#open({ sendInitialEvents: true }, signal)) {
        for (const event of batch) {
          if (this.#endsTurn()) await nextTurn();
          if (this.#version !== undefined) this.#follow(event);
          else if (event.type !== 'BOOKMARK') list.apply(event);
          else if (endsInitialEvents(event.object)) await this.#complete(list, event.object.metadata.resourceVersion);
        }
      }
    } finally {
      if (this.#version === undefined) list.abandon();
    }
    if (this.#version === undefined) throw new ConnectionError('the streamed list ended before it was complete');
  }

  async #listInPages(signal: AbortSignal): Promise<{ readonly list: PendingList<T>; readonly version: string }> {
    const { client, type, selectors, store } = this.#options;
    let list = store.beginList();
    let version = '';
    try {
      for await (const page of client.list<T>(type, { ...selectors, retries: 0 }, signal)) {
        if (page.start) {
          list.abandon();
          list = store.beginList();
        }
        version = page.resourceVersion;
        for (const object of page.items) {
          if (this.#endsTurn()) await nextTurn();
          list.apply({ type: 'ADDED', object });
        }
      }
    } catch (error) {
      list.abandon();
      throw error;
    }
    return { list, version };
  }

  async #complete(list: PendingList<T>, version: string): Promise<void> {
    await list.commit();
    this.#version = version;
    this.#brokenStreams = 0;
    this.#refusals = 0;
    this.#listedAt = this.#options.clock.elapsed();
  }

  async #watch(signal: AbortSignal): Promise<void> {
    for await (const batch of this.#open({ resourceVersion: this.#version }, signal)) {
      for (const event of batch) {
        if (this.#endsTurn()) await nextTurn();
        this.#follow(event);
      }
    }
  }

  #follow(event: WatchEvent<T>): void {
    if (event.type !== 'BOOKMARK') this.#options.store.apply(event);
    this.#version = event.object.metadata.resourceVersion;
    this.#refusals = 0;
    this.#backOff.forget('watch');
  }

  #open(options: WatchOptions, signal: AbortSignal): AsyncGenerator<readonly WatchEvent<T>[]> {
    const { client, type, selectors, random } = this.#options;
    const timeoutSeconds = WATCH_SECONDS + Math.floor(WATCH_SECONDS * random());
    const always = { allowWatchBookmarks: true, managedFields: 'drop', timeoutSeconds } as const;
    return client.watchInBatches<T>(type, { ...selectors, ...always, ...options }, signal);
  }

  /** Counts an event, and returns whether the event loop should get a turn before the next one. */
  #endsTurn(): boolean {
    return ++this.#events % EVENTS_PER_TURN === 0;
  }

  /** The milliseconds to wait before the next request: a list if there is no version to continue from, else a watch. */
  #holdBack(): number {
    if (this.#version !== undefined) return this.#backOff.delayFor('watch');
    if (this.#listedAt !== undefined && this.#options.clock.elapsed() - this.#listedAt >= LIST_SERVED) {
      this.#backOff.forget('list');
      this.#listedAt = undefined; // a list resets the back-off once; later failures count again
    }
    return this.#backOff.delayFor('list');
  }

  /** Decides from which version to continue. Returns the milliseconds the server asks to wait. */
  #afterFailure(error: unknown): number {
    this.#log(error);
    this.#options.onFailure?.(error);
    if (!(error instanceof StatusError)) return 0;
    const expired = isGone(error) || isVersionTooLarge(error);
    if (expired || ++this.#refusals >= MAX_REFUSALS) this.#version = undefined;
    return Math.min((error.retryAfterSeconds ?? 0) * SECOND, MAX_RETRY_AFTER);
  }

  #log(error: unknown): void {
    const { logger, type } = this.#options;
    const fields = { type: resourceNameOf(type) };
    const cut = error instanceof ConnectionError && error.code === 'ECONNRESET';
    if (isGone(error) || cut) {
      logger.debug('Watch closed', { ...fields, reason: (error as Error).message });
    } else if (isNotFound(error)) {
      const kind = type.group === '' ? type.kind : `${type.kind}.${type.group}`;
      logger.error('if kind is a CRD, it should be installed before calling Start', error, { kind });
    } else {
      logger.error('Failed to watch', error, fields);
    }
  }
}

/** The codes with which servers without streamed lists answer; 400 and 403 come from proxies before old ones. */
function isStreamRefusal(error: unknown): boolean {
  return error instanceof StatusError && (error.code === 400 || error.code === 403 || error.code === 422);
}
