import { canonicalQuantity, memberOf, parseQuantity, type ResourceList, unitsOf } from '@karpenter-ts/kubernetes';
import { NODE_POOLS, type NodePool } from '@karpenter-ts/apis';
import {
  type Controller,
  DONE,
  kindSource,
  mergePatchOf,
  scaleConcurrency,
  SECOND,
  unlessGone,
} from '@karpenter-ts/runtime';
import type { ControllerDeps } from '../state/controller-deps.ts';
import { isManagedNodePool } from '../state/managed.ts';

/** What the counter asks the cluster model. */
export interface PoolUsage {
  hasSynced(): boolean;
  /** The capacity of the NodePool's nodes without the deleting ones; `nodes` is their number. */
  usageOf(nodePool: string): ResourceList;
}

const PERIOD = 5 * SECOND;
const UNSYNCED_PERIOD = 1 * SECOND;

/** Shown even if the NodePool has no nodes. */
const NOTHING: ResourceList = { cpu: '0', memory: '0', pods: '0', 'ephemeral-storage': '0', nodes: '0' };

/**
 * Keeps the resources of a NodePool's nodes in its status, every 5 s (spec 03 §11.1). It writes nothing until the
 * cluster state is in sync: too low a count would look like room under the limits.
 */
export function counterController({ caches, client, options, provider }: ControllerDeps, usage: PoolUsage): Controller {
  return {
    name: 'nodepool.counter',
    kind: NODE_POOLS,
    concurrency: scaleConcurrency(options.cpuRequests / 1000, { min: 10, max: 1000 }),
    sources: [
      kindSource(caches.nodePools, {
        when: ({ type, object }) => type === 'added' && isManagedNodePool(object, provider),
      }),
    ],
    reconcile: async (name, signal) => {
      const nodePool = caches.nodePools.get(name);
      if (nodePool === undefined || !isManagedNodePool(nodePool, provider)) return DONE;
      if (!usage.hasSynced()) return { requeueAfter: UNSYNCED_PERIOD };
      const status = mergePatchOf(nodePool.status, withUsage(nodePool, usage.usageOf(name)));
      if (status === undefined) return { requeueAfter: PERIOD };
      const patch = { type: 'merge', body: { status } } as const;
      await unlessGone(client.patch(NODE_POOLS, { name }, patch, { subresource: 'status' }, signal));
      return { requeueAfter: PERIOD };
    },
  };
}

/** The NodePool with its usage in the status. A quantity that is equal keeps its spelling. */
export function withUsage({ status }: NodePool, usage: ResourceList): NodePool['status'] {
  const resources: Record<string, string | number> = {};
  for (const [name, amount] of Object.entries({ ...NOTHING, ...usage })) {
    const written = memberOf(status?.resources, name);
    const isSame = written !== undefined && parseQuantity(written).nanos === parseQuantity(amount).nanos;
    resources[name] = isSame ? written : canonicalQuantity(amount);
  }
  return { ...status, resources, nodes: Number(unitsOf(parseQuantity(resources['nodes'] ?? 0))) };
}
