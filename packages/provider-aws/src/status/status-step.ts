import type { EC2NodeClass } from '@karpenter-ts/apis';
import type { Logger, Result } from '@karpenter-ts/runtime';
import type { NodeClassDraft } from './node-class-draft.ts';

/** One thing that is looked up for, or checked of, an EC2NodeClass. */
export interface StatusStep {
  /**
   * Reads the draft and changes its status and conditions only. What was found before must stay if it throws. The result
   * says when to come again. A TerminalError says that trying again soon does not help.
   */
  reconcile(draft: NodeClassDraft, signal: AbortSignal, logger: Logger): Promise<Result>;
  /** The NodeClass is gone: what is remembered of it is of no more use. */
  forget?(nodeClass: EC2NodeClass): void;
}

/**
 * Deletes what was made for a NodeClass that is being deleted, once no NodeClaim refers to it. The NodeClass stays until
 * this has succeeded; it is called again until then.
 */
export type CleanUp = (nodeClass: EC2NodeClass, signal: AbortSignal, logger: Logger) => Promise<void>;
