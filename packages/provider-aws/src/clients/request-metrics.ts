import {
  defineCounter,
  defineHistogram,
  exponentialBuckets,
  type Metrics,
  type SteadyClock,
} from '@karpenter-ts/runtime';

const LABELS = ['service', 'action', 'code'] as const;
const SECONDS = exponentialBuckets(0.01, 1.5, 20);
const RETRIES = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10];

const requests = defineCounter('aws_sdk_go_request_total', LABELS, 'The total number of AWS SDK requests.');
const attempts = defineCounter('aws_sdk_go_request_attempt_total', LABELS, 'The total number of AWS SDK attempts.');
const durations = defineHistogram(
  'aws_sdk_go_request_duration_seconds',
  LABELS,
  'The duration of AWS SDK requests, retries included.',
  SECONDS,
);
const attemptDurations = defineHistogram(
  'aws_sdk_go_request_attempt_duration_seconds',
  LABELS,
  'The duration of the attempts of AWS SDK requests.',
  SECONDS,
);
const retries = defineHistogram(
  'aws_sdk_go_request_retry_count',
  LABELS,
  'How often AWS SDK requests were tried again.',
  RETRIES,
);

/** The code of a request that got no answer. */
const NO_ANSWER = 0;

/** One request of one service, as its metrics show it (spec 05 §4.5). Attempts carry the last one's code in durations. */
export class MeasuredRequest {
  readonly #metrics: Metrics;
  readonly #clock: SteadyClock;
  readonly #names: { readonly service: string; readonly action: string };
  readonly #startedAt: number;
  readonly #attemptSeconds: number[] = [];
  #lastCode = NO_ANSWER;

  constructor(
    { metrics, clock }: { readonly metrics: Metrics; readonly clock: SteadyClock },
    names: { readonly service: string; readonly action: string },
  ) {
    this.#metrics = metrics;
    this.#clock = clock;
    this.#names = names;
    this.#startedAt = clock.elapsed();
  }

  /** Runs one attempt. `codeOf` finds the HTTP status in its outcome, be it an error. */
  async attempt<T>(run: () => Promise<T>, codeOf: (outcome: unknown) => number | undefined): Promise<T> {
    const startedAt = this.#clock.elapsed();
    const end = (outcome: unknown): void => {
      this.#lastCode = codeOf(outcome) ?? NO_ANSWER;
      this.#attemptSeconds.push((this.#clock.elapsed() - startedAt) / 1000);
      this.#metrics.increment(attempts, { ...this.#names, code: String(this.#lastCode) });
    };
    try {
      const result = await run();
      end(result);
      return result;
    } catch (error) {
      end(error);
      throw error;
    }
  }

  finish(): void {
    const labels = { ...this.#names, code: String(this.#lastCode) };
    this.#metrics.increment(requests, labels);
    this.#metrics.observe(durations, labels, (this.#clock.elapsed() - this.#startedAt) / 1000);
    this.#metrics.observe(retries, labels, Math.max(0, this.#attemptSeconds.length - 1));
    for (const seconds of this.#attemptSeconds) this.#metrics.observe(attemptDurations, labels, seconds);
  }
}
