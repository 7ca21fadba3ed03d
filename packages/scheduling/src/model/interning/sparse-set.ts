import { BitSet } from './bit-set.ts';

/**
 * A set of small ids that is a list while it has few of them, and a bit set once that is no larger: so thousands of sets
 * with an id or two each take as much memory as they have ids, and a set of thousands is united 32 at a time.
 */
export class SparseSet {
  #few: number[] | undefined = [];
  #many: BitSet | undefined;

  /** It must not be there already. */
  add(id: number): void {
    if (this.#few === undefined) {
      this.#many!.add(id);
      return;
    }
    this.#few.push(id);
    if (this.#few.length * 32 <= id) return;
    this.#many = new BitSet();
    for (const one of this.#few) this.#many.add(one);
    this.#few = undefined;
  }

  delete(id: number): void {
    if (this.#few === undefined) this.#many!.delete(id);
    else this.#few = this.#few.filter((one) => one !== id);
  }

  uniteInto(set: BitSet): void {
    if (this.#few === undefined) set.unite(this.#many!);
    else for (const id of this.#few) set.add(id);
  }
}
