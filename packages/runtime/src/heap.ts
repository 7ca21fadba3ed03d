/** An item of a heap. */
export interface HeapItem {
  /** The position in the heap, or `OUTSIDE`. Only the heap writes it. */
  slot: number;
}

/** The slot of an item that is in no heap. */
export const OUTSIDE = -1;

/**
 * A binary heap with the smallest item on top, in the order of `isBefore`. Each item knows its slot, so that any item
 * can be removed. Fields that decide the order must not change while the item is in the heap. Push, pop and remove cost
 * O(log n), peek O(1).
 */
export class Heap<T extends HeapItem> {
  readonly #items: T[] = [];
  readonly #isBefore: (a: T, b: T) => boolean;

  constructor(isBefore: (a: T, b: T) => boolean) {
    this.#isBefore = isBefore;
  }

  get size(): number {
    return this.#items.length;
  }

  /** Returns the smallest item without removing it. */
  peek(): T | undefined {
    return this.#items[0];
  }

  push(item: T): void {
    this.#rise(item, this.#items.length);
  }

  /** Removes and returns the smallest item. */
  pop(): T | undefined {
    const top = this.#items[0];
    if (top !== undefined) this.remove(top);
    return top;
  }

  /** Removes `item`, if it is in the heap. */
  remove(item: T): void {
    const at = item.slot;
    if (at === OUTSIDE) return;
    item.slot = OUTSIDE;
    const last = this.#items.pop()!;
    if (last === item) return;
    const parent = this.#items[(at - 1) >>> 1];
    if (at > 0 && this.#isBefore(last, parent!)) this.#rise(last, at);
    else this.#sink(last, at);
  }

  #put(item: T, at: number): void {
    this.#items[at] = item;
    item.slot = at;
  }

  /** Moves `item` up from the free slot `at` to its place. */
  #rise(item: T, at: number): void {
    while (at > 0) {
      const parent = (at - 1) >>> 1;
      if (!this.#isBefore(item, this.#items[parent]!)) break;
      this.#put(this.#items[parent]!, at);
      at = parent;
    }
    this.#put(item, at);
  }

  /** Moves `item` down from the free slot `at` to its place. */
  #sink(item: T, at: number): void {
    const items = this.#items;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= items.length) break;
      if (child + 1 < items.length && this.#isBefore(items[child + 1]!, items[child]!)) child++;
      if (!this.#isBefore(items[child]!, item)) break;
      this.#put(items[child]!, at);
      at = child;
    }
    this.#put(item, at);
  }
}
