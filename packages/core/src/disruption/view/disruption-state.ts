import type { DisruptionSettings, NodePool } from '@karpenter-ts/apis';
import type { Pod } from '@karpenter-ts/kubernetes';
import type { Instant } from '@karpenter-ts/runtime';
import type { InstanceType } from '@karpenter-ts/scheduling';
import type { PodDisruptionBudgets } from '../../pods/disruption-budgets.ts';
import type { ClusterSnapshot } from '../../state/cluster-model.ts';
import type { StateNode } from '../../state/state-node.ts';

/** Everything that one pass of disruption decides from, read once at its start. */
export interface DisruptionState {
  /** The wall clock: budgets, `consolidateAfter` and do-not-disrupt count by it. */
  readonly now: Instant;
  readonly stateNodes: ClusterSnapshot;
  /** All managed NodePools by name, static ones and those that are not ready included. */
  readonly pools: ReadonlyMap<string, DisruptionPool>;
  /** Pods that wait for a node and that some node could run. */
  readonly pendingPods: readonly Pod[];
  readonly podDisruptionBudgets: PodDisruptionBudgets;
  /** All pods bound to the Node of this name, also those that have failed or succeeded. */
  podsOn(nodeName: string): readonly Pod[];
  /** Whether pods are expected on the node soon: pending ones, or those of candidates that it replaces. */
  isNominated(stateNode: StateNode): boolean;
  /** Whether a command that is being carried out disrupts the node already. */
  isQueued(providerId: string): boolean;
}

/** A managed NodePool with what its provider offers for it; no types if they could not be listed. */
export interface DisruptionPool {
  readonly nodePool: NodePool;
  /** What its annotations and the flags say beyond upstream. In tests: `UPSTREAM_DISRUPTION`. */
  readonly settings: DisruptionSettings;
  /** As the provider lists them: the same array as long as they do not change, which planning keeps its indexes by. */
  readonly offered: readonly InstanceType[];
  /** The same types by name. */
  readonly instanceTypes: ReadonlyMap<string, InstanceType>;
}
