import type { TestHooks } from './subject.ts';
import type { ConformanceContext } from './conformance-context.ts';

/** `must`: Karpenter misbehaves without it. `should`: it costs money, time or clarity. */
export type Level = 'must' | 'should';

/** Something a provider owes Karpenter, and how to see whether it keeps it. */
export interface Obligation {
  /** What reports and docs/providers.md call it. */
  readonly id: string;
  readonly level: Level;
  /** One sentence. */
  readonly text: string;
  /** Without these the check is skipped. */
  readonly needs?: readonly (keyof TestHooks)[];
  /** Throws if the provider breaks it; throws `Inconclusive` if something else keeps it from being seen. */
  check(context: ConformanceContext): Promise<void>;
}

/** The check came to no verdict: the provider under test has nothing to check, or breaks another obligation first. */
export class Inconclusive extends Error {
  override readonly name = 'Inconclusive';
}
