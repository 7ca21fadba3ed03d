import {
  CAPACITY_TYPE_LABEL,
  INSTANCE_TYPE_LABEL,
  isNodeProtected,
  isProtecting,
  type NodeClaim,
  NODEPOOL_LABEL,
  readDoNotDisrupt,
  REGISTERED_LABEL,
  ZONE_LABEL,
} from '@karpenter-ts/apis';
import type { Node, Pod } from '@karpenter-ts/kubernetes';
import type { StateNode } from '../../state/state-node.ts';
import type { TimeSlices } from '../../state/time-slices.ts';
import type { Candidate, DisruptionClass } from './candidate.ts';
import type { DisruptionPool, DisruptionState } from '../view/disruption-state.ts';
import { lifetimeRemaining, type PodWithInvalidCost } from './node-costs.ts';
import { type NodeFacts, NodeFactsCache, type PodBudgetBlock } from './node-facts.ts';
import { OfferingPrices } from './offering-prices.ts';

/** Why a state node may not be disrupted voluntarily, whatever the method (spec 04 §3). */
export type BlockReason =
  /** A command that is being carried out disrupts it already. */
  | { readonly kind: 'Queued' }
  /** It has no NodeClaim, so it is none of ours. */
  | { readonly kind: 'Unmanaged' }
  | { readonly kind: 'NoNode' }
  | { readonly kind: 'NotInitialized' }
  | { readonly kind: 'Deleting' }
  | { readonly kind: 'Nominated' }
  | { readonly kind: 'NodeDoNotDisrupt' }
  | { readonly kind: 'NoPoolLabel' }
  /** The NodePool does not exist, is not managed, or its provider lists no instance types for it. */
  | { readonly kind: 'PoolNotFound'; readonly nodePool: string }
  | PodBlock;

/** A pod keeps its node. A `terminationGracePeriod` ends that for the class `eventual`. */
type PodBlock = { readonly kind: 'PodDoNotDisrupt'; readonly pod: Pod } | PodBudgetBlock;

/** A state node that may not be disrupted, and the first reason why. */
export interface BlockedNode {
  readonly stateNode: StateNode;
  readonly why: BlockReason;
  /** The candidate that the node would be otherwise; undefined if it is none of ours or on its way out. */
  readonly candidate?: Candidate;
}

/** All state nodes of a pass as one class of disruption sees them. */
export interface CandidateSelection {
  readonly candidates: readonly Candidate[];
  readonly blocked: readonly BlockedNode[];
}

/** The candidates of a pass by class. A candidate of both classes is the same object in both. */
export interface CandidateScan extends Readonly<Record<DisruptionClass, CandidateSelection>> {
  /** Pods with a do-not-disrupt annotation on nodes that would be candidates without pods. There are events about them. */
  readonly annotatedPods: readonly Pod[];
  /** Pods of the same nodes whose deletion cost is not a number. It is logged. */
  readonly invalidCosts: readonly PodWithInvalidCost[];
}

/**
 * Finds the candidates for disruption among all state nodes (spec 04 §3). Create one for the process: it remembers what
 * the pods of a node cost as long as they stay the same, so that a pass over an unchanged cluster is cheap.
 */
export class CandidateFinder {
  /** What nodes cost, for others who need to know. */
  readonly prices = new OfferingPrices();
  readonly #facts = new NodeFactsCache();

  /** Works in time slices. */
  async find(state: DisruptionState, slices: TimeSlices): Promise<CandidateScan> {
    const graceful = { candidates: [] as Candidate[], blocked: [] as BlockedNode[] };
    const eventual = { candidates: [] as Candidate[], blocked: [] as BlockedNode[] };
    const annotatedPods: Pod[] = [];
    const invalidCosts: PodWithInvalidCost[] = [];
    for (const stateNodes of [state.stateNodes.active, state.stateNodes.deleting]) {
      for (const stateNode of stateNodes) {
        if (slices.isOver) await slices.pause();
        const { parts, why: nodeBlock } = look(stateNode, state);
        if (parts === undefined) {
          graceful.blocked.push({ stateNode, why: nodeBlock });
          eventual.blocked.push({ stateNode, why: nodeBlock });
          continue;
        }
        const facts = this.#facts.of(parts, state);
        const candidate = this.#toCandidate(parts, facts, state);
        if (nodeBlock !== undefined) {
          graceful.blocked.push({ stateNode, why: nodeBlock, candidate });
          eventual.blocked.push({ stateNode, why: nodeBlock, candidate });
          continue;
        }
        for (const pod of facts.costs.annotatedPods) annotatedPods.push(pod);
        for (const pod of facts.costs.invalidCosts) invalidCosts.push(pod);
        const why = findPodBlock(facts, state);
        const isBounded = parts.nodeClaim.spec.terminationGracePeriod !== undefined;
        if (why === undefined) graceful.candidates.push(candidate);
        else graceful.blocked.push({ stateNode, why, candidate });
        if (why === undefined || isBounded) eventual.candidates.push(candidate);
        else eventual.blocked.push({ stateNode, why, candidate });
      }
    }
    return { graceful, eventual, annotatedPods, invalidCosts };
  }

  #toCandidate(parts: NodeParts, { costs, lifetime }: NodeFacts, { now }: DisruptionState): Candidate {
    const { stateNode, node, nodeClaim, pool } = parts;
    const { labels } = stateNode.existing;
    const instanceType = pool.instanceTypes.get(labels[INSTANCE_TYPE_LABEL] ?? '');
    const zone = labels[ZONE_LABEL] ?? '';
    const capacityType = labels[CAPACITY_TYPE_LABEL] ?? '';
    const price = this.prices.find(instanceType, { zone, capacityType }) ?? 0;
    const { reschedulablePods, reschedulingCost, rescheduleDisruptionCost } = costs;
    return {
      stateNode,
      node,
      nodeClaim,
      pool,
      instanceType,
      zone,
      capacityType,
      reschedulablePods,
      price,
      disruptionCost: reschedulingCost * lifetimeRemaining(lifetime, now),
      rescheduleDisruptionCost,
      savingsRatio: price / rescheduleDisruptionCost,
    };
  }
}

/** What makes a state node one of ours, with instances to buy instead. */
interface NodeParts {
  readonly stateNode: StateNode;
  readonly node: Node;
  readonly nodeClaim: NodeClaim;
  readonly pool: DisruptionPool;
}

/** What the filters say that do not look at pods: no parts for a node that is none of ours or on its way out. */
type Look =
  | { readonly parts: NodeParts; readonly why: BlockReason | undefined }
  | { readonly parts: undefined; readonly why: BlockReason };

/** Applies those filters in upstream's order: its text about a node is that of the first. */
function look(stateNode: StateNode, state: DisruptionState): Look {
  const { node, nodeClaim, existing } = stateNode;
  const none = (why: BlockReason): Look => ({ parts: undefined, why });
  if (state.isQueued(stateNode.providerId)) return none({ kind: 'Queued' });
  if (nodeClaim === undefined) return none({ kind: 'Unmanaged' });
  if (node === undefined) return none({ kind: 'NoNode' });
  if (stateNode.isDeleting) return none({ kind: existing.initialized ? 'Deleting' : 'NotInitialized' });
  const why = findNodeBlock(node, nodeClaim, stateNode, state);
  const nodePool = existing.labels[NODEPOOL_LABEL];
  if (nodePool === undefined) return none(why ?? { kind: 'NoPoolLabel' });
  const pool = state.pools.get(nodePool);
  if (pool === undefined || pool.instanceTypes.size === 0) return none(why ?? { kind: 'PoolNotFound', nodePool });
  return { parts: { stateNode, node, nodeClaim, pool }, why };
}

function findNodeBlock(
  node: Node,
  nodeClaim: NodeClaim,
  stateNode: StateNode,
  state: DisruptionState,
): BlockReason | undefined {
  if (!stateNode.existing.initialized) return { kind: 'NotInitialized' };
  if (state.isNominated(stateNode)) return { kind: 'Nominated' };
  return isNodeProtected(annotationsOf(node, nodeClaim)) ? { kind: 'NodeDoNotDisrupt' } : undefined;
}

/** Registration copies the annotations of the NodeClaim to the Node; from then on the Node's count. */
function annotationsOf(node: Node, nodeClaim: NodeClaim): Readonly<Record<string, string>> | undefined {
  const isRegistered = node.metadata.labels?.[REGISTERED_LABEL] === 'true';
  return (isRegistered ? node : nodeClaim).metadata.annotations;
}

/** The first pod that keeps the node. PodDisruptionBudgets are asked only if do-not-disrupt holds for no pod. */
function findPodBlock({ costs, budgetBlock }: NodeFacts, state: DisruptionState): PodBlock | undefined {
  for (const pod of costs.annotatedPods) {
    if (isProtecting(readDoNotDisrupt(pod, state.now))) return { kind: 'PodDoNotDisrupt', pod };
  }
  return budgetBlock;
}
