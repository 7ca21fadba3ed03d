import { type ApiObject, objectKey, shared } from '@karpenter-ts/kubernetes';
import { type Indexer, Indexes } from './indexes.ts';
import { Sharing } from './sharing.ts';
import { dropManagedFields, type Transform } from './transform.ts';

/** How objects are kept and indexed. */
export interface StoreOptions<T, I extends string> {
  /** By default, everything but `metadata.managedFields` is kept. */
  readonly transform?: Transform<T> | undefined;
  /** Parts of which equal ones are kept once, such as `metadata.labels` (see Sharing). */
  readonly sharedParts?: readonly string[] | undefined;
  readonly indexes?: Readonly<Record<I, Indexer<T>>> | undefined;
}

/** The objects of a kind by key. They must not be changed by readers. */
export class Store<T extends ApiObject, I extends string> {
  readonly sharing: Sharing;
  readonly #objects = new Map<string, T>();
  readonly #indexes: Indexes<T, I>;
  readonly #transform: Transform<T>;

  constructor({ transform, sharedParts, indexes }: StoreOptions<T, I>) {
    this.#transform = transform ?? dropManagedFields;
    this.sharing = new Sharing(sharedParts ?? []);
    this.#indexes = new Indexes(indexes ?? ({} as Record<I, Indexer<T>>));
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  keys(): Iterable<string> {
    return this.#objects.keys();
  }

  list(): readonly T[] {
    return [...this.#objects.values()];
  }

  byIndex(name: I, value: string): readonly T[] {
    const found: T[] = [];
    for (const key of this.#indexes.keys(name, value)) found.push(this.#objects.get(key) as T);
    return found;
  }

  /**
   * Prepares an object from the server for the store: transforms it and shares its parts. Must be followed by `put` or
   * `discard`.
   */
  prepare(object: T): T {
    const kept = this.#transform(object);
    const old = this.#objects.get(objectKey(kept.metadata));
    if (old === undefined) this.sharing.share(kept);
    else this.sharing.shareFrom(old, kept);
    return shared(kept);
  }

  /** Stores a prepared object and returns the one it replaces. */
  put(object: T): T | undefined {
    const key = objectKey(object.metadata);
    const old = this.#objects.get(key);
    this.#objects.set(key, object);
    this.#indexes.move(key, old, object);
    if (old !== undefined) this.sharing.release(old);
    return old;
  }

  delete(key: string): T | undefined {
    const old = this.#objects.get(key);
    if (old === undefined) return undefined;
    this.#objects.delete(key);
    this.#indexes.move(key, old, undefined);
    this.sharing.release(old);
    return old;
  }

  /** Releases a prepared object that is not stored. */
  discard(object: T): void {
    this.sharing.release(object);
  }
}
