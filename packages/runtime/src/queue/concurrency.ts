import type { BucketSettings } from './token-bucket.ts';

/** The host size, in cores, from which on a controller gets all its concurrency. */
const FULL_CONCURRENCY_CORES = 60;

/**
 * How many keys a controller handles at once on a host of this size: `min` up to one core, `max` from 60 cores on,
 * and a straight line between (spec 05 §3.3). A part of a core counts as a whole one.
 */
export function scaleConcurrency(cores: number, { min, max }: { readonly min: number; readonly max: number }): number {
  const slope = (max - min) / (FULL_CONCURRENCY_CORES - 1);
  const scaled = Math.trunc(slope * (Math.ceil(cores) - 1)) + min;
  return Math.min(Math.max(scaled, min), max);
}

/** A bucket that grows with a controller's concurrency: `minQps` at `min`, in proportion above; burst ten times it. */
export function scaleBucket(
  concurrency: number,
  { minQps, min }: { readonly minQps: number; readonly min: number },
): BucketSettings {
  const qps = Math.ceil(concurrency * (minQps / min));
  return { qps, burst: qps * 10 };
}
