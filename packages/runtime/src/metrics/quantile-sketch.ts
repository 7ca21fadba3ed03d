/** Values a level holds before every other one goes. 2048 keeps the error of a rank below 0.01 up to 2^30 values. */
const CAPACITY = 2048;

/** A value that stands for `weight` observations near it. */
interface Weighted {
  readonly value: number;
  readonly weight: number;
}

/**
 * A stream of numbers, remembered well enough to ask for quantiles: exact up to 2047 values, then in memory that grows
 * with the logarithm of their count.
 *
 * A full level is sorted and every second value moves on to the next level, where it stands for twice as many. That
 * moves any rank by at most one weight, n/CAPACITY over all times it happens on a level, so by n·levels/CAPACITY in
 * all; taking the odd and the even places in turn makes most of it cancel out. Adding is O(1) over time.
 */
export class QuantileSketch {
  readonly #levels: number[][] = [[]]; // a value on level i stands for 2^i
  #isOddTurn = false;
  #min = Infinity; // the extremes are asked for, and thinning out may lose them
  #max = -Infinity;

  add(value: number): void {
    if (value < this.#min) this.#min = value;
    if (value > this.#max) this.#max = value;
    if (this.#levels[0]!.push(value) === CAPACITY) this.#thinOut(0);
  }

  #thinOut(level: number): void {
    const sorted = Float64Array.from(this.#levels[level]!).sort();
    this.#levels[level] = [];
    const next = (this.#levels[level + 1] ??= []);
    for (let i = this.#isOddTurn ? 1 : 0; i < sorted.length; i += 2) next.push(sorted[i]!);
    this.#isOddTurn = !this.#isOddTurn;
    if (next.length === CAPACITY) this.#thinOut(level + 1);
  }

  /**
   * The quantiles of what all these sketches have seen, by nearest rank; NaN when they have seen nothing. The lowest
   * and the highest are exact, the others within 0.01 of their rank.
   */
  static quantiles(sketches: readonly QuantileSketch[], quantiles: readonly number[]): readonly number[] {
    const values = sketches.flatMap((sketch) => sketch.#weighted()).sort((a, b) => a.value - b.value);
    if (values.length === 0) return quantiles.map(() => NaN);
    const total = values.reduce((sum, { weight }) => sum + weight, 0);
    return quantiles.map((quantile) => {
      if (quantile === 0) return Math.min(...sketches.map((sketch) => sketch.#min));
      if (quantile === 1) return Math.max(...sketches.map((sketch) => sketch.#max));
      return atRank(values, Math.ceil(quantile * total));
    });
  }

  #weighted(): Weighted[] {
    return this.#levels.flatMap((values, level) => values.map((value) => ({ value, weight: 2 ** level })));
  }
}

function atRank(sorted: readonly Weighted[], rank: number): number {
  let seen = 0;
  for (const { value, weight } of sorted) {
    seen += weight;
    if (seen >= rank) return value;
  }
  return sorted.at(-1)!.value;
}
