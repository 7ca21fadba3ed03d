/** The instance does not exist: `delete` rejects with it at last, and `get` for an instance that is gone. */
export class NodeClaimNotFoundError extends Error {
  override readonly name = 'NodeClaimNotFoundError';

  constructor(cause: Error) {
    super(`nodeclaim not found, ${cause.message}`, { cause });
  }
}

/** No offering that satisfies the NodeClaim is available. The NodeClaim is deleted and its pods are planned again. */
export class InsufficientCapacityError extends Error {
  override readonly name = 'InsufficientCapacityError';

  constructor(cause: Error) {
    super(`insufficient capacity, ${cause.message}`, { cause });
  }
}

/** The NodeClass is not resolved yet. */
export class NodeClassNotReadyError extends Error {
  override readonly name = 'NodeClassNotReadyError';

  constructor(cause: Error) {
    super(`NodeClassRef not ready, ${cause.message}`, { cause });
  }
}

/** A launch that failed and may be retried. Its message and reason go into the NodeClaim's condition `Launched`. */
export class CreateError extends Error {
  override readonly name = 'CreateError';
  /** One word in upper camel case. */
  readonly conditionReason: string;
  readonly conditionMessage: string;

  constructor(cause: Error, conditionReason: string, conditionMessage: string) {
    super(`creating nodeclaim, ${cause.message}`, { cause });
    this.conditionReason = conditionReason;
    this.conditionMessage = conditionMessage;
  }
}

/** The NodeOverlays of this pool have not been evaluated yet, so the pool is skipped this time. */
export class UnevaluatedNodePoolError extends Error {
  override readonly name = 'UnevaluatedNodePoolError';

  constructor(nodePool: string) {
    super(`nodepool "${nodePool}" is awaiting evaluation`);
  }
}
