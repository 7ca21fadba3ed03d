import type { Instant } from '@karpenter-ts/runtime';

/**
 * When something is judged. An operator reads caches, so it cannot know of what changed only just now: it is in the
 * right if what it does was right at some instant from `since` on.
 */
export interface Moment {
  readonly now: Instant;
  readonly since: Instant;
  /**
   * What the operator's own clock said meanwhile, the last reading first. Budgets, `consolidateAfter` and do-not-disrupt
   * count by it.
   */
  readonly walls: readonly Instant[];
  /** Since when that clock has neither jumped nor been that of another operator. */
  readonly steadySince: Instant;
}
