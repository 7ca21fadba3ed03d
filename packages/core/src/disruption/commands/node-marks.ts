import { DISRUPTED_TAINT, isSameTaint, NODE_CLAIM_CONDITIONS, NODE_CLAIMS, type NodeClaim } from '@karpenter-ts/apis';
import { findCondition, type Node, NODES } from '@karpenter-ts/kubernetes';
import { isNotFound, patchStatus } from '@karpenter-ts/runtime';
import type { ControllerDeps } from '../../state/controller-deps.ts';
import { withCondition, withoutCondition } from '../../writes/conditions.ts';
import type { CommandReason } from './command.ts';

// What others can see of a command that is being carried out: a taint keeps new pods from its nodes, and a condition
// tells why they go. Both are taken away when the command fails or is forgotten by a restart (spec 04 §§2.4, 16.2).

/** What marking nodes depends on. */
export type MarkDeps = Pick<ControllerDeps, 'client' | 'clock'>;

/** What a write found: the object, or that it no longer exists. Another object of the same name counts as gone. */
export type MarkResult = 'marked' | 'gone';

/** Taints the Node for disruption. A taint with the same key and another effect stays as it is. */
export async function addTaint(deps: MarkDeps, node: Node, signal: AbortSignal): Promise<MarkResult> {
  return changeTaints(deps, node, signal, (taints, isPresent) => (isPresent ? taints : [...taints, DISRUPTED_TAINT]));
}

/** Takes the taint off, unless the Node is being deleted: then its pods must not be scheduled there again. */
export async function removeTaint(deps: MarkDeps, node: Node, signal: AbortSignal): Promise<MarkResult> {
  return changeTaints(deps, node, signal, (taints, isPresent, { metadata }) =>
    isPresent && metadata.deletionTimestamp === undefined
      ? taints.filter((taint) => !isDisruptionTaint(taint))
      : taints,
  );
}

type Taints = NonNullable<NonNullable<Node['spec']>['taints']>;

function changeTaints(
  deps: MarkDeps,
  { metadata }: Node,
  signal: AbortSignal,
  change: (taints: Taints, isPresent: boolean, node: Node) => Taints,
): Promise<MarkResult> {
  const { name, uid } = metadata;
  return retrying(deps, signal, async () => {
    const node = await deps.client.get<Node>(NODES, { name }, {}, signal);
    if (node.metadata.uid !== uid) return 'gone';
    const taints = node.spec?.taints ?? [];
    const changed = change(taints, taints.some(isDisruptionTaint), node);
    if (changed === taints) return 'marked';
    // Taints are one list with several writers, so the version that was read is part of the patch.
    const body = { metadata: { resourceVersion: node.metadata.resourceVersion }, spec: { taints: changed } };
    await deps.client.patch<Node>(NODES, { name }, { type: 'merge', body }, {}, signal);
    return 'marked';
  });
}

export function isDisruptionTaint(taint: Taints[number]): boolean {
  return isSameTaint(taint, DISRUPTED_TAINT);
}

/** Sets the condition `DisruptionReason`, which the events of evicted pods name. */
export async function addReason(
  deps: MarkDeps,
  nodeClaim: NodeClaim,
  reason: CommandReason,
  signal: AbortSignal,
): Promise<MarkResult> {
  const change = { type: 'DisruptionReason', status: 'True', reason, message: reason } as const;
  return changeStatus(deps, nodeClaim, signal, (fresh) =>
    withCondition(fresh, NODE_CLAIM_CONDITIONS, change, deps.clock.now()),
  );
}

export async function removeReason(deps: MarkDeps, nodeClaim: NodeClaim, signal: AbortSignal): Promise<MarkResult> {
  return changeStatus(deps, nodeClaim, signal, (fresh) =>
    findCondition(fresh, 'DisruptionReason') === undefined
      ? fresh
      : withoutCondition(fresh, NODE_CLAIM_CONDITIONS, 'DisruptionReason', deps.clock.now()),
  );
}

/** With a lock, unlike upstream, whose patch can drop a condition that was written meanwhile (spec 04 §25-25). */
function changeStatus(
  deps: MarkDeps,
  { metadata }: NodeClaim,
  signal: AbortSignal,
  change: (fresh: NodeClaim) => NodeClaim,
): Promise<MarkResult> {
  const { name, uid } = metadata;
  return retrying(deps, signal, async () => {
    const fresh = await deps.client.get<NodeClaim>(NODE_CLAIMS, { name }, {}, signal);
    if (fresh.metadata.uid !== uid) return 'gone';
    await patchStatus(deps.client, NODE_CLAIMS, fresh, change(fresh), signal);
    return 'marked';
  });
}

const TRIES = 4; // spec 04 §16.2-3
const FIRST_WAIT = 10;
const GROWTH = 5;

/** Reads and writes again after a failure, so that a conflict is decided anew. */
async function retrying(
  { clock }: MarkDeps,
  signal: AbortSignal,
  attempt: () => Promise<MarkResult>,
): Promise<MarkResult> {
  for (let tried = 1, wait = FIRST_WAIT; ; tried++, wait *= GROWTH) {
    try {
      return await attempt();
    } catch (error) {
      if (isNotFound(error)) return 'gone';
      if (tried === TRIES || signal.aborted) throw error;
    }
    await clock.sleep(wait, signal);
  }
}
