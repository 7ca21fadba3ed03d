import type { NodeClaim } from '@karpenter-ts/apis';
import type { ExistingNode } from '@karpenter-ts/scheduling';
import type { Node } from '../kinds/node.ts';

/**
 * A machine as the model has it at one moment: its Node and its NodeClaim, of which one is always there. Never changed:
 * when something about the machine does, the model makes another.
 */
export interface StateNode {
  /** The name, for a Node that has no provider id. */
  readonly providerId: string;
  readonly node: Node | undefined;
  readonly nodeClaim: NodeClaim | undefined;
  /** As planning sees it, with the pods on it. The very same object for as long as none of it changes. */
  readonly existing: ExistingNode;
  /** On its way out, or about to be: nothing may be planned onto it. */
  readonly isDeleting: boolean;
  /** Until then pods are expected there, and it must not be disrupted; elapsed milliseconds, 0 if none ever were. */
  readonly nominatedUntil: number;
}
