import { findCondition, type Node, type Pod, PODS } from '@karpenter-ts/kubernetes';
import { NODE_CLAIM_CONDITIONS, type NodeClaim } from '@karpenter-ts/apis';
import { NodeClaimNotFoundError } from '@karpenter-ts/cloudprovider';
import { DONE, findCause, type Instant, type Result, SECOND } from '@karpenter-ts/runtime';
import { transitionOf, withCondition } from '../writes/conditions.ts';
import type { ControllerDeps } from '../state/controller-deps.ts';
import { podsOn } from '../state/node-nodeclaim-links.ts';
import { planDrain } from './drain.ts';
import type { EvictionQueue } from './eviction-queue.ts';
import { awaitingDetachment, failedDraining } from './termination-events.ts';
import { pendingAttachments } from './volume-attachments.ts';

/** The termination of one Node. */
export interface Termination extends Pick<ControllerDeps, 'caches' | 'client' | 'clock' | 'events' | 'provider'> {
  readonly queue: EvictionQueue;
  readonly node: Node;
  /** When the Node must be empty. */
  readonly deadline: Instant | undefined;
  /** Aborted when the process stops. */
  readonly signal: AbortSignal;
}

/** The NodeClaim after a step, and whether the next step may begin: only on DONE without an error. */
export interface StepOutcome {
  readonly nodeClaim: NodeClaim | undefined;
  readonly result: Result;
  readonly error?: unknown;
}

/** One step of the termination. Without a NodeClaim there is no status to write, but the work is the same. */
export type Step = (termination: Termination, nodeClaim: NodeClaim | undefined) => Promise<StepOutcome>;

const POLL = { requeueAfter: 1 * SECOND };
const INSTANCE_POLL = { requeueAfter: 5 * SECOND };
/** kube-scheduler may have bound pods before it saw the taint. */
const LEAST_DRAIN_TIME = 5 * SECOND;

/** Waits until all pods that can be drained are gone (spec 03 §7.4). */
export const awaitDrain: Step = async (termination, nodeClaim) => {
  const { caches, clock, node } = termination;
  const isNew = nodeClaim !== undefined && findCondition(nodeClaim, 'Drained') === undefined;
  const draining = isNew
    ? set(termination, nodeClaim, { type: 'Drained', status: 'Unknown', reason: 'Draining', message: 'Draining' })
    : nodeClaim;
  const poll = { nodeClaim: draining, result: POLL };
  if (requestEvictions(termination, podsOn(node.metadata.name, caches))) return poll;
  const drained = draining && findCondition(draining, 'Drained');
  // A transition time in the future was written by a wrong clock; it must not prolong the wait.
  const isEarly = drained?.status === 'Unknown' && Math.abs(clock.now() - transitionOf(drained)) < LEAST_DRAIN_TIME;
  if (isEarly) return poll;
  // Deleting the instance cannot be undone, and the cache may lag, so the API server is asked once more.
  if (drained?.status !== 'True' && requestEvictions(termination, await listPodsOn(termination))) return poll;
  return { nodeClaim: draining && set(termination, draining, { type: 'Drained', status: 'True' }), result: DONE };
};

/** Queues the pods that are next to evict. Returns whether the drain has to wait. */
function requestEvictions({ clock, events, queue, node, deadline }: Termination, pods: readonly Pod[]): boolean {
  const { waiting, next } = planDrain(pods, deadline, clock.now());
  for (const pod of next) queue.add(pod, deadline);
  if (waiting.length === 0) return false;
  events.publish(failedDraining(node, 'waiting', `${waiting.length} pods are waiting to be evicted`));
  return true;
}

/** Lists the Node's pods from the API server. */
async function listPodsOn({ client, node, signal }: Termination): Promise<readonly Pod[]> {
  const here = { fieldSelector: `spec.nodeName=${node.metadata.name}` };
  const { items } = await client.listAll<Pod>(PODS, here, signal);
  return items;
}

/**
 * Waits until the Node's volumes are detached and can be attached elsewhere, but not past the deadline (spec 03 §7.6).
 */
export const awaitDetachment: Step = async (termination, nodeClaim) => {
  const { caches, clock, events, node, deadline } = termination;
  const now = clock.now();
  const pending = pendingAttachments(node.metadata.name, caches, now);
  const mark = (change: Change): NodeClaim | undefined => nodeClaim && set(termination, nodeClaim, change);
  if (pending.length === 0) return { nodeClaim: mark({ type: 'VolumesDetached', status: 'True' }), result: DONE };
  if (deadline !== undefined && now > deadline) {
    const reason = 'TerminationGracePeriodElapsed';
    return { nodeClaim: mark({ type: 'VolumesDetached', status: 'False', reason, message: reason }), result: DONE };
  }
  events.publish(awaitingDetachment(node, pending));
  const reason = 'AwaitingVolumeDetachment';
  return { nodeClaim: mark({ type: 'VolumesDetached', status: 'Unknown', reason, message: reason }), result: POLL };
};

/** Deletes the instance and waits until it is gone. Without a NodeClaim the instance is unknown. */
export const awaitInstanceDeletion: Step = async (termination, nodeClaim) => {
  if (nodeClaim === undefined) return { nodeClaim, result: DONE };
  const ending = () => set(termination, nodeClaim, { type: 'InstanceTerminating', status: 'True' });
  try {
    await termination.provider.delete(nodeClaim, termination.signal);
    return { nodeClaim: ending(), result: INSTANCE_POLL };
  } catch (error) {
    if (findCause(error, NodeClaimNotFoundError) === undefined) return { nodeClaim, result: DONE, error };
    return { nodeClaim: ending(), result: DONE };
  }
};

type Change = Parameters<typeof withCondition<NodeClaim, NodeClaimCondition>>[2];
type NodeClaimCondition = 'Drained' | 'VolumesDetached' | 'InstanceTerminating';

function set({ clock }: Termination, nodeClaim: NodeClaim, change: Change): NodeClaim {
  return withCondition(nodeClaim, NODE_CLAIM_CONDITIONS, change, clock.now());
}
