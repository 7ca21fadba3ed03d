import type { NodeClaim } from '@karpenter-ts/apis';
import type { Node, Pod } from '@karpenter-ts/kubernetes';
import type { ExistingNode } from '@karpenter-ts/scheduling';
import type { BudgetBlock, PodDisruptionBudgets } from '../../pods/disruption-budgets.ts';
import type { StateNode } from '../../state/state-node.ts';
import type { DisruptionState } from '../view/disruption-state.ts';
import { findLifetime, type Lifetime, type NodeCosts, nodeCosts } from './node-costs.ts';

/** What a candidate needs to know of its node and does not change with time. */
export interface NodeFacts {
  readonly costs: NodeCosts;
  /** Undefined if the NodeClaim never expires. */
  readonly lifetime: Lifetime | undefined;
  /** The first pod whose PodDisruptionBudgets keep it. It holds only if do-not-disrupt holds for no pod of the node. */
  readonly budgetBlock: PodBudgetBlock | undefined;
}

export interface PodBudgetBlock extends BudgetBlock {
  readonly pod: Pod;
}

/** The facts, and what of the cluster they were computed from. */
interface Remembered extends NodeFacts {
  readonly pods: readonly Pod[];
  readonly budgets: PodDisruptionBudgets;
  readonly revision: number;
}

/** The facts of all nodes. They are computed again only if something has changed that they depend on. */
export class NodeFactsCache {
  /** The key stands for Node and NodeClaim: it describes both, so a change of one of them makes a new object. */
  readonly #remembered = new WeakMap<ExistingNode, Remembered>();

  of({ stateNode, node, nodeClaim }: NodeParts, state: DisruptionState): NodeFacts {
    const pods = state.podsOn(node.metadata.name);
    const budgets = state.podDisruptionBudgets;
    const { revision } = budgets;
    const known = this.#remembered.get(stateNode.existing);
    // Changes of a pod that has ended make no new object, but its cost counts. So the pods are compared.
    const isCurrent = known !== undefined && areSame(known.pods, pods);
    if (isCurrent && known.budgets === budgets && known.revision === revision) return known;
    const facts: Remembered = {
      pods,
      budgets,
      revision,
      costs: isCurrent ? known.costs : nodeCosts(pods),
      lifetime: isCurrent ? known.lifetime : findLifetime(nodeClaim),
      budgetBlock: findBudgetBlock(pods, budgets),
    };
    this.#remembered.set(stateNode.existing, facts);
    return facts;
  }
}

/** A state node with both its objects. */
interface NodeParts {
  readonly stateNode: StateNode;
  readonly node: Node;
  readonly nodeClaim: NodeClaim;
}

function findBudgetBlock(pods: readonly Pod[], budgets: PodDisruptionBudgets): PodBudgetBlock | undefined {
  for (const pod of pods) {
    const block = budgets.findBlock(pod, NOT_PROTECTED);
    if (block !== undefined) return { ...block, pod };
  }
  return undefined;
}

const NOT_PROTECTED = { kind: 'Absent' } as const;

function areSame(some: readonly Pod[], others: readonly Pod[]): boolean {
  if (some.length !== others.length) return false;
  for (let i = 0; i < some.length; i++) if (some[i] !== others[i]) return false;
  return true;
}
