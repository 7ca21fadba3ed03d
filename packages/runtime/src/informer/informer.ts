import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CancellableClient } from '../client/cancellable-client.ts';
import type { Selectors } from '../client/client.ts';
import { type ApiObject, objectKey, resourceNameOf, type ResourceType } from '@karpenter-ts/kubernetes';
import { HOUR } from '../clock.ts';
import type { Logger } from '../logger.ts';
import { defineCounter } from '../metrics/definition.ts';
import type { Metrics } from '../metrics/registry.ts';
import type { BackOffSettings } from '../queue/back-off.ts';
import type { SteadyClock } from '../steady-clock.ts';
import { ObjectCache } from './object-cache.ts';
import { type PendingList, type ReflectorStore, type ObjectEvent, Reflector } from './reflector.ts';
import type { StoreOptions } from './store.ts';

const handlerErrors = defineCounter(
  'karpenter_informer_handler_errors_total',
  ['kind'],
  'Event handlers of informers that threw.',
);

export interface InformerOptions<T extends ApiObject, I extends string> extends StoreOptions<T, I> {
  readonly client: Pick<CancellableClient, 'learnt' | 'list' | 'watchInBatches'>;
  readonly type: ResourceType;
  readonly clock: SteadyClock;
  readonly logger: Logger;
  readonly metrics?: Metrics | undefined;
  /** Selects the objects to watch; all by default. */
  readonly selectors?: Selectors | undefined;
  readonly backOff?: BackOffSettings | undefined;
  /** Source of jitter, in [0, 1); Math.random by default. */
  readonly random?: (() => number) | undefined;
}

const RESYNC = 10 * HOUR; // spec 05 §2.6, ±10 %
const OBJECTS_PER_TURN = 64;

/**
 * A cache of all objects of a kind, kept up to date through failures of server and network. Reading costs no request.
 * The objects are shared and must not be changed.
 */
export class Informer<T extends ApiObject, I extends string = never> extends ObjectCache<T, I> {
  readonly #options: InformerOptions<T, I>;
  readonly #synced = Promise.withResolvers<void>();
  readonly #random: () => number;
  #hasSynced = false;
  #started = false;
  #lastFailure: unknown;

  constructor(options: InformerOptions<T, I>) {
    super(options.type, options, (error) => this.#handlerFailed(error));
    this.#options = options;
    this.#random = options.random ?? Math.random;
  }

  override get hasSynced(): boolean {
    return this.#hasSynced;
  }

  /** Why a list or watch last failed; undefined if none did. Later successes do not clear it. */
  get lastFailure(): unknown {
    return this.#lastFailure;
  }

  /** Resolves when `hasSynced` turns true; rejects with the signal's reason if that comes first. */
  async waitForSync(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const aborted = Promise.withResolvers<never>();
    const abort = (): void => aborted.reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    try {
      await Promise.race([this.#synced.promise, aborted.promise]);
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  /** Lists and watches until aborted, then resolves. Can be called once. */
  async start(signal: AbortSignal): Promise<void> {
    if (this.#started) throw new Error(`informer of ${resourceNameOf(this.type)} was started twice`);
    this.#started = true;
    const { client, type, clock, logger, selectors = {}, backOff } = this.#options;
    const store: ReflectorStore<T> = { beginList: () => this.#collect(), apply: (event) => this.#apply(event) };
    const random = this.#random;
    const onFailure = (error: unknown): void => {
      this.#lastFailure = error;
    };
    const reflector = new Reflector({
      client,
      type,
      clock,
      logger,
      selectors,
      backOff,
      random,
      store,
      onFailure,
    });
    await Promise.all([reflector.run(signal), this.#resync(signal)]);
  }

  #apply(event: ObjectEvent<T>): void {
    if (event.type !== 'DELETED') return this.#put(this.store.prepare(event.object));
    // The last state passes through the transform like any other, but is not kept.
    const last = this.store.prepare(event.object);
    this.store.discard(last);
    const known = this.store.delete(objectKey(last.metadata));
    if (known !== undefined) this.handlers.deleted(last);
  }

  #put(object: T): void {
    const old = this.store.get(objectKey(object.metadata));
    if (old !== undefined && isSameVersion(old, object)) this.store.discard(object);
    else this.keep(object, !this.#hasSynced);
  }

  /** Collects a list separately from the cache. For unchanged objects it keeps the cached ones. */
  #collect(): PendingList<T> {
    const store = this.store;
    const fresh = new Map<string, T>();
    const drop = (key: string): void => {
      const object = fresh.get(key);
      fresh.delete(key);
      if (object !== undefined && object !== store.get(key)) store.discard(object);
    };
    return {
      apply: ({ type, object }) => {
        const key = objectKey(object.metadata);
        const known = store.get(key);
        drop(key);
        if (type === 'DELETED') return;
        fresh.set(key, known !== undefined && isSameVersion(known, object) ? known : store.prepare(object));
      },
      commit: () => this.#replace(fresh),
      abandon: () => {
        for (const key of fresh.keys()) drop(key);
      },
    };
  }

  /**
   * Replaces the content object by object, so that cache and handlers agree at any time and nothing blocks for long.
   */
  async #replace(fresh: ReadonlyMap<string, T>): Promise<void> {
    let done = 0;
    for (const key of this.store.keys()) {
      if (fresh.has(key)) continue;
      const gone = this.store.delete(key);
      if (gone !== undefined) this.handlers.deleted(gone);
      if (++done % OBJECTS_PER_TURN === 0) await nextTurn();
    }
    for (const object of fresh.values()) {
      if (this.store.get(objectKey(object.metadata)) === object) continue;
      this.#put(object);
      if (++done % OBJECTS_PER_TURN === 0) await nextTurn();
    }
    if (this.#hasSynced) return;
    this.#hasSynced = true;
    this.#synced.resolve();
  }

  /** Passes every object to the handlers again periodically, in case a handler lost something. */
  async #resync(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    while (!signal.aborted) {
      await clock.sleep(RESYNC * (0.9 + 0.2 * this.#random()), signal).catch(() => {});
      if (signal.aborted) return;
      let done = 0;
      for (const key of this.store.keys()) {
        const object = this.store.get(key);
        if (object !== undefined) this.handlers.updated(object, object);
        if (++done % OBJECTS_PER_TURN === 0) await nextTurn();
      }
    }
  }

  #handlerFailed(error: unknown): void {
    const { logger, metrics, type } = this.#options;
    metrics?.increment(handlerErrors, { kind: type.kind });
    logger.error('event handler failed', error, { kind: type.kind });
  }
}

/** Versions are compared for equality only, and only of one object. */
function isSameVersion(a: ApiObject, b: ApiObject): boolean {
  return a.metadata.resourceVersion === b.metadata.resourceVersion && a.metadata.uid === b.metadata.uid;
}
