import type { BitSet } from '../interning/bit-set.ts';

const NONE = -1;
/** Walking in order pays as long as at least one candidate in so many is hit. */
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

  /** The first of the candidates, or −1. */
  firstOf(candidates: BitSet): number {
    const count = candidates.count();
    if (count === 0) return NONE;
    return count * SPARSE < this.size ? this.#leastOf(candidates) : this.#walkTo(candidates);
  }

  #walkTo(candidates: BitSet): number {
    for (let pods = 1; pods < this.#first.length; pods++) {
      for (let node = this.#first[pods] ?? NONE; node !== NONE; node = this.#next[node]!) {
        if (candidates.has(node)) return node;
      }
    }
    return NONE;
  }

  #leastOf(candidates: BitSet): number {
    let least = candidates.next(0);
    for (let node = candidates.next(least + 1); node >= 0; node = candidates.next(node + 1)) {
      const order = this.#pods[node]! - this.#pods[least]!;
      if (order < 0 || (order === 0 && this.#rank[node]! < this.#rank[least]!)) least = node;
    }
    return least;
  }

  #remove(node: number, pods: number): void {
    const [previous, next] = [this.#previous[node]!, this.#next[node]!];
    if (previous === NONE) this.#first[pods] = next;
    else this.#next[previous] = next;
    if (next === NONE) this.#last[pods] = previous;
    else this.#previous[next] = previous;
  }
}
