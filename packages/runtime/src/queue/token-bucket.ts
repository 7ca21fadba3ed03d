import { SECOND } from '../clock.ts';
import type { SteadyClock } from '../steady-clock.ts';

/** How many may go, whoever they are: `qps` a second over time, `burst` at once. */
export interface BucketSettings {
  readonly qps: number;
  readonly burst: number;
}

/** Tokens drip in at `qps` up to `burst`. Below zero, they are promised to those who already wait. */
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

  /** Takes one token and says after how many milliseconds it is there: 0 when one was left. */
  reserve(): number {
    const { qps, burst } = this.#settings;
    const at = this.#clock.elapsed();
    this.#tokens = Math.min(burst, this.#tokens + ((at - this.#at) * qps) / SECOND) - 1;
    this.#at = at;
    return this.#tokens >= 0 ? 0 : (-this.#tokens * SECOND) / qps;
  }
}
