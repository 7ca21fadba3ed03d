import type { Condition, ConditionChange } from '@karpenter-ts/kubernetes';
import { NODE_CLAIM_CONDITIONS, type NodeClaim } from '@karpenter-ts/apis';
import { DONE, type ExpiringMap, type Result } from '@karpenter-ts/runtime';
import { withCondition } from '../../writes/conditions.ts';
import type { ControllerDeps } from '../../state/controller-deps.ts';
import type { Node } from '../../kinds/node.ts';
import { nodesOf } from '../../state/node-nodeclaim-links.ts';
import type { NodePoolHealth } from '../../state/nodepool-health.ts';
import type { OwnWrites } from '../../writes/own-writes.ts';
import type { NodeClaimDeletions } from '../deletions.ts';

/** What the steps of a claim's life stand on. */
export interface LifecycleDeps extends ControllerDeps {
  readonly deletions: NodeClaimDeletions;
  readonly nodePoolHealth: NodePoolHealth;
  /** How long a launch may take, in milliseconds; 5 minutes unless given. */
  readonly launchTimeout?: number;
}

/** Those, and what the controller remembers between passes. */
export interface Lifecycle extends LifecycleDeps {
  /** What providers created, by uid of the claim, until the claim says so itself. */
  readonly launches: ExpiringMap<string, NodeClaim>;
  readonly writtenNodeClaims: OwnWrites<NodeClaim>;
  readonly writtenNodes: OwnWrites<Node>;
}

/** What a pass stands on: `logger` is its own. */
export interface Pass extends Lifecycle {
  /** Aborted when the process is to stop: for every request and every wait. */
  readonly signal: AbortSignal;
}

/** The Nodes of a claim, as last written by us or seen. */
export function currentNodesOf(nodeClaim: NodeClaim, { caches, writtenNodes }: Lifecycle): readonly Node[] {
  return nodesOf(nodeClaim, caches).map((node) => writtenNodes.get(node.metadata.name) ?? node);
}

/**
 * One step: what the claim is to be, and when to look at it again. Steps run one after another on the same claim,
 * whatever becomes of the one before; what they change of it is written once, after the last.
 */
export type Step = (life: Pass, nodeClaim: NodeClaim) => Promise<StepOutcome>;

export interface StepOutcome {
  readonly nodeClaim: NodeClaim;
  readonly result: Result;
  /** What went wrong; the change of the claim counts all the same. */
  readonly error?: unknown;
}

/** Nothing more to do until something changes. */
export function done(nodeClaim: NodeClaim): StepOutcome {
  return { nodeClaim, result: DONE };
}

/** To be tried again. */
export function failed(nodeClaim: NodeClaim, error: unknown): StepOutcome {
  return { nodeClaim, result: DONE, error };
}

/** The claim with a condition set now. */
export function set(
  { clock }: Pick<ControllerDeps, 'clock'>,
  nodeClaim: NodeClaim,
  change: ConditionChange<NodeClaimCondition>,
): NodeClaim {
  return withCondition(nodeClaim, NODE_CLAIM_CONDITIONS, change, clock.now());
}

type NodeClaimCondition = (typeof NODE_CLAIM_CONDITIONS)['dependents'][number];

/** The claim with a condition that stays what it is, but is known to hold for its present generation. */
export function confirm(core: Pick<ControllerDeps, 'clock'>, nodeClaim: NodeClaim, condition: Condition): NodeClaim {
  return set(core, nodeClaim, asChange(condition));
}

/** What makes a condition of a claim be as this one. */
export function asChange({ type, status, reason = '', message = '' }: Condition): ConditionChange<NodeClaimCondition> {
  return { type: type as NodeClaimCondition, status, reason, message };
}
