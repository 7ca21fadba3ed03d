import {
  CAPACITY_TYPE_LABEL,
  NODE_CLAIMS,
  type NodeClaim,
  NODEPOOL_LABEL,
  TERMINATION_FINALIZER,
  TERMINATION_TIMESTAMP,
  ZONE_LABEL,
} from '@karpenter-ts/apis';
import { type ApiObject, findCondition, isTrue, NODES } from '@karpenter-ts/kubernetes';
import { NodeClaimNotFoundError } from '@karpenter-ts/cloudprovider';
import {
  defineCounter,
  defineHistogram,
  DONE,
  type EventDraft,
  exponentialBuckets,
  findCause,
  patchStatus,
  type Result,
  SECOND,
  subjectOf,
  unlessGone,
} from '@karpenter-ts/runtime';
import { transitionOf } from '../../writes/conditions.ts';
import { nodesOf } from '../../state/node-nodeclaim-links.ts';
import { readDeadline } from '../termination-deadline.ts';
import { withProviderId } from '../nodeclaim-logger.ts';
import { withInstance } from './launch.ts';
import { type Pass, set } from './step.ts';

const nodeClaimsTerminated = defineCounter(
  'karpenter_nodeclaims_terminated_total',
  ['nodepool', 'capacity_type', 'zone'],
  'Number of nodeclaims terminated in total by Karpenter. Labeled by the owning nodepool, capacity type, and zone.',
);
const instanceTerminationSeconds = defineHistogram(
  'karpenter_nodeclaims_instance_termination_duration_seconds',
  ['nodepool'],
  'Duration of CloudProvider Instance termination in seconds.',
  exponentialBuckets(1, 2, 11),
);
const terminationSeconds = defineHistogram(
  'karpenter_nodeclaims_termination_duration_seconds',
  ['nodepool'],
  'Duration of NodeClaim termination in seconds.',
  exponentialBuckets(1, 2, 12),
);

const INSTANCE_POLL = 5 * SECOND;

/**
 * Terminates a deleted NodeClaim (spec 03 §7.2): its Node drains first, then the instance is deleted, then the
 * finalizer is removed. Each pass starts from what the API server says, as if it were the first.
 */
export async function finalize(life: Pass, nodeClaim: NodeClaim): Promise<Result> {
  if (!hasFinalizer(nodeClaim)) return DONE;
  const dated = await ensureDeadline(life, nodeClaim);
  if (dated === undefined) return DONE;
  if (await deleteNodes(life, dated)) return DONE; // the Nodes' events enqueue the NodeClaim again
  const instance = findInstance(life, dated);
  if (instance === undefined) return removeFinalizer(life, dated);
  const isGone = await deleteInstance(life, instance);
  const ending = await noteTermination(life, dated, instance);
  if (ending === undefined) return DONE;
  if (!isGone) return { requeueAfter: INSTANCE_POLL };
  observeInstanceTermination(life, ending);
  return removeFinalizer(life, ending);
}

/**
 * Annotates the NodeClaim with the time by which all pods must be gone, if there is one. The patch carries the
 * resourceVersion, so that an earlier time set by repair or an interruption is never overwritten. Undefined if the
 * NodeClaim is gone.
 */
async function ensureDeadline(life: Pass, nodeClaim: NodeClaim): Promise<NodeClaim | undefined> {
  const { annotations, name, resourceVersion } = nodeClaim.metadata;
  const deadline = readDeadline(nodeClaim);
  if (annotations?.[TERMINATION_TIMESTAMP] !== undefined || deadline.kind === 'None') return nodeClaim;
  const { text } = deadline;
  const body = { metadata: { resourceVersion, annotations: { [TERMINATION_TIMESTAMP]: text } } };
  const request = life.client.patch<NodeClaim>(NODE_CLAIMS, { name }, { type: 'merge', body }, {}, life.signal);
  const answer = await unlessGone(request).catch(whenDoing('adding nodeclaim terminationGracePeriod annotation'));
  if (answer === undefined) return undefined;
  life.logger.info('annotated nodeclaim', { [TERMINATION_TIMESTAMP]: text });
  life.events.publish(terminationGracePeriodExpiring(answer, text));
  return life.writtenNodeClaims.remember(answer);
}

/**
 * Deletes the NodeClaim's Nodes and returns whether there were any: the instance must wait until they have drained.
 * Nodes of an unregistered NodeClaim are not touched unless they carry our finalizer: the process may have died between
 * opening the Node for pods and recording that, and those pods must be drained.
 */
async function deleteNodes({ client, caches, signal }: Pass, nodeClaim: NodeClaim): Promise<boolean> {
  const all = nodesOf(nodeClaim, caches);
  const nodes = isTrue(nodeClaim, 'Registered') ? all : all.filter(hasFinalizer);
  for (const { metadata } of nodes) {
    if (metadata.deletionTimestamp !== undefined) continue;
    const { name, uid = '' } = metadata;
    await unlessGone(client.delete(NODES, { name }, { preconditions: { uid } }, signal));
  }
  return nodes.length > 0;
}

function hasFinalizer({ metadata }: ApiObject): boolean {
  return metadata.finalizers?.includes(TERMINATION_FINALIZER) ?? false;
}

/**
 * The NodeClaim with its provider id. If the launch was never recorded in its status, the remembered launch supplies
 * it, so that the instance does not leak.
 */
function findInstance({ launches }: Pass, nodeClaim: NodeClaim): NodeClaim | undefined {
  if (nodeClaim.status?.providerID) return nodeClaim;
  const created = launches.get(nodeClaim.metadata.uid ?? '');
  return created && withInstance(nodeClaim, created);
}

/** Deletes the instance. True once it is gone; false while it is terminating. */
async function deleteInstance({ provider, signal }: Pass, instance: NodeClaim): Promise<boolean> {
  try {
    await provider.delete(instance, signal);
    return false;
  } catch (error) {
    if (findCause(error, NodeClaimNotFoundError) === undefined) throw error;
    return true;
  }
}

/** Sets the condition InstanceTerminating. Undefined if the NodeClaim is gone. */
async function noteTermination(life: Pass, before: NodeClaim, instance: NodeClaim): Promise<NodeClaim | undefined> {
  const after = set(life, instance, { type: 'InstanceTerminating', status: 'True' });
  const answer = await patchStatus(life.client, NODE_CLAIMS, before, after, life.signal);
  return answer && life.writtenNodeClaims.remember(answer);
}

async function removeFinalizer(life: Pass, nodeClaim: NodeClaim): Promise<Result> {
  const { name, uid = '', resourceVersion, finalizers = [] } = nodeClaim.metadata;
  const rest = finalizers.filter((finalizer) => finalizer !== TERMINATION_FINALIZER);
  const body = { metadata: { resourceVersion, finalizers: rest } };
  const request = life.client.patch<NodeClaim>(NODE_CLAIMS, { name }, { type: 'merge', body }, {}, life.signal);
  const answer = await unlessGone(request).catch(whenDoing('removing termination finalizer'));
  if (answer === undefined) return DONE;
  life.launches.delete(uid);
  withProviderId(life.logger, nodeClaim).info('deleted nodeclaim');
  countTermination(life, nodeClaim);
  return DONE;
}

function observeInstanceTermination({ clock, metrics }: Pass, nodeClaim: NodeClaim): void {
  const since = findCondition(nodeClaim, 'InstanceTerminating');
  if (since === undefined) return;
  const seconds = (clock.now() - transitionOf(since)) / SECOND;
  metrics.observe(instanceTerminationSeconds, { nodepool: labelOf(nodeClaim, NODEPOOL_LABEL) }, seconds);
}

function countTermination({ clock, metrics }: Pass, nodeClaim: NodeClaim): void {
  const nodepool = labelOf(nodeClaim, NODEPOOL_LABEL);
  const seconds = (clock.now() - Date.parse(nodeClaim.metadata.deletionTimestamp ?? '')) / SECOND;
  metrics.observe(terminationSeconds, { nodepool }, seconds);
  metrics.increment(nodeClaimsTerminated, {
    nodepool,
    capacity_type: labelOf(nodeClaim, CAPACITY_TYPE_LABEL),
    zone: labelOf(nodeClaim, ZONE_LABEL),
  });
}

function labelOf({ metadata }: NodeClaim, key: string): string {
  return metadata.labels?.[key] ?? '';
}

/** Reason and message are interface: people alert on them. The Node gets the same event when it drains. */
function terminationGracePeriodExpiring(nodeClaim: NodeClaim, deadline: string): EventDraft {
  return {
    on: subjectOf(NODE_CLAIMS, nodeClaim),
    type: 'Warning',
    reason: 'TerminationGracePeriodExpiring',
    message: `All pods will be deleted by ${deadline}`,
    dedupe: [nodeClaim.metadata.name],
  };
}

/** Adds to an error what was being done. */
function whenDoing(doing: string): (cause: unknown) => never {
  return (cause) => {
    throw new Error(doing, { cause });
  };
}
