import { MINUTE, SECOND } from '../clock.ts';
import type { SteadyClock } from '../steady-clock.ts';
import { BackOff, type BackOffSettings } from './back-off.ts';
import { type BucketSettings, TokenBucket } from './token-bucket.ts';

/** Decides how long a key waits before it is retried. */
export interface RateLimiter<K> {
  /** Milliseconds until `key` may run again. Each call counts as one more failure. */
  delayFor(key: K): number;
  /** Forgets the failures of `key`, because it succeeded or is no longer retried. */
  forget(key: K): void;
}

/** The settings of a rate limiter. The queue that uses them creates the limiter. */
export interface RetryLimits {
  readonly backOff: BackOffSettings;
  /** Shared by all keys of the queue. Without a bucket, each key only waits for its own back-off. */
  readonly bucket?: BucketSettings;
}

const PATIENT: BackOffSettings = { base: 5, cap: 1000 * SECOND };

/** For controllers that set no limits (spec 05 §3.2). */
export const DEFAULT_RETRIES: RetryLimits = { backOff: PATIENT };

/** For singletons. */
export const SINGLETON_RETRIES: RetryLimits = { backOff: PATIENT, bucket: { qps: 10, burst: 100 } };

/** For controllers whose retries cause load elsewhere. */
export const REASONABLE_RETRIES: RetryLimits = {
  backOff: { base: 100, cap: 1 * MINUTE },
  bucket: { qps: 10, burst: 100 },
};

/** The longer of the key's back-off and the wait for the shared bucket. */
export function rateLimiter<K>(limits: RetryLimits, clock: SteadyClock, random?: () => number): RateLimiter<K> {
  const backOff = new BackOff<K>(limits.backOff, random);
  const bucket = limits.bucket === undefined ? undefined : new TokenBucket(limits.bucket, clock);
  return {
    delayFor: (key) => Math.max(backOff.delayFor(key), bucket?.reserve() ?? 0),
    forget: (key) => backOff.forget(key),
  };
}
