import type { CelResult } from './value.ts';

/** A planned expression: gives its value in a frame. */
export type Eval = (frame: Frame) => CelResult;

/** The rule costs more than its budget. Not a CEL error, or `||` could swallow it. */
export class BudgetExceeded extends Error {
  override readonly name = 'BudgetExceeded';
}

/** One evaluation under way: the values of variables, by slot, and what is left of the budget. */
export class Frame {
  readonly slots: CelResult[];
  #budget: number;

  constructor(slots: CelResult[], budget: number) {
    this.slots = slots;
    this.#budget = budget;
  }

  /** Takes units off the budget; throws BudgetExceeded when it is used up. */
  charge(units: number): void {
    this.#budget -= units;
    if (this.#budget < 0) throw new BudgetExceeded();
  }
}
