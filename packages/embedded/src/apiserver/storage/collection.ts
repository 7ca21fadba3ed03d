import { type Change, ChangeLog } from './change-log.ts';
import { type Content, Entry } from './entry.ts';

/** How many entries stay decoded: enough for all that is written repeatedly, and too few to matter for memory. */
const DECODED = 4_000;
/** Of those that have bytes as well, so many: to decode them again costs little. */
const DECODED_AND_ENCODED = 500;

/** All objects of one resource, in the order of their keys, with their recent changes. */
export class Collection {
  readonly log: ChangeLog;
  readonly #entries = new Map<string, Entry>();
  readonly #keys: string[] = []; // sorted, the keys of #entries
  readonly #listeners = new Set<() => void>();
  readonly #decoded: Entry[] = []; // the last that were, in a ring
  #oldest = 0; // of the ring

  /** Empty as of this revision. */
  constructor(revision: number) {
    this.log = new ChangeLog(revision);
  }

  get size(): number {
    return this.#keys.length;
  }

  find(key: string): Entry | undefined {
    return this.#entries.get(key);
  }

  /** Stores an object and tells the watchers. */
  put(content: Content, revision: number, at: number): Entry {
    const { key } = content;
    const before = this.#entries.get(key);
    const after = new Entry(before ? 'MODIFIED' : 'ADDED', content, { revision, at }, this.#keep);
    if (!before) this.#keys.splice(this.#indexOf(key), 0, key);
    this.#entries.set(key, after);
    this.#keep(after);
    this.#record({ revision, at, before, after, state: after });
    return after;
  }

  /** Removes an object; `content` is its last state under the revision of the removal. */
  remove(content: Content, revision: number, at: number): void {
    const before = this.#entries.get(content.key);
    this.#keys.splice(this.#indexOf(content.key), 1);
    this.#entries.delete(content.key);
    const state = new Entry('DELETED', content, { revision, at }, this.#keep);
    this.#keep(state);
    this.#record({ revision, at, before, after: undefined, state });
  }

  /** The entries whose keys start with the prefix and come after `from`, in order. */
  *range(prefix: string, from = prefix): Generator<Entry> {
    for (let index = this.#indexOf(from); index < this.#keys.length; index++) {
      const key = this.#keys[index]!;
      if (!key.startsWith(prefix)) return;
      yield this.#entries.get(key)!;
    }
  }

  /**
   * Like `range`, but of the state at an earlier revision that the log still covers. The cost is the number of changes
   * since.
   */
  *rangeAt(revision: number, prefix: string, from = prefix): Generator<Entry> {
    const past = new Map<string, Entry | undefined>();
    for (let place = this.log.placeAfter(revision); place < this.log.end; place++) {
      const { before, after } = this.log.at(place)!;
      const { key } = (after ?? before)!;
      if (!past.has(key)) past.set(key, before);
    }
    const changed = [...past.keys()].filter((key) => key >= from && key.startsWith(prefix)).sort();
    let next = 0;
    for (const entry of this.range(prefix, from)) {
      while (next < changed.length && changed[next]! < entry.key) yield* orNothing(past.get(changed[next++]!));
      if (changed[next] === entry.key) yield* orNothing(past.get(changed[next++]!));
      else yield entry;
    }
    while (next < changed.length) yield* orNothing(past.get(changed[next++]!));
  }

  /** Calls `listener` after every change until the returned function is called. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Registers a decoded entry. The one decoded longest ago drops its object if it has bytes. */
  readonly #keep = (entry: Entry): void => {
    const ring = this.#decoded;
    const oldest = ring[this.#oldest];
    ring[this.#oldest] = entry;
    const older = ring[(this.#oldest + DECODED - DECODED_AND_ENCODED) % DECODED];
    if (older?.isEncoded) older.letGo();
    this.#oldest = (this.#oldest + 1) % DECODED;
    if (!oldest?.isDecoded) return;
    const isKnown = oldest.revision > this.log.horizon || this.#entries.get(oldest.key) === oldest;
    if (isKnown) oldest.letGo();
  };

  #record(change: Change): void {
    this.log.append(change);
    for (const listener of this.#listeners) listener();
  }

  /** Where the key is, or would be. */
  #indexOf(key: string): number {
    const keys = this.#keys;
    let low = 0;
    let high = keys.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (keys[middle]! < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function* orNothing(entry: Entry | undefined): Generator<Entry> {
  if (entry !== undefined) yield entry;
}
