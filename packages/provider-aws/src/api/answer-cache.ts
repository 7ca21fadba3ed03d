import { ExpiringMap, type SteadyClock, unlessAborted } from '@karpenter-ts/runtime';

export interface AnswerCacheOptions {
  readonly clock: SteadyClock;
  /** Milliseconds. */
  readonly lifetime: number;
  /** Aborted when the process stops: calls that are under way end. */
  readonly stopping: AbortSignal;
}

/**
 * Answers of AWS by what was asked. Those who ask while a call is under way share it, and it goes on when one of them
 * leaves. Failures are not kept.
 */
export class AnswerCache<Answer> {
  readonly #answers: ExpiringMap<string, { readonly answer: Answer }>;
  readonly #underWay = new Map<string, Promise<Answer>>();
  readonly #stopping: AbortSignal;

  constructor({ clock, lifetime, stopping }: AnswerCacheOptions) {
    this.#answers = new ExpiringMap(clock, lifetime);
    this.#stopping = stopping;
  }

  /** The answer to `key`, by `ask` if it is not known. Rejects with the reason of the signal once that is aborted. */
  async get(key: string, ask: (signal: AbortSignal) => Promise<Answer>, signal: AbortSignal): Promise<Answer> {
    const known = this.#answers.get(key);
    if (known !== undefined) return known.answer;
    return unlessAborted(this.#underWay.get(key) ?? this.#start(key, ask), signal);
  }

  /** Whether the answer is known, or about to be. */
  has(key: string): boolean {
    return this.#answers.has(key) || this.#underWay.has(key);
  }

  #start(key: string, ask: (signal: AbortSignal) => Promise<Answer>): Promise<Answer> {
    const call = ask(this.#stopping)
      .then((answer) => {
        this.#answers.set(key, { answer });
        return answer;
      })
      .finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, call);
    return call;
  }
}
