import type { NodeClaim } from '@karpenter-ts/apis';
import type { ExistingNode } from '@karpenter-ts/scheduling';
import type { Node } from '@karpenter-ts/kubernetes';

/**
 * A Node and its NodeClaim at one moment, as upstream's StateNode; one of the two may be missing. Immutable: the model
 * creates a new object when something changes.
 */
export interface StateNode {
  /** The provider id, or the name of a Node without one. */
  readonly providerId: string;
  readonly node: Node | undefined;
  readonly nodeClaim: NodeClaim | undefined;
  /** The node as the planner reads it, with its pods. The same object as long as nothing of it changes. */
  readonly existing: ExistingNode;
  /** Deleted or marked for deletion: nothing may be planned onto it. */
  readonly isDeleting: boolean;
  /** Nominated until this time (monotonic milliseconds; 0 if never): pods are expected, so it must not be disrupted. */
  readonly nominatedUntil: number;
}
