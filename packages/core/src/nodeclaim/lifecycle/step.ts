import type { Condition, ConditionChange, Node } from '@karpenter-ts/kubernetes';
import { NODE_CLAIM_CONDITIONS, type NodeClaim } from '@karpenter-ts/apis';
import { DONE, type ExpiringMap, type Result } from '@karpenter-ts/runtime';
import { withCondition } from '../../writes/conditions.ts';
import type { ControllerDeps } from '../../state/controller-deps.ts';
import { nodesOf } from '../../state/node-nodeclaim-links.ts';
import type { NodePoolHealth } from '../../state/nodepool-health.ts';
import type { OwnWrites } from '../../writes/own-writes.ts';
import type { NodeClaimDeletions } from '../deletions.ts';

/** What the lifecycle controller depends on. */
export interface LifecycleDeps extends ControllerDeps {
  readonly deletions: NodeClaimDeletions;
  readonly nodePoolHealth: NodePoolHealth;
  /** How long a launch may take, in milliseconds; 5 minutes by default. */
  readonly launchTimeout?: number;
}

/** The dependencies, and what the controller remembers between passes. */
export interface Lifecycle extends LifecycleDeps {
  /** NodeClaims returned by the provider, by uid, until the cache shows their launch. */
  readonly launches: ExpiringMap<string, NodeClaim>;
  readonly writtenNodeClaims: OwnWrites<NodeClaim>;
  readonly writtenNodes: OwnWrites<Node>;
}

/** The dependencies of one pass; `logger` names its NodeClaim. */
export interface Pass extends Lifecycle {
  /** Aborted when the process stops: for every request and every wait. */
  readonly signal: AbortSignal;
}

/** The Nodes of a NodeClaim, in the newest version known from our writes and the cache. */
export function currentNodesOf(nodeClaim: NodeClaim, { caches, writtenNodes }: Lifecycle): readonly Node[] {
  return nodesOf(nodeClaim, caches).map((node) => writtenNodes.get(node.metadata.name) ?? node);
}

/**
 * One step of the lifecycle: returns the changed NodeClaim and when to look again. All steps of a pass run one after
 * another on the same NodeClaim, even if an earlier one failed. Their changes are written once, at the end.
 */
export type Step = (life: Pass, nodeClaim: NodeClaim) => Promise<StepOutcome>;

export interface StepOutcome {
  readonly nodeClaim: NodeClaim;
  readonly result: Result;
  /** The error of the step; its change of the NodeClaim counts all the same. */
  readonly error?: unknown;
}

/** Nothing to do until something changes. */
export function done(nodeClaim: NodeClaim): StepOutcome {
  return { nodeClaim, result: DONE };
}

/** The step failed and is retried. */
export function failed(nodeClaim: NodeClaim, error: unknown): StepOutcome {
  return { nodeClaim, result: DONE, error };
}

/** The NodeClaim with a condition set now. */
export function set(
  { clock }: Pick<ControllerDeps, 'clock'>,
  nodeClaim: NodeClaim,
  change: ConditionChange<NodeClaimCondition>,
): NodeClaim {
  return withCondition(nodeClaim, NODE_CLAIM_CONDITIONS, change, clock.now());
}

type NodeClaimCondition = (typeof NODE_CLAIM_CONDITIONS)['dependents'][number];

/** The NodeClaim with an unchanged condition, confirmed for its current generation. */
export function confirm(core: Pick<ControllerDeps, 'clock'>, nodeClaim: NodeClaim, condition: Condition): NodeClaim {
  return set(core, nodeClaim, asChange(condition));
}

/** The change that sets a condition like this one. */
export function asChange({ type, status, reason = '', message = '' }: Condition): ConditionChange<NodeClaimCondition> {
  return { type: type as NodeClaimCondition, status, reason, message };
}
