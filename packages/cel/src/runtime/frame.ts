import type { CelResult } from './value.ts';

/** A planned expression: gives its value in a frame. */
export type Eval = (frame: Frame) => CelResult;

/** The rule costs more than its budget. Not a CEL error, or `||` could swallow it. */
export class BudgetExceeded extends Error {
  override readonly name = 'BudgetExceeded';
}

/** One evaluation under way: the values of variables, by slot, and what it has cost. */
export class Frame {
  readonly slots: CelResult[];
  readonly #budget: number;
  #spent = 0;

  constructor(slots: CelResult[], budget: number) {
    this.slots = slots;
    this.#budget = budget;
  }

  /** Units of work so far; more than the budget if that is exceeded. */
  get spent(): number {
    return this.#spent;
  }

  /** Counts units of work; throws BudgetExceeded when they are more than the budget. */
  charge(units: number): void {
    this.#spent += units;
    if (this.#spent > this.#budget) throw new BudgetExceeded();
  }
}
