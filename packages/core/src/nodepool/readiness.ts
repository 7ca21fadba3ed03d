import { type ConditionChange, findCondition } from '@karpenter-ts/kubernetes';
import { NODE_POOL_CONDITIONS, NODE_POOLS } from '@karpenter-ts/apis';
import { type Controller, DONE, patchStatus, scaleConcurrency } from '@karpenter-ts/runtime';
import { withCondition } from '../writes/conditions.ts';
import type { ControllerDeps } from '../state/controller-deps.ts';
import type { NodeClass } from '@karpenter-ts/cloudprovider';
import { isManagedNodePool } from '../state/managed.ts';
import { findNodeClass, poolSources } from './node-class.ts';

/** Keeps the condition `NodeClassReady` of NodePools (spec 03 §11.2). Nothing is launched for a NodePool without it. */
export function readinessController(core: ControllerDeps): Controller {
  const { caches, client, clock, options, provider } = core;
  return {
    name: 'nodepool.readiness',
    kind: NODE_POOLS,
    concurrency: scaleConcurrency(options.cpuRequests / 1000, { min: 10, max: 1000 }),
    sources: poolSources(core),
    reconcile: async (name, signal) => {
      const nodePool = caches.nodePools.get(name);
      if (nodePool === undefined || !isManagedNodePool(nodePool, provider)) return DONE;
      const change = readinessOf(findNodeClass(nodePool, caches));
      const after = withCondition(nodePool, NODE_POOL_CONDITIONS, change, clock.now());
      await patchStatus(client, NODE_POOLS, nodePool, after, signal);
      return DONE;
    },
  };
}

/** The condition of the NodePool: the NodeClass's own Ready condition, unless the NodeClass is missing or deleting. */
export function readinessOf(nodeClass: NodeClass | undefined): ConditionChange<'NodeClassReady'> {
  const type = 'NodeClassReady';
  if (nodeClass === undefined) {
    return { type, status: 'False', reason: 'NodeClassNotFound', message: 'NodeClass not found on cluster' };
  }
  if (nodeClass.metadata.deletionTimestamp !== undefined) {
    return { type, status: 'False', reason: 'NodeClassTerminating', message: 'NodeClass is Terminating' };
  }
  const ready = findCondition(nodeClass, 'Ready');
  if (ready === undefined || ready.status === 'Unknown') {
    return { type, status: 'False', reason: 'NodeClassReadinessUnknown', message: 'Node Class Readiness Unknown' };
  }
  if (ready.status === 'True') return { type, status: 'True' };
  return { type, status: 'False', reason: ready.reason ?? '', message: ready.message ?? '' };
}
