// Bucket bounds in seconds. The letters are those of spec 05 §4.1.

/** D: for the durations of steps in a node's life. */
export const DURATION_BUCKETS: readonly number[] = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2,
  2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60, 120, 150, 300, 450, 600,
];

/** P: the defaults of Prometheus clients. */
export const DEFAULT_BUCKETS: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Returns `count` bounds that begin at `start`, each `factor` times the one before. */
export function exponentialBuckets(start: number, factor: number, count: number): readonly number[] {
  const bounds: number[] = [];
  // Multiplied step by step, as Prometheus does: a power would round differently and change the `le` labels.
  for (let bound = start; bounds.length < count; bound *= factor) bounds.push(bound);
  return bounds;
}

/** S: for how long a status condition stays unchanged. */
export const STATUS_BUCKETS: readonly number[] = exponentialBuckets(0.5, 2, 15);

/** Q: the quantiles of summaries. */
export const SUMMARY_QUANTILES: readonly number[] = [0, 0.5, 0.9, 0.99, 1];
