/** There is no such instance: what a `delete` ends with, and what `get` answers for one that is gone. */
export class NodeClaimNotFoundError extends Error {
  override readonly name = 'NodeClaimNotFoundError';

  constructor(cause: Error) {
    super(`nodeclaim not found, ${cause.message}`, { cause });
  }
}

/** The cloud has nothing left that meets the claim: another plan is needed. */
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

/** A launch that failed and may be tried again; says what the claim's condition `Launched` should. */
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

/** NodeOverlays have not been evaluated for this pool yet: leave it out this time. */
export class UnevaluatedNodePoolError extends Error {
  override readonly name = 'UnevaluatedNodePoolError';

  constructor(nodePool: string) {
    super(`nodepool "${nodePool}" is awaiting evaluation`);
  }
}
