/** How many values a level holds before it is thinned out. 2048 keeps the rank error below 0.01 up to 2^30 values. */
const CAPACITY = 2048;

/** A value that stands for `weight` observations near it. */
interface Weighted {
  readonly value: number;
  readonly weight: number;
}

/**
 * Estimates quantiles of a stream of numbers. Exact up to 2047 values; beyond that, memory grows with the logarithm of
 * the number of values.
 *
 * When a level is full, it is sorted, and every second value moves to the next level, where it stands for twice as many
 * observations. Each such step moves a rank by at most one weight. Over a whole level that adds up to n/CAPACITY, so
 * the total error is at most n·levels/CAPACITY; most of it cancels out, because odd and even positions are kept in
 * turn. Adding a value costs amortized O(1).
 */
export class QuantileSketch {
  readonly #levels: number[][] = [[]]; // a value on level i stands for 2^i
  #isOddTurn = false;
  #min = Infinity; // the minimum and maximum are exact, although thinning out may drop them
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
   * The quantiles, by nearest rank, of all values in these sketches; NaN if there are none. The minimum and maximum are
   * exact, the others within 0.01 of their rank.
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
