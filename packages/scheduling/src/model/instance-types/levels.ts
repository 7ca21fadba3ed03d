import { BitSet } from '../interning/bit-set.ts';

/**
 * Ids by an amount, so that "all with at least x" is a binary search and a ready set instead of a comparison per id.
 * Memory: levels × ids / 8 bytes, 20 kB for 400 types.
 */
export class Levels<T extends number | bigint> {
  /** Ascending and distinct; by level: ids that have so much or more; ids that have so much or less, once asked for. */
  readonly #levels: T[] = [];
  readonly #atLeast: BitSet[] = [];
  readonly #atMost: (BitSet | undefined)[] = [];
  readonly #ids: number;
  readonly #none = new BitSet();

  /** `amounts[id]` is what the id has. */
  constructor(amounts: readonly T[]) {
    this.#ids = amounts.length;
    const descending = amounts.map((_, id) => id).sort((a, b) => (amounts[b]! < amounts[a]! ? -1 : 1));
    const reached = new BitSet(amounts.length);
    for (const [i, id] of descending.entries()) {
      reached.add(id);
      if (amounts[descending[i + 1] ?? -1] === amounts[id]) continue;
      this.#levels.push(amounts[id]!);
      this.#atLeast.push(reached.clone());
    }
    this.#levels.reverse();
    this.#atLeast.reverse();
  }

  /** How many different amounts there are. */
  get count(): number {
    return this.#levels.length;
  }

  /** Ids that have `amount` or more. Not to be changed. */
  atLeast(amount: T): BitSet {
    return this.#atLeast[this.#firstFrom(amount)] ?? this.#none;
  }

  /** Ids that have `amount` or less. Not to be changed. */
  atMost(amount: T): BitSet {
    const next = this.#firstFrom(amount);
    const level = this.#levels[next] === amount ? next : next - 1;
    if (level < 0) return this.#none;
    this.#atMost[level] ??= this.#below(level + 1);
    return this.#atMost[level];
  }

  /** The most any of these ids has; `undefined` for none. */
  largest(ids: BitSet): T | undefined {
    for (let i = this.#levels.length - 1; i >= 0; i--) {
      if (ids.overlaps(this.#atLeast[i]!)) return this.#levels[i];
    }
    return undefined;
  }

  /** The least any of these ids has; `undefined` for none. */
  smallest(ids: BitSet): T | undefined {
    if (ids.isEmpty()) return undefined;
    const last = this.#atLeast.findLastIndex((enough) => enough.includes(ids));
    return this.#levels[last];
  }

  /** The least amount for which the ids that have it or less are enough. */
  leastWhere(isEnough: (ids: BitSet) => boolean): T | undefined {
    return this.#levels.find((amount) => isEnough(this.atMost(amount)));
  }

  #below(level: number): BitSet {
    const ids = BitSet.upTo(this.#ids);
    if (level < this.#levels.length) ids.subtract(this.#atLeast[level]!);
    return ids;
  }

  /** The first level that is `amount` or more, or how many there are. */
  #firstFrom(amount: T): number {
    let low = 0;
    let high = this.#levels.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#levels[middle]! < amount) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
