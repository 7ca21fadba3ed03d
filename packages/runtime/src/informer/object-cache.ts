import { setImmediate as nextTurn } from 'node:timers/promises';
import { type ApiObject, objectKey, type ResourceType } from '@karpenter-ts/kubernetes';
import { type Handler, Handlers } from './handlers.ts';
import { Store, type StoreOptions } from './store.ts';

const OBJECTS_PER_TURN = 64;

/**
 * The objects of a kind, by key and by index, with handlers that are called for each change. Reading costs no request.
 * The objects are shared and must not be changed. A subclass decides where the objects come from: an Informer watches an
 * API server, a FilledCache is given them.
 */
export abstract class ObjectCache<T extends ApiObject, I extends string = never> {
  readonly type: ResourceType;
  protected readonly store: Store<T, I>;
  protected readonly handlers: Handlers<T>;

  /** `onHandlerError` is told when a handler throws, or its promise rejects. */
  constructor(type: ResourceType, options: StoreOptions<T, I>, onHandlerError: (error: unknown) => void) {
    this.type = type;
    this.store = new Store(options);
    this.handlers = new Handlers(onHandlerError);
  }

  /** True once the first objects are complete, in the cache and with the handlers. Stays true. */
  abstract get hasSynced(): boolean;

  /** The kind as in upstream's logs: `*v1.Pod`. */
  get kind(): string {
    return `*${this.type.version}.${this.type.kind}`;
  }

  get size(): number {
    return this.store.size;
  }

  /** The number of distinct shared parts. */
  get sharedPartCount(): number {
    return this.store.sharing.size;
  }

  /** By `namespace/name`, or `name` for cluster-scoped kinds. */
  get(key: string): T | undefined {
    return this.store.get(key);
  }

  list(): readonly T[] {
    return this.store.list();
  }

  byIndex(name: I, value: string): readonly T[] {
    return this.store.byIndex(name, value);
  }

  /**
   * The canonical JSON of a shared part, which is equal only for equal parts. Undefined for a part that is not shared.
   */
  keyOfPart(part: object): string | undefined {
    return this.store.sharing.keyOf(part);
  }

  /**
   * Calls the handler with every object in the cache, then with every change. Returns a function that removes the
   * handler.
   */
  addHandler(handler: Handler<T>): () => void {
    return this.handlers.add(handler, this.store.list());
  }

  /**
   * Like `addHandler`, but shows the existing objects a few at a time, each in its current state, and resolves when all
   * have been shown. Changes are passed on at once, also for objects that were not shown yet, and a new object may be
   * shown twice: for handlers that only collect keys.
   */
  async addHandlerInTurns(handler: Handler<T>): Promise<void> {
    this.handlers.add(handler, []);
    let done = 0;
    for (const key of this.store.keys()) {
      const object = this.store.get(key);
      if (object !== undefined) this.handlers.show(handler, object);
      if (++done % OBJECTS_PER_TURN === 0) await nextTurn();
    }
  }

  /** Stores an object that the store has prepared and tells the handlers. `isInitial`: see `Handler.onAdd`. */
  protected keep(object: T, isInitial: boolean): void {
    const { store, handlers } = this;
    const old = store.get(objectKey(object.metadata));
    if (old === undefined) {
      store.put(object);
      handlers.added(object, isInitial);
    } else if (old.metadata.uid !== object.metadata.uid) {
      // Another object with the same name: the deletion of the old one was missed.
      store.delete(objectKey(old.metadata));
      handlers.deleted(old);
      store.put(object);
      handlers.added(object, false);
    } else {
      store.put(object);
      handlers.updated(old, object);
    }
  }
}
