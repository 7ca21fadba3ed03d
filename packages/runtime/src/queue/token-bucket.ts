import { SECOND } from '../clock.ts';
import type { SteadyClock } from '../steady-clock.ts';

/** A rate limit over all keys: `qps` tokens a second, at most `burst` saved up. */
export interface BucketSettings {
  readonly qps: number;
  readonly burst: number;
}

/**
 * A token bucket that is refilled at `qps` up to `burst`. A negative number of tokens is owed to callers that already
 * wait.
 */
export class TokenBucket {
  readonly #settings: BucketSettings;
  readonly #clock: Pick<SteadyClock, 'elapsed'>;
  #tokens: number;
  #at: number;

  constructor(settings: BucketSettings, clock: Pick<SteadyClock, 'elapsed'>) {
    this.#settings = settings;
    this.#clock = clock;
    this.#tokens = settings.burst;
    this.#at = clock.elapsed();
  }

  /** Takes one token and returns the milliseconds until it is available; 0 if one was left. */
  reserve(): number {
    const { qps, burst } = this.#settings;
    const at = this.#clock.elapsed();
    this.#tokens = Math.min(burst, this.#tokens + ((at - this.#at) * qps) / SECOND) - 1;
    this.#at = at;
    return this.#tokens >= 0 ? 0 : (-this.#tokens * SECOND) / qps;
  }
}
