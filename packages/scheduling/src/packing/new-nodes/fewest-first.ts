import type { BitSet } from '../../model/interning/bit-set.ts';

const NONE = -1;
/** Walking in order pays as long as at least one node in so many is a candidate. */
const SPARSE = 16;

/**
 * The planned nodes by number of pods, fewest first. A node that takes a pod goes before all others with as many; a new
 * one goes behind all others with one: so a stable sort before every attempt would have it (spec 02 §8.3).
 */
export class FewestFirst {
  /** By node: how many pods; place among nodes with as many; neighbours in that place. */
  readonly #pods: number[] = [];
  readonly #rank: number[] = [];
  readonly #next: number[] = [];
  readonly #previous: number[] = [];
  /** By number of pods: the first and last node with so many. */
  readonly #first: number[] = [];
  readonly #last: number[] = [];
  #lowestRank = 0;
  #highestRank = 0;

  get size(): number {
    return this.#pods.length;
  }

  /** A new node, the next in number, with its first pod. */
  add(): void {
    const node = this.#pods.push(1) - 1;
    this.#rank.push(++this.#highestRank);
    const last = this.#last[1] ?? NONE;
    this.#next.push(NONE);
    this.#previous.push(last);
    if (last === NONE) this.#first[1] = node;
    else this.#next[last] = node;
    this.#last[1] = node;
  }

  /** The node took one more pod. */
  promote(node: number): void {
    const pods = this.#pods[node]!;
    this.#remove(node, pods);
    const first = this.#first[pods + 1] ?? NONE;
    this.#pods[node] = pods + 1;
    this.#rank[node] = --this.#lowestRank;
    this.#previous[node] = NONE;
    this.#next[node] = first;
    if (first === NONE) this.#last[pods + 1] = node;
    else this.#previous[first] = node;
    this.#first[pods + 1] = node;
  }

  /** Whether these are so few among all nodes that each should be looked at before the first is asked for. */
  areFew(candidates: BitSet): boolean {
    return candidates.count() * SPARSE < this.size;
  }

  /**
   * The first of the candidates, or the first that comes after a node; −1 if there is none. Of many, all are found in
   * one walk over the nodes; of a few, each costs a look at all of them.
   */
  firstOf(candidates: BitSet, areFew: boolean, after = NONE): number {
    return areFew ? this.#leastOf(candidates, after) : this.#walkTo(candidates, after);
  }

  #walkTo(candidates: BitSet, after: number): number {
    let pods = after === NONE ? 1 : this.#pods[after]!;
    let node = after === NONE ? (this.#first[1] ?? NONE) : this.#next[after]!;
    for (;;) {
      for (; node !== NONE; node = this.#next[node]!) if (candidates.has(node)) return node;
      if (++pods >= this.#first.length) return NONE;
      node = this.#first[pods] ?? NONE;
    }
  }

  #leastOf(candidates: BitSet, after: number): number {
    let least = NONE;
    for (let node = candidates.next(0); node >= 0; node = candidates.next(node + 1)) {
      if (after !== NONE && !this.#precedes(after, node)) continue;
      if (least === NONE || this.#precedes(node, least)) least = node;
    }
    return least;
  }

  #precedes(a: number, b: number): boolean {
    return this.#pods[a]! < this.#pods[b]! || (this.#pods[a] === this.#pods[b] && this.#rank[a]! < this.#rank[b]!);
  }

  #remove(node: number, pods: number): void {
    const [previous, next] = [this.#previous[node]!, this.#next[node]!];
    if (previous === NONE) this.#first[pods] = next;
    else this.#next[previous] = next;
    if (next === NONE) this.#last[pods] = previous;
    else this.#previous[next] = previous;
  }
}
