import { findCondition, isTrue, NODES } from '@karpenter-ts/kubernetes';
import { INITIALIZED_LABEL, type NodeClaim } from '@karpenter-ts/apis';
import { withProviderId } from '../nodeclaim-logger.ts';
import { findObstacle } from './obstacles.ts';
import { confirm, currentNodesOf, failed, type Pass, type StepOutcome, set, done } from './step.ts';

/** Marks the NodeClaim and its Node as initialised once the Node can take pods (spec 03 §3.3). There is no timeout. */
export async function initialize(life: Pass, nodeClaim: NodeClaim): Promise<StepOutcome> {
  const initialized = findCondition(nodeClaim, 'Initialized');
  if (initialized !== undefined && initialized.status !== 'Unknown') {
    return done(confirm(life, nodeClaim, initialized));
  }
  if (!isTrue(nodeClaim, 'Registered')) return done(nodeClaim);
  const [node, ...others] = currentNodesOf(nodeClaim, life);
  if (node === undefined || others.length > 0) {
    const [reason, message] = ['NodeNotFound', 'Node not registered with cluster'];
    return done(set(life, nodeClaim, { type: 'Initialized', status: 'Unknown', reason, message }));
  }
  const slices = life.caches.resourceSlices?.byIndex('node', node.metadata.name);
  const obstacle = findObstacle({ nodeClaim, node, slices });
  if (obstacle !== undefined) {
    return done(set(life, nodeClaim, { type: 'Initialized', status: 'Unknown', ...obstacle }));
  }
  try {
    await markInitialized(life, node.metadata);
  } catch (error) {
    return failed(nodeClaim, error);
  }
  withProviderId(life.logger, nodeClaim).info('initialized nodeclaim', {
    allocatable: node.status?.allocatable ?? {},
  });
  return done(set(life, nodeClaim, { type: 'Initialized', status: 'True' }));
}

async function markInitialized(
  { client, signal }: Pass,
  { name, labels }: { readonly name: string; readonly labels?: Readonly<Record<string, string>> | undefined },
): Promise<void> {
  if (labels?.[INITIALIZED_LABEL] === 'true') return;
  const body = { metadata: { labels: { [INITIALIZED_LABEL]: 'true' } } };
  await client.patch(NODES, { name }, { type: 'merge', body }, {}, signal);
}
