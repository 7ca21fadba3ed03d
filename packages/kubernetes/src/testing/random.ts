/** Numbers that look random and are the same for the same seed, on every computer. */
export interface Random {
  /** From 0 up to, not including, 1. */
  readonly next: () => number;
  /** A whole number from 0 up to, not including, `limit`. */
  readonly below: (limit: number) => number;
  /** True with this probability. */
  readonly chance: (probability: number) => boolean;
  readonly pick: <T>(choices: readonly T[]) => T;
  /** Some of the choices in their order, at least `least` of them. */
  readonly some: <T>(choices: readonly T[], least?: number) => readonly T[];
}

/** Mulberry32: small, and even enough to choose test data by. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  const pick = <T>(choices: readonly T[]): T => choices[below(choices.length)]!;
  const some = <T>(choices: readonly T[], least = 1): readonly T[] => {
    const count = least + below(choices.length - least + 1);
    const kept = new Set<T>();
    while (kept.size < count) kept.add(pick(choices));
    return choices.filter((choice) => kept.has(choice));
  };
  return { next, below, chance: (probability) => next() < probability, pick, some };
}
