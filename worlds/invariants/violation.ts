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
  /** No command takes more nodes of a pool than its budgets allow when it starts. */
  | 'node-budget'
  /** No command takes a node that its pods, a PodDisruptionBudget or its own annotation keep. */
  | 'blocked'
  /** The reason that a command gives is true of each of its nodes. */
  | 'reason'
  /** No node is deleted by a command before as many others as it needs are initialised. */
  | 'replacement'
  /** Each replacement for consolidation is cheaper than what it replaces. */
  | 'price'
  /**
   * A cluster in which nothing changes any more is left in peace. By then no mark of a command is left in it, and no node
   * that is empty or has drifted and could go.
   */
  | 'rest'
  /** Once the world is calm, every pod runs. */
  | 'running'
  /** Once the world is calm, no deletion and no launch takes for ever without a reason. */
  | 'stuck'
  /** The operator neither panics nor ends by itself. */
  | 'crash'
  /** Memory does not grow for as long as the operator runs. */
  | 'memory'
  /** An interruption is acted on before its message is deleted, and nothing is deleted for one that was never sent. */
  | 'interruption'
  /** What can be evicted from a spot instance is evicted before the two minutes of its warning are over. */
  | 'drain'
  /** No instance is terminated whose claim is there to stay. */
  | 'orphan'
  /** EC2 is not asked for what it has just refused, or taken back. */
  | 'capacity'
  /** No launch template outlives its use. */
  | 'template'
  /** No instance profile outlives its use. */
  | 'profile';

/** An invariant that did not hold, and where. */
export interface Violation {
  readonly invariant: Invariant;
  readonly detail: string;
}
