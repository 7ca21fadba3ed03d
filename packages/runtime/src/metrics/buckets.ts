// Bounds by the letters of spec 05 §4.1, in seconds.

/** D: how long steps of a node's life take. */
export const DURATION_BUCKETS: readonly number[] = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2,
  2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60, 120, 150, 300, 450, 600,
];

/** P: Prometheus' own default. */
export const DEFAULT_BUCKETS: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** `count` bounds from `start` on, each `factor` times the one before. */
export function exponentialBuckets(start: number, factor: number, count: number): readonly number[] {
  const bounds: number[] = [];
  // By repeated multiplication, as Prometheus has it: a power would round otherwise and change the `le` labels.
  for (let bound = start; bounds.length < count; bound *= factor) bounds.push(bound);
  return bounds;
}

/** S: how long a status condition stays as it is. */
export const STATUS_BUCKETS: readonly number[] = exponentialBuckets(0.5, 2, 15);

/** Q: the quantiles of summaries. */
export const SUMMARY_QUANTILES: readonly number[] = [0, 0.5, 0.9, 0.99, 1];
