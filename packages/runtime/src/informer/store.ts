import { type ApiObject, objectKey, shared } from '@karpenter-ts/kubernetes';
import { type Indexer, Indexes } from './indexes.ts';
import { Sharing } from './sharing.ts';
import { dropManagedFields, type Transform } from './transform.ts';

/** What is kept of a kind, and how it is found. */
export interface StoreOptions<T, I extends string> {
  /** Without one, all but `metadata.managedFields` is kept. */
  readonly transform?: Transform<T> | undefined;
  /** Parts of which equal ones are kept once, such as `metadata.labels` (see Sharing). */
  readonly sharedParts?: readonly string[] | undefined;
  readonly indexes?: Readonly<Record<I, Indexer<T>>> | undefined;
}

/** The objects of a kind by key, as they are kept. Nobody may change what it hands out. */
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

  /** An object from the server as it is kept: transformed, its parts shared. Must end in `put` or `discard`. */
  prepare(object: T): T {
    const kept = this.#transform(object);
    const old = this.#objects.get(objectKey(kept.metadata));
    if (old === undefined) this.sharing.share(kept);
    else this.sharing.shareFrom(old, kept);
    return shared(kept);
  }

  /** Takes a prepared object in and returns the one it replaces. */
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

  /** Gives up a prepared object that was not put. */
  discard(object: T): void {
    this.sharing.release(object);
  }
}
