import { MINUTE, SECOND } from '../clock.ts';
import type { SteadyClock } from '../steady-clock.ts';
import { BackOff, type BackOffSettings } from './back-off.ts';
import { type BucketSettings, TokenBucket } from './token-bucket.ts';

/** Decides how long a key that must be tried again waits. */
export interface RateLimiter<K> {
  /** Milliseconds until `key` may run again. Each call counts as one more failure. */
  delayFor(key: K): number;
  /** `key` succeeded, or is given up: its failures no longer count. */
  forget(key: K): void;
}

/** A limiter as data; the queue that uses it makes the limiter. */
export interface RetryLimits {
  readonly backOff: BackOffSettings;
  /** Shared by all keys of the queue; absent, each key waits only for itself. */
  readonly bucket?: BucketSettings;
}

const PATIENT: BackOffSettings = { base: 5, cap: 1000 * SECOND };

/** Of a controller that names no other (spec 05 §3.2). */
export const DEFAULT_RETRIES: RetryLimits = { backOff: PATIENT };

/** Of singletons. */
export const SINGLETON_RETRIES: RetryLimits = { backOff: PATIENT, bucket: { qps: 10, burst: 100 } };

/** Of controllers whose retries cost someone else something. */
export const REASONABLE_RETRIES: RetryLimits = {
  backOff: { base: 100, cap: 1 * MINUTE },
  bucket: { qps: 10, burst: 100 },
};

/** The longer of the key's back-off and the wait for the common bucket. */
export function rateLimiter<K>(limits: RetryLimits, clock: SteadyClock, random?: () => number): RateLimiter<K> {
  const backOff = new BackOff<K>(limits.backOff, random);
  const bucket = limits.bucket === undefined ? undefined : new TokenBucket(limits.bucket, clock);
  return {
    delayFor: (key) => Math.max(backOff.delayFor(key), bucket?.reserve() ?? 0),
    forget: (key) => backOff.forget(key),
  };
}
