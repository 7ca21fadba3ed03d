import { type ConditionChange, findCondition } from '@karpenter-ts/kubernetes';
import { NODE_POOL_CONDITIONS, NODE_POOLS, type NodePool } from '@karpenter-ts/apis';
import { type Controller, DONE, type Instant, patchStatus, scaleConcurrency } from '@karpenter-ts/runtime';
import { withCondition } from '../writes/conditions.ts';
import type { ControllerDeps } from '../state/controller-deps.ts';
import type { NodeClass } from '@karpenter-ts/cloudprovider';
import { isManagedNodePool } from '../state/managed.ts';
import { findNodeClass, poolSources } from './node-class.ts';
import type { NodePoolHealth, RegistrationResult } from '../state/nodepool-health.ts';

const TYPE = 'NodeRegistrationHealthy';

/**
 * Keeps the condition `NodeRegistrationHealthy` of NodePools (spec 03 §11.4): Unknown after a change of the NodePool or
 * its NodeClass, then as its launches go. No other controller writes it.
 */
export function registrationHealthController(
  core: ControllerDeps & { readonly nodePoolHealth: NodePoolHealth },
): Controller {
  const { caches, client, clock, nodePoolHealth, options, provider } = core;
  return {
    name: 'nodepool.registrationhealth',
    kind: NODE_POOLS,
    concurrency: scaleConcurrency(options.cpuRequests / 1000, { min: 10, max: 1000 }),
    sources: [...poolSources(core), nodePoolHealth.source],
    reconcile: async (name, signal) => {
      const nodePool = caches.nodePools.get(name);
      if (nodePool === undefined || !isManagedNodePool(nodePool, provider)) return DONE;
      const nodeClass = findNodeClass(nodePool, caches);
      if (nodeClass === undefined) return DONE;
      if (hasChanged(nodePool, nodeClass)) {
        await patchStatus(client, NODE_POOLS, nodePool, renewed(nodePool, nodeClass, clock.now()), signal);
        nodePoolHealth.reset(nodePool);
        return DONE;
      }
      const verdict = nodePoolHealth.verdictOn(nodePool);
      if (verdict === undefined) return DONE;
      await patchStatus(client, NODE_POOLS, nodePool, judged(nodePool, verdict, clock.now()), signal);
      nodePoolHealth.confirm(nodePool, verdict);
      return DONE;
    },
  };
}

/** Whether the NodePool or its NodeClass has changed since the condition was set. */
function hasChanged(nodePool: NodePool, nodeClass: NodeClass): boolean {
  const condition = findCondition(nodePool, TYPE);
  return (
    condition === undefined ||
    (nodePool.status?.nodeClassObservedGeneration ?? 0) !== (nodeClass.metadata.generation ?? 0) ||
    condition.observedGeneration !== nodePool.metadata.generation
  );
}

function renewed(nodePool: NodePool, nodeClass: NodeClass, now: Instant): NodePool {
  const unknown = withCondition(nodePool, NODE_POOL_CONDITIONS, { type: TYPE, status: 'Unknown' }, now);
  const nodeClassObservedGeneration = nodeClass.metadata.generation ?? 0;
  return { ...unknown, status: { nodes: 0, ...unknown.status, nodeClassObservedGeneration } };
}

/** The condition keeps the reason of the first failure that turned it; later failures do not change it. */
function judged(nodePool: NodePool, verdict: RegistrationResult, now: Instant): NodePool {
  if (!verdict.succeeded && findCondition(nodePool, TYPE)?.status === 'False') return nodePool;
  return withCondition(nodePool, NODE_POOL_CONDITIONS, changeOf(verdict), now);
}

function changeOf(verdict: RegistrationResult): ConditionChange<typeof TYPE> {
  if (verdict.succeeded) return { type: TYPE, status: 'True' };
  return { type: TYPE, status: 'False', reason: verdict.reason, message: verdict.message };
}
