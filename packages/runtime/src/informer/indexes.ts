/** Returns the index values of an object. An object without values is not in the index. */
export type Indexer<T> = (object: T) => readonly string[];

/** Named indexes, kept up to date with each change. A lookup costs O(result). */
export class Indexes<T, I extends string> {
  readonly #indexers: readonly (readonly [name: I, indexer: Indexer<T>])[];
  readonly #keys: ReadonlyMap<I, Map<string, Set<string>>>;

  constructor(indexers: Readonly<Record<I, Indexer<T>>>) {
    this.#indexers = Object.entries(indexers) as [I, Indexer<T>][];
    this.#keys = new Map(this.#indexers.map(([name]) => [name, new Map()]));
  }

  /** Keys of the objects with this value. */
  keys(name: I, value: string): Iterable<string> {
    return this.#of(name).get(value) ?? [];
  }

  /** Updates the indexes after a change of the object under `key`. Undefined stands for no object. */
  move(key: string, old: T | undefined, object: T | undefined): void {
    for (const [name, indexer] of this.#indexers) {
      const before = old === undefined ? [] : indexer(old);
      const after = object === undefined ? [] : indexer(object);
      if (isSame(before, after)) continue;
      for (const value of before) this.#remove(name, value, key);
      for (const value of after) this.#add(name, value, key);
    }
  }

  #add(name: I, value: string, key: string): void {
    const index = this.#of(name);
    const keys = index.get(value);
    if (keys === undefined) index.set(value, new Set([key]));
    else keys.add(key);
  }

  #remove(name: I, value: string, key: string): void {
    const index = this.#of(name);
    const keys = index.get(value);
    keys?.delete(key);
    if (keys?.size === 0) index.delete(value);
  }

  #of(name: I): Map<string, Set<string>> {
    const index = this.#keys.get(name);
    if (index === undefined) throw new Error(`no index ${name}`);
    return index;
  }
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((value, i) => value === b[i]);
}
