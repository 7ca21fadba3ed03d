import type { NodeClaim } from '@karpenter-ts/apis';
import type { Node, Pod } from '@karpenter-ts/kubernetes';
import type { InstanceType } from '@karpenter-ts/scheduling';
import type { StateNode } from '../../state/state-node.ts';
import type { DisruptionPool } from '../view/disruption-state.ts';

/** A node that may be disrupted, with what that costs and saves (spec 04 §5). */
export interface Candidate {
  readonly stateNode: StateNode;
  readonly node: Node;
  readonly nodeClaim: NodeClaim;
  readonly pool: DisruptionPool;
  /** Undefined if the provider does not know the type, or the node does not name it. */
  readonly instanceType: InstanceType | undefined;
  /** The zone and the capacity type that the node's labels name; '' without the label. */
  readonly zone: string;
  readonly capacityType: string;
  /** The pods that need another node. */
  readonly reschedulablePods: readonly Pod[];
  /** Of the offering the node was bought as, per hour; 0 if that is not known. */
  readonly price: number;
  /** The eviction cost of all pods, less with every hour the node has lived. Only static pools are ordered by it. */
  readonly disruptionCost: number;
  /** The eviction cost of the pods that need another node, and 1 for the node. */
  readonly rescheduleDisruptionCost: number;
  /** Price by `rescheduleDisruptionCost`: candidates with the highest ratio come first. */
  readonly savingsRatio: number;
}

/** The name of the Node; of the NodeClaim if the Node is not registered. */
export function candidateName({ stateNode }: Candidate): string {
  return stateNode.existing.name;
}

/** Whether PodDisruptionBudgets and do-not-disrupt hold whatever the NodeClaim's `terminationGracePeriod` says. */
export type DisruptionClass = 'graceful' | 'eventual';
