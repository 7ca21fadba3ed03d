import type { BucketSettings } from './token-bucket.ts';

/** The number of cores from which a controller gets its maximum concurrency. */
const FULL_CONCURRENCY_CORES = 60;

/**
 * How many keys a controller handles at once on a host with this many cores: `min` up to one core, `max` from 60 cores
 * on, linear in between (spec 05 §3.3). A fraction of a core counts as a whole one.
 */
export function scaleConcurrency(cores: number, { min, max }: { readonly min: number; readonly max: number }): number {
  const slope = (max - min) / (FULL_CONCURRENCY_CORES - 1);
  const scaled = Math.trunc(slope * (Math.ceil(cores) - 1)) + min;
  return Math.min(Math.max(scaled, min), max);
}

/**
 * The token bucket for a controller's concurrency: `minQps` at concurrency `min`, in proportion above it. The burst is
 * ten times the rate.
 */
export function scaleBucket(
  concurrency: number,
  { minQps, min }: { readonly minQps: number; readonly min: number },
): BucketSettings {
  const qps = Math.ceil(concurrency * (minQps / min));
  return { qps, burst: qps * 10 };
}
