import { TokenBucket } from '../queue/token-bucket.ts';
import type { SteadyClock } from '../steady-clock.ts';
import { apiVersionOf, type ResourceType } from '@karpenter-ts/kubernetes';

/** The defaults client-go uses for a setting of 0, each on its own (spec 05 §2.6). */
const DEFAULT_QPS = 5;
const DEFAULT_BURST = 10;

export interface RateLimitSettings {
  /** Requests per second of each kind: 0 means 5, negative means no limit. */
  readonly qps: number;
  /** Requests of each kind that may go at once: 0 means 10. */
  readonly burst: number;
}

/**
 * Client-side rate limits with a token bucket per kind, so that many requests for one kind never delay another. Calls
 * for leases are not limited, so that reconciling cannot delay the renewal of leadership.
 */
export class RateLimits {
  readonly #qps: number;
  readonly #burst: number;
  readonly #clock: SteadyClock;
  readonly #buckets = new Map<string, TokenBucket>();

  constructor({ qps, burst }: RateLimitSettings, clock: SteadyClock) {
    this.#qps = qps === 0 ? DEFAULT_QPS : qps;
    this.#burst = burst === 0 ? DEFAULT_BURST : Math.max(1, burst);
    this.#clock = clock;
  }

  /** Resolves when a request for this kind may be sent, first come first served. */
  async wait(type: ResourceType, signal?: AbortSignal): Promise<void> {
    if (this.#qps < 0 || type.plural === 'leases') return;
    const delay = this.#bucketFor(type).reserve();
    if (delay > 0) await this.#clock.sleep(delay, signal);
  }

  #bucketFor(type: ResourceType): TokenBucket {
    const key = `${apiVersionOf(type)}/${type.plural}`;
    let bucket = this.#buckets.get(key);
    if (bucket === undefined) {
      bucket = new TokenBucket({ qps: this.#qps, burst: this.#burst }, this.#clock);
      this.#buckets.set(key, bucket);
    }
    return bucket;
  }
}
