/** What machines have, and what they cost in the ways they can be bought. */
export interface PriceList {
  /** By resource, then by machine. */
  readonly sizes: readonly (readonly number[])[];
  /** By way to buy, then by machine: Infinity for those that cannot be had that way. */
  readonly prices: readonly Iterable<number>[];
}

/** Prices count as linear up to so small a part of themselves: lists are rounded, and sums are not exact. */
const TOLERANCE = 1e-6;
/** So many prices more than it takes to make any prices look linear. */
const LEAST_EVIDENCE = 2;

/**
 * Whether prices are linear: in each way to buy, a price is so much per core plus so much per byte and so on, with nothing
 * to gain or lose by size. False if there are too few machines to tell.
 */
export function isLinear({ sizes, prices }: PriceList): boolean {
  const differing = sizes.filter((amounts) => amounts.some((amount) => amount !== amounts[0]));
  return prices.every((list) => {
    const known = [...list]
      .map((price, machine) => ({ price, machine }))
      .filter(({ price }) => price < Number.POSITIVE_INFINITY);
    const basis = orthonormal(differing.map((amounts) => known.map(({ machine }) => amounts[machine]!)));
    if (known.length < basis.length + LEAST_EVIDENCE) return false;
    const rest = withoutPartsAlong(
      known.map(({ price }) => price),
      basis,
    );
    return rest.every((difference, i) => Math.abs(difference) <= TOLERANCE * known[i]!.price);
  });
}

/** Vectors of length one, at right angles, that span what the columns span. */
function orthonormal(columns: readonly (readonly number[])[]): readonly (readonly number[])[] {
  const basis: (readonly number[])[] = [];
  for (const column of columns) {
    const unit = scale(column, 1 / (length(column) || 1));
    const rest = withoutPartsAlong(withoutPartsAlong(unit, basis), basis); // once more, for what rounding left
    if (length(rest) > TOLERANCE) basis.push(scale(rest, 1 / length(rest)));
  }
  return basis;
}

function withoutPartsAlong(vector: readonly number[], basis: readonly (readonly number[])[]): readonly number[] {
  let rest = vector;
  for (const unit of basis) {
    const part = unit.reduce((sum, value, i) => sum + value * rest[i]!, 0);
    rest = rest.map((value, i) => value - part * unit[i]!);
  }
  return rest;
}

function length(vector: readonly number[]): number {
  return Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
}

function scale(vector: readonly number[], factor: number): readonly number[] {
  return vector.map((value) => value * factor);
}
