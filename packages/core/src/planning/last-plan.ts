import type { Instant } from '@karpenter-ts/runtime';
import type { Plan } from '@karpenter-ts/scheduling';

/** A plan that was made, with the reasons for which it leaves pods without a node. */
export interface MadePlan {
  readonly plan: Plan;
  readonly madeAt: Instant;
  /** Milliseconds the planner worked for it. */
  readonly plannerMs: number;
}

/** Keeps the last plan that provisioning made, for those who explain it. A pass without pods makes none. */
export class LastPlan {
  #made: MadePlan | undefined;

  get made(): MadePlan | undefined {
    return this.#made;
  }

  keep(made: MadePlan): void {
    this.#made = made;
  }
}
