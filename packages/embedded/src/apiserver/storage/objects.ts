import type { SteadyClock } from '@karpenter-ts/runtime';
import { type KubeObject, withMetadata } from '../object.ts';
import type { ObjectLookup, Strategy } from '../strategy.ts';
import type { Collection } from './collection.ts';
import { type Content, decode, type Entry, encode } from './entry.ts';
import type { Store } from './store.ts';

/** `namespace/name`, or `name` when there is no namespace: where an object is in its collection. */
export function keyOf(name: string, namespace: string | undefined): string {
  return namespace ? `${namespace}/${name}` : name;
}

/** Where the objects of a resource are kept, unless it shares the place with another. */
export function storageOf({ group, plural }: { readonly group: string; readonly plural: string }): string {
  return `${group}/${plural}`;
}

/** Reads and writes objects of the store. What it returns is shared, and must not be changed. */
export class Objects implements ObjectLookup {
  readonly store: Store;
  readonly #clock: SteadyClock;

  constructor(store: Store, clock: SteadyClock) {
    this.store = store;
    this.#clock = clock;
  }

  collection({ storage }: Pick<Strategy, 'storage'>): Collection {
    return this.store.collection(storage);
  }

  get(strategy: Strategy, key: string): KubeObject | undefined {
    const entry = this.collection(strategy).find(key);
    return entry && shownBy(strategy, entry.object);
  }

  /** Stores an object under a new version, and returns it with that. */
  put(strategy: Strategy, object: KubeObject): KubeObject {
    let stored = object;
    const make = (revision: number): Content => {
      stored = withMetadata(object, { resourceVersion: String(revision) });
      return contentOf(strategy, stored);
    };
    this.store.put(this.collection(strategy), make, this.#clock.elapsed());
    return stored;
  }

  /** Removes an object in this its last state, and returns it with the version of the removal. */
  remove(strategy: Strategy, object: KubeObject): KubeObject {
    let last = object;
    const make = (revision: number): Content => {
      last = withMetadata(object, { resourceVersion: String(revision) });
      return contentOf(strategy, last);
    };
    this.store.remove(this.collection(strategy), make, this.#clock.elapsed());
    return last;
  }

  entry(storage: string, key: string): Entry | undefined {
    return this.store.collection(storage).find(key);
  }

  find(storage: string, key: string): KubeObject | undefined {
    return this.entry(storage, key)?.object;
  }

  list(storage: string, namespace?: string): readonly KubeObject[] {
    const entries = this.store.collection(storage).range(namespace ? `${namespace}/` : '');
    return Array.from(entries, ({ object }) => object);
  }
}

/** Converts a stored object to the form the resource shows. */
export function decodeStored(json: Buffer, strategy: Strategy): KubeObject {
  return shownBy(strategy, decode(json));
}

function shownBy({ conversion }: Strategy, object: KubeObject): KubeObject {
  return conversion ? conversion.fromStorage(object) : object;
}

/** The bytes of an object as the resource shows it: the stored ones, where it can be. */
export function encodedFor(strategy: Strategy, json: Buffer): Buffer {
  return strategy.conversion ? Buffer.from(encode(decodeStored(json, strategy))) : json;
}

function contentOf(strategy: Strategy, object: KubeObject): Content {
  const { name, namespace, labels } = object.metadata;
  const stored = strategy.conversion ? strategy.conversion.toStorage(object) : object;
  return { key: keyOf(name, namespace), object: stored, labels, fields: strategy.fieldsOf(stored) };
}
