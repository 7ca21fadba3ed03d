import { MINUTE } from '@karpenter-ts/runtime';
import type { Strategy } from './strategy.ts';
import type { WriteContext } from './verbs/create.ts';

const LOOK_EVERY = 1 * MINUTE;

/** Lets objects vanish some time after their last write. It works along with requests, so that no timer must run. */
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

  /** Removes what has had its time; looks once a minute at most. */
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
