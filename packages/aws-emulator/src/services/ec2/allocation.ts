/** What a strategy looks at of a pool that a fleet may launch from. */
export interface Candidate {
  /** Infinite if unknown. */
  readonly price: number;
  /** Smaller is better. Infinite if none is given. */
  readonly priority: number;
  /** 1 for the pool with the most left, 0 for the one with the least. */
  readonly depth: number;
}

export type Strategy =
  | 'lowest-price'
  | 'prioritized'
  | 'price-capacity-optimized'
  | 'capacity-optimized'
  | 'capacity-optimized-prioritized';

/** Pools in the deepest two thirds of all count as deep. EC2 does not say where it draws the line. */
const DEEP = 1 / 3;

/** The order in which a fleet tries its pools; pools that are alike stay in the order of the request. */
export function inOrder<T extends Candidate>(candidates: readonly T[], strategy: Strategy): readonly T[] {
  return candidates.toSorted((a, b) => COMPARE[strategy](a, b));
}

const byPrice = (a: Candidate, b: Candidate): number => compare(a.price, b.price);
const byDepth = (a: Candidate, b: Candidate): number => b.depth - a.depth;
const byIsDeep = (a: Candidate, b: Candidate): number => Number(b.depth >= DEEP) - Number(a.depth >= DEEP);
const byPriority = (a: Candidate, b: Candidate): number => compare(a.priority, b.priority);

const COMPARE: Readonly<Record<Strategy, (a: Candidate, b: Candidate) => number>> = {
  // Zones of a type cost the same on demand: EC2 takes the one that it has most in.
  'lowest-price': (a, b) => byPrice(a, b) || byDepth(a, b),
  prioritized: (a, b) => byPriority(a, b),
  'price-capacity-optimized': (a, b) => byIsDeep(a, b) || byPrice(a, b) || byDepth(a, b),
  'capacity-optimized': (a, b) => byDepth(a, b),
  'capacity-optimized-prioritized': (a, b) => byIsDeep(a, b) || byPriority(a, b) || byDepth(a, b),
};

/** Also of two infinite numbers. */
function compare(a: number, b: number): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
