/** What must hold in every world. */
export type Invariant =
  /** No instance outlives its claim for longer than garbage collection takes. */
  | 'leak'
  /** No claim has two instances. */
  | 'double'
  /** The operator takes no pod away that a budget would keep, before the deadline of its node. */
  | 'budget'
  /** No protected pod is evicted or deleted before the deadline of its node. */
  | 'protection'
  /** Once the world is calm, every pod runs. */
  | 'running'
  /** Once the world is calm, no deletion and no launch takes for ever without a reason. */
  | 'stuck'
  /** The operator neither panics nor ends by itself. */
  | 'crash'
  /** Memory does not grow for as long as the operator runs. */
  | 'memory';

/** An invariant that did not hold, and where. */
export interface Violation {
  readonly invariant: Invariant;
  readonly detail: string;
}
