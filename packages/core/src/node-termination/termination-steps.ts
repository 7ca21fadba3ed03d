import { findCondition, PODS } from '@karpenter-ts/kubernetes';
import { NODE_CLAIM_CONDITIONS, type NodeClaim } from '@karpenter-ts/apis';
import { NodeClaimNotFoundError } from '@karpenter-ts/cloudprovider';
import { DONE, findCause, type Instant, type Result, SECOND } from '@karpenter-ts/runtime';
import { transitionOf, withCondition } from '../writes/conditions.ts';
import type { ControllerDeps } from '../state/controller-deps.ts';
import type { Node } from '../kinds/node.ts';
import type { Pod } from '../kinds/pod.ts';
import { podsOn } from '../state/node-nodeclaim-links.ts';
import { planDrain } from './drain.ts';
import type { EvictionQueue } from './eviction-queue.ts';
import { awaitingDetachment, failedDraining } from './termination-events.ts';
import { pendingAttachments } from './volume-attachments.ts';

/** A node on its way out. */
export interface Termination extends Pick<ControllerDeps, 'caches' | 'client' | 'clock' | 'events' | 'provider'> {
  readonly queue: EvictionQueue;
  readonly node: Node;
  /** By when it must be empty. */
  readonly deadline: Instant | undefined;
  /** Aborted when the process is to stop. */
  readonly signal: AbortSignal;
}

/** What a step makes of the claim, and whether the next one may begin: only on DONE without an error. */
export interface StepOutcome {
  readonly nodeClaim: NodeClaim | undefined;
  readonly result: Result;
  readonly error?: unknown;
}

/** One step. There may be no claim: then there is nothing to tell, but as much to do. */
export type Step = (termination: Termination, nodeClaim: NodeClaim | undefined) => Promise<StepOutcome>;

const POLL = { requeueAfter: 1 * SECOND };
const INSTANCE_POLL = { requeueAfter: 5 * SECOND };
/** The scheduler may have sent pods before it saw the taint. */
const LEAST_DRAIN_TIME = 5 * SECOND;

/** Waits until no pod is left that should not go down with the node (spec 03 §7.4). */
export const awaitDrain: Step = async (termination, nodeClaim) => {
  const { caches, clock, node } = termination;
  const isNew = nodeClaim !== undefined && findCondition(nodeClaim, 'Drained') === undefined;
  const draining = isNew
    ? set(termination, nodeClaim, { type: 'Drained', status: 'Unknown', reason: 'Draining', message: 'Draining' })
    : nodeClaim;
  const poll = { nodeClaim: draining, result: POLL };
  if (requestEvictions(termination, podsOn(node.metadata.name, caches))) return poll;
  const drained = draining && findCondition(draining, 'Drained');
  // A beginning that lies ahead was written by a clock that was wrong: nobody should wait for it to come.
  const isEarly = drained?.status === 'Unknown' && Math.abs(clock.now() - transitionOf(drained)) < LEAST_DRAIN_TIME;
  if (isEarly) return poll;
  // What follows cannot be undone, and the cache may be behind: its watch may be down while others are up.
  if (drained?.status !== 'True' && requestEvictions(termination, await listPodsOn(termination))) return poll;
  return { nodeClaim: draining && set(termination, draining, { type: 'Drained', status: 'True' }), result: DONE };
};

/** Asks those to go whose turn it is. Whether any is left to be waited for. */
function requestEvictions({ clock, events, queue, node, deadline }: Termination, pods: readonly Pod[]): boolean {
  const { waiting, next } = planDrain(pods, deadline, clock.now());
  for (const pod of next) queue.add(pod, deadline);
  if (waiting.length === 0) return false;
  events.publish(failedDraining(node, 'waiting', `${waiting.length} pods are waiting to be evicted`));
  return true;
}

/** As the API server has them. */
async function listPodsOn({ client, node, signal }: Termination): Promise<readonly Pod[]> {
  const here = { fieldSelector: `spec.nodeName=${node.metadata.name}` };
  const { items } = await client.listAll<Pod>(PODS, here, signal);
  return items;
}

/** Waits until its volumes can be attached elsewhere, but not past the deadline (spec 03 §7.6). */
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

/** Ends the machine and waits until it is gone. Without a claim nobody knows which it is. */
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

type Change = Parameters<typeof withCondition<NodeClaim, ClaimCondition>>[2];
type ClaimCondition = 'Drained' | 'VolumesDetached' | 'InstanceTerminating';

function set({ clock }: Termination, nodeClaim: NodeClaim, change: Change): NodeClaim {
  return withCondition(nodeClaim, NODE_CLAIM_CONDITIONS, change, clock.now());
}
