import { Collection } from './collection.ts';
import type { Content, Entry } from './entry.ts';

/**
 * The storage of the server: collections by name, and one revision for all of them, as in etcd. Each write is one
 * revision.
 */
export class Store {
  readonly #collections = new Map<string, Collection>();
  #revision = 1;

  /** Of the last write. */
  get revision(): number {
    return this.#revision;
  }

  /** The collection of this name; an empty one as of now if there was none. */
  collection(name: string): Collection {
    let collection = this.#collections.get(name);
    if (collection === undefined) {
      collection = new Collection(this.#revision);
      this.#collections.set(name, collection);
    }
    return collection;
  }

  /** Drops a collection and its history. */
  drop(name: string): void {
    this.#collections.delete(name);
  }

  /** Stores what `make` returns for the revision of this write. */
  put(collection: Collection, make: (revision: number) => Content, at: number): Entry {
    const revision = ++this.#revision;
    return collection.put(make(revision), revision, at);
  }

  /** Removes an object; `make` returns its last state for the revision of this write. */
  remove(collection: Collection, make: (revision: number) => Content, at: number): void {
    const revision = ++this.#revision;
    collection.remove(make(revision), revision, at);
  }
}
