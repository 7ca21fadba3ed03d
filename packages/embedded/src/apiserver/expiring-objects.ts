import { MINUTE } from '@karpenter-ts/runtime';
import type { Strategy } from './strategy.ts';
import type { WriteContext } from './verbs/create.ts';

const LOOK_EVERY = 1 * MINUTE;

/**
 * Deletes objects some time after their last write (Events). It runs along with requests, so that it needs no timer.
 */
export class ExpiringObjects {
  readonly #context: WriteContext;
  readonly #strategies: readonly Strategy[];
  #lookedAt: number; // elapsed milliseconds

  /** Of these resources, those whose traits say so. */
  constructor(context: WriteContext, strategies: readonly Strategy[]) {
    this.#context = context;
    this.#strategies = strategies.filter(({ traits, conversion }) => traits.keepFor !== undefined && !conversion);
    this.#lookedAt = context.clock.elapsed();
  }

  /** Deletes expired objects; looks at most once a minute. */
  forget(): void {
    const now = this.#context.clock.elapsed();
    if (now - this.#lookedAt < LOOK_EVERY) return;
    this.#lookedAt = now;
    for (const strategy of this.#strategies) this.#forgetBefore(strategy, now - strategy.traits.keepFor!);
  }

  #forgetBefore(strategy: Strategy, instant: number): void {
    const { objects } = this.#context;
    const old = Array.from(objects.collection(strategy).range('')).filter(({ at }) => at < instant);
    for (const { key } of old) objects.remove(strategy, objects.get(strategy, key)!);
  }
}
