import type { Random } from '@karpenter-ts/embedded';

/** Random choices, drawn from a random source so that a seed repeats them. */
export class Rng {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  /** True with a probability of `chance` percent. */
  percent(chance: number): boolean {
    return this.#random() * 100 < chance;
  }

  /** From 0 up to, but not including, `limit`. */
  below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  pick<T>(items: readonly T[]): T {
    if (items.length === 0) throw new Error('nothing to pick from');
    return items[this.below(items.length)] as T;
  }

  /** Draws an item with a probability in proportion to its weight. */
  weighted<T>(items: readonly (readonly [weight: number, item: T])[]): T {
    let left = this.#random() * items.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, item] of items) {
      left -= weight;
      if (left < 0) return item;
    }
    return this.pick(items)[1];
  }
}
