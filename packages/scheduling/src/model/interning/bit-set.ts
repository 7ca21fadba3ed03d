/**
 * A set of small ids, one bit each; ids come from one table and mean nothing outside it. It grows as ids are added.
 *
 * Why: each pod that joins a node intersects the node's instance types with those its class can use. At 400 types that
 * is 13 words and no allocation, where a Set<string> would hash up to 400 names and build a new set.
 * Cost: add and has O(1), everything else O(size/32), memory size/8 bytes.
 */
export class BitSet {
  #words: Uint32Array;

  constructor(size = 0) {
    this.#words = new Uint32Array((size + 31) >>> 5);
  }

  /** The ids 0 … count−1. */
  static upTo(count: number): BitSet {
    const set = new BitSet(count);
    set.fill(count);
    return set;
  }

  add(id: number): void {
    const word = id >>> 5;
    if (word >= this.#words.length) this.#grow(word + 1);
    this.#words[word]! |= 1 << (id & 31);
  }

  delete(id: number): void {
    const word = id >>> 5;
    if (word < this.#words.length) this.#words[word]! &= ~(1 << (id & 31));
  }

  has(id: number): boolean {
    const word = id >>> 5;
    return word < this.#words.length && (this.#words[word]! & (1 << (id & 31))) !== 0;
  }

  clear(): void {
    this.#words.fill(0);
  }

  /** Becomes the ids 0 … count−1. */
  fill(count: number): void {
    const whole = count >>> 5;
    if (this.#words.length < whole + 1) this.#grow(whole + 1);
    this.#words.fill(-1, 0, whole);
    this.#words.fill(0, whole);
    this.#words[whole] = (1 << (count & 31)) - 1;
  }

  copyFrom(other: BitSet): void {
    const theirs = other.#words;
    if (this.#words.length < theirs.length) this.#grow(theirs.length);
    this.#words.set(theirs);
    this.#words.fill(0, theirs.length);
  }

  clone(): BitSet {
    const copy = new BitSet();
    copy.#words = this.#words.slice();
    return copy;
  }

  /** Keeps what `other` has too. False when nothing is left, so callers need no second pass to ask. */
  intersect(other: BitSet): boolean {
    const mine = this.#words;
    const theirs = other.#words;
    const common = Math.min(mine.length, theirs.length);
    let left = 0;
    for (let i = 0; i < common; i++) {
      const word = mine[i]! & theirs[i]!;
      mine[i] = word;
      left |= word;
    }
    mine.fill(0, common);
    return left !== 0;
  }

  /** Drops what `other` has. False when nothing is left. */
  subtract(other: BitSet): boolean {
    const mine = this.#words;
    const theirs = other.#words;
    const common = Math.min(mine.length, theirs.length);
    let left = 0;
    for (let i = 0; i < common; i++) {
      const word = mine[i]! & ~theirs[i]!;
      mine[i] = word;
      left |= word;
    }
    for (let i = common; i < mine.length; i++) left |= mine[i]!;
    return left !== 0;
  }

  /** Takes in what `other` has. */
  unite(other: BitSet): void {
    const theirs = other.#words;
    if (this.#words.length < theirs.length) this.#grow(theirs.length);
    const mine = this.#words;
    for (let i = 0; i < theirs.length; i++) mine[i]! |= theirs[i]!;
  }

  isEmpty(): boolean {
    for (const word of this.#words) if (word !== 0) return false;
    return true;
  }

  /** Whether any id is in both. */
  overlaps(other: BitSet): boolean {
    const mine = this.#words;
    const theirs = other.#words;
    const common = Math.min(mine.length, theirs.length);
    for (let i = 0; i < common; i++) if ((mine[i]! & theirs[i]!) !== 0) return true;
    return false;
  }

  /** Whether every id of `other` is in it. */
  includes(other: BitSet): boolean {
    const mine = this.#words;
    const theirs = other.#words;
    for (let i = 0; i < theirs.length; i++) if ((theirs[i]! & ~(mine[i] ?? 0)) !== 0) return false;
    return true;
  }

  count(): number {
    let total = 0;
    for (const word of this.#words) total += onesIn(word);
    return total;
  }

  /** How many ids are in both. */
  countCommon(other: BitSet): number {
    const mine = this.#words;
    const theirs = other.#words;
    const common = Math.min(mine.length, theirs.length);
    let total = 0;
    for (let i = 0; i < common; i++) total += onesIn(mine[i]! & theirs[i]!);
    return total;
  }

  /** Equal for sets of equal ids and room. */
  text(): string {
    return this.#words.join();
  }

  /** The smallest id from `from` on, or −1. */
  next(from: number): number {
    const words = this.#words;
    let i = from >>> 5;
    if (i >= words.length) return -1;
    let word = words[i]! & (-1 << (from & 31));
    while (word === 0) {
      if (++i >= words.length) return -1;
      word = words[i]!;
    }
    return i * 32 + 31 - Math.clz32(word & -word);
  }

  /** In ascending order. A generator has no place in an inner loop: there, use `next`. */
  *[Symbol.iterator](): Generator<number> {
    for (let id = this.next(0); id >= 0; id = this.next(id + 1)) yield id;
  }

  #grow(words: number): void {
    const larger = new Uint32Array(Math.max(words, this.#words.length * 2));
    larger.set(this.#words);
    this.#words = larger;
  }
}

function onesIn(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
