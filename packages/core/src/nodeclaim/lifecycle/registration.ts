import { findCondition, type Node, NODES } from '@karpenter-ts/kubernetes';
import { defineCounter, type EventDraft, LoggedRef, mergePatchOf, subjectOf } from '@karpenter-ts/runtime';
import { NODE_CLAIMS, type NodeClaim, NODEPOOL_LABEL, UNREGISTERED_TAINT, ZONE_LABEL } from '@karpenter-ts/apis';
import { lacksUnregisteredTaint, markRegistered, syncNode } from './node-sync.ts';
import { askHooks, type HooksVerdict } from './registration-hooks.ts';
import { confirm, currentNodesOf, failed, type Pass, type StepOutcome, set, done } from './step.ts';

export const nodesCreated = defineCounter(
  'karpenter_nodes_created_total',
  ['nodepool', 'zone'],
  'Number of nodes created in total by Karpenter. Labeled by owning nodepool and zone.',
);

/**
 * Copies the NodeClaim's labels, annotations and taints to its Node once, and opens the Node for pods when the
 * provider's registration hooks are ready (spec 03 §3.2). Two Nodes with one provider id are an error until one of them
 * is gone.
 */
export async function register(life: Pass, nodeClaim: NodeClaim): Promise<StepOutcome> {
  const registered = findCondition(nodeClaim, 'Registered');
  if (registered?.status === 'True') return done(confirm(life, nodeClaim, registered));
  const [node, ...others] = currentNodesOf(nodeClaim, life);
  if (node === undefined) {
    const [reason, message] = ['NodeNotFound', 'Node not registered with cluster'];
    return done(set(life, nodeClaim, { type: 'Registered', status: 'Unknown', reason, message }));
  }
  if (others.length > 0) {
    const [reason, message] = ['MultipleNodesFound', 'Invariant violated, matched multiple nodes'];
    return done(set(life, nodeClaim, { type: 'Registered', status: 'False', reason, message }));
  }
  return registerNode({ ...life, logger: life.logger.with({ Node: new LoggedRef(node.metadata) }) }, nodeClaim, node);
}

async function registerNode(life: Pass, nodeClaim: NodeClaim, node: Node): Promise<StepOutcome> {
  if (lacksUnregisteredTaint(node)) warnOfMissingTaint(life, nodeClaim);
  const hooks = await askHooks(life.provider.registrationHooks, nodeClaim, life.signal);
  const isReady = hooks.pending.length === 0;
  const prepared = isReady ? hooks.nodeClaim : awaitHooks(life, hooks);
  const synced = syncNode(node, prepared);
  try {
    await patchNode(life, node, isReady ? markRegistered(synced) : synced);
  } catch (cause) {
    return failed(prepared, new Error('patching node', { cause }));
  }
  if (!isReady) return { nodeClaim: prepared, result: hooks.result, error: hooks.error };
  return done(conclude(life, prepared, node));
}

function awaitHooks(life: Pass, { nodeClaim, pending }: HooksVerdict): NodeClaim {
  life.logger.debug('awaiting registration hooks', { hooks: pending });
  const [reason, message] = ['RegistrationHookPending', pending.join(', ')];
  return set(life, nodeClaim, { type: 'Registered', status: 'Unknown', reason, message });
}

/** The patch carries the resourceVersion, because taints, owners and finalizers are lists that others write as well. */
async function patchNode({ client, writtenNodes, signal }: Pass, before: Node, after: Node): Promise<void> {
  const patch = mergePatchOf(before, after);
  if (patch === undefined) return;
  const { name, resourceVersion } = before.metadata;
  const body = { ...patch, metadata: { ...(patch['metadata'] as object), resourceVersion } };
  writtenNodes.remember(await client.patch<Node>(NODES, { name }, { type: 'merge', body }, {}, signal));
}

function conclude(life: Pass, nodeClaim: NodeClaim, node: Node): NodeClaim {
  const { labels = {} } = nodeClaim.metadata;
  life.logger.info('registered nodeclaim');
  life.metrics.increment(nodesCreated, { nodepool: labels[NODEPOOL_LABEL] ?? '', zone: labels[ZONE_LABEL] ?? '' });
  life.nodePoolHealth.record(nodeClaim, { succeeded: true });
  const registered = set(life, nodeClaim, { type: 'Registered', status: 'True' });
  return { ...registered, status: { ...registered.status, nodeName: node.metadata.name } };
}

function warnOfMissingTaint({ events, logger }: Pass, nodeClaim: NodeClaim): void {
  const problem = 'missing taint prevents registration-related race conditions on Karpenter-managed nodes';
  logger.error('node claim registration error', new Error(problem), { taint: UNREGISTERED_TAINT.key });
  events.publish(unregisteredTaintMissing(nodeClaim));
}

function unregisteredTaintMissing(nodeClaim: NodeClaim): EventDraft {
  return {
    on: subjectOf(NODE_CLAIMS, nodeClaim),
    type: 'Warning',
    reason: 'UnregisteredTaintMissing',
    message: `Missing ${UNREGISTERED_TAINT.key} taint which prevents registration related race conditions on Karpenter-managed nodes`,
    dedupe: [nodeClaim.metadata.uid ?? ''],
  };
}
