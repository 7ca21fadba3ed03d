/** What must hold in every world. */
export type Invariant =
  /** No machine outlives its claim for longer than garbage collection takes. */
  | 'leak'
  /** No claim has two machines. */
  | 'double'
  /** The operator takes no pod away that a budget would keep, before the deadline of its node. */
  | 'budget'
  /** No protected pod is evicted or deleted before the deadline of its node. */
  | 'protection'
  /** Once the world is calm, every pod runs. */
  | 'running'
  /** Once the world is calm, nothing is on its way out for ever without a cause. */
  | 'stuck'
  /** The operator neither panics nor ends by itself. */
  | 'crash'
  /** Going on and on takes no more memory. */
  | 'memory';

/** That one of them did not. */
export interface Violation {
  readonly invariant: Invariant;
  readonly detail: string;
}
