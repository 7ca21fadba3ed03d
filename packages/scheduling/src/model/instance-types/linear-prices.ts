/** The resources of instance types, and their prices in each of the ways in which they can be bought. */
export interface PriceList {
  /** By resource, then by instance type. */
  readonly sizes: readonly (readonly number[])[];
  /** By way to buy, then by instance type: Infinity where a type cannot be bought that way. */
  readonly prices: readonly Iterable<number>[];
}

/** Prices count as linear up to so small a part of themselves: lists are rounded, and sums are not exact. */
const TOLERANCE = 1e-6;
/** So many prices more than it takes to make any prices look linear. */
const LEAST_EVIDENCE = 2;

/**
 * Whether prices are linear: in each way to buy, a price is so much per core plus so much per byte and so on, with nothing
 * to gain or lose by size. False if there are too few types to tell, and where more of a resource makes a type
 * cheaper: then there is something to gain, namely by buying more of it.
 */
export function isLinear({ sizes, prices }: PriceList): boolean {
  const differing = sizes.filter((amounts) => amounts.some((amount) => amount !== amounts[0]));
  return prices.every((list) => {
    const known = [...list]
      .map((price, option) => ({ price, option }))
      .filter(({ price }) => price < Number.POSITIVE_INFINITY);
    const independent = independentOf(differing.map((amounts) => known.map(({ option }) => amounts[option]!)));
    if (known.length < independent.length + LEAST_EVIDENCE) return false;
    const paid = known.map(({ price }) => price);
    const rest = withoutPartsAlong(
      paid,
      independent.map(({ unit }) => unit),
    );
    const isClose = rest.every((difference, i) => Math.abs(difference) <= TOLERANCE * known[i]!.price);
    return isClose && !hasNegativeRate(paid, independent);
  });
}

/** A resource, by instance type, and the part of it that those before it do not explain, of length one. */
interface Direction {
  readonly column: readonly number[];
  readonly unit: readonly number[];
}

/** The columns that are no sum of multiples of those before them; their units are at right angles to each other. */
function independentOf(columns: readonly (readonly number[])[]): readonly Direction[] {
  const found: Direction[] = [];
  for (const column of columns) {
    const basis = found.map(({ unit }) => unit);
    const scaled = scale(column, 1 / (length(column) || 1));
    const rest = withoutPartsAlong(withoutPartsAlong(scaled, basis), basis); // once more, for what rounding left
    if (length(rest) > TOLERANCE) found.push({ column: scaled, unit: scale(rest, 1 / length(rest)) });
  }
  return found;
}

/**
 * Whether linear prices fall as one of the resources grows and the others stay. Of resources that come in fixed proportions
 * the first stands for all.
 *
 * `inverse` turns what prices have along the units into rates; a rate times the part of its resource that no other
 * explains is what it is weighed by, since rounded prices may have tiny rates of either sign.
 */
function hasNegativeRate(prices: readonly number[], directions: readonly Direction[]): boolean {
  const along = directions.map(({ unit }) => dot(unit, prices));
  const inverse = inverseOf(directions.map(({ unit }) => directions.map(({ column }) => dot(unit, column))));
  return inverse.some((row) => dot(row, along) / length(row) < -TOLERANCE * length(prices));
}

/** Of a matrix that has nothing below its diagonal. */
function inverseOf(matrix: readonly (readonly number[])[]): readonly (readonly number[])[] {
  const inverse: (readonly number[])[] = [];
  for (let i = matrix.length - 1; i >= 0; i--) {
    let row: readonly number[] = matrix.map((_, j) => +(j === i));
    for (let below = i + 1; below < matrix.length; below++) {
      row = row.map((value, j) => value - matrix[i]![below]! * inverse[below]![j]!);
    }
    inverse[i] = scale(row, 1 / matrix[i]![i]!);
  }
  return inverse;
}

function withoutPartsAlong(vector: readonly number[], basis: readonly (readonly number[])[]): readonly number[] {
  let rest = vector;
  for (const unit of basis) {
    const part = dot(unit, rest);
    rest = rest.map((value, i) => value - part * unit[i]!);
  }
  return rest;
}

function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, i) => sum + value * b[i]!, 0);
}

function length(vector: readonly number[]): number {
  return Math.sqrt(dot(vector, vector));
}

function scale(vector: readonly number[], factor: number): readonly number[] {
  return vector.map((value) => value * factor);
}
