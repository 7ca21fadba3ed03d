import { type Clock, SECOND } from '@karpenter-ts/runtime';
import type { RetryErrorInfo, RetryStrategyV2, StandardRetryToken } from '@smithy/types';

/** As often as the SDK tries without being told otherwise (spec 07 §1). */
export const MOST_ATTEMPTS = 3;

const LONGEST_DELAY = 20 * SECOND;

// What a retry costs of the allowance that all calls of a client share: a service that fails for everybody is not asked
// three times as often. The figures are those of AWS' SDK for Go.
const ALLOWANCE = 500;
const RETRY_COST = 5;
const TIMEOUT_COST = 10;
const SUCCESS_REFUND = 1;

/** The standard mode of AWS' SDKs with the delays of the one for Go, which upstream uses; it waits on our clock. */
export class RetryStrategy implements RetryStrategyV2 {
  readonly mode = 'standard';
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #mostAttempts: number;
  readonly #closed: AbortSignal;
  #allowance = ALLOWANCE;

  constructor({ clock, random, mostAttempts, closed }: RetrySettings) {
    this.#clock = clock;
    this.#random = random;
    this.#mostAttempts = mostAttempts;
    this.#closed = closed;
  }

  acquireInitialRetryToken(): Promise<StandardRetryToken> {
    return Promise.resolve(tokenOf(0, undefined));
  }

  /** Rejects if the request is not to be tried again. */
  async refreshRetryTokenForRetry(token: StandardRetryToken, failure: RetryErrorInfo): Promise<StandardRetryToken> {
    const retry = token.getRetryCount() + 1;
    const cost = failure.error?.name === 'TimeoutError' ? TIMEOUT_COST : RETRY_COST;
    const mayHelp = failure.errorType === 'THROTTLING' || failure.errorType === 'TRANSIENT';
    if (!mayHelp || retry >= this.#mostAttempts || cost > this.#allowance) {
      throw new Error('no further attempt');
    }
    this.#allowance -= cost;
    const jittered = this.#random() * 2 ** retry * SECOND;
    const asked = failure.retryAfterHint === undefined ? 0 : failure.retryAfterHint.getTime() - this.#clock.now();
    await this.#clock.sleep(Math.min(Math.max(jittered, asked), LONGEST_DELAY), this.#closed);
    return tokenOf(retry, cost);
  }

  recordSuccess(token: StandardRetryToken): void {
    this.#allowance = Math.min(ALLOWANCE, this.#allowance + (token.getRetryCost() ?? SUCCESS_REFUND));
  }
}

export interface RetrySettings {
  readonly clock: Clock;
  /** Numbers in [0, 1). */
  readonly random: () => number;
  /** The first one included. */
  readonly mostAttempts: number;
  /** Aborted when the clients are closed. */
  readonly closed: AbortSignal;
}

function tokenOf(retries: number, cost: number | undefined): StandardRetryToken {
  return { getRetryCount: () => retries, getRetryDelay: () => 0, getRetryCost: () => cost };
}
