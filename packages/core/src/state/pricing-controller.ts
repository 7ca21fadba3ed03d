import { NODEPOOL_LABEL, type NodeClaim, type NodePool } from '@karpenter-ts/apis';
import {
  type Controller,
  DONE,
  defineCounter,
  HOUR,
  kindSource,
  type Logger,
  SINGLETON_RETRIES,
} from '@karpenter-ts/runtime';
import { NODE_POOLS } from '@karpenter-ts/apis';
import type { InstanceType } from '@karpenter-ts/scheduling';
import type { ControllerDeps } from './controller-deps.ts';
import { isManagedNodeClaim } from './managed.ts';
import type { NodePrices, Purchase } from './node-prices.ts';

const trackerErrors = defineCounter(
  'karpenter_nodepools_cost_tracker_errors_total',
  ['nodepool'],
  'Number of errors encountered during cost tracking operations. Labeled by nodepool and nodeclaim.',
);

const PERIOD = 1 * HOUR;

/** Updates the prices of NodePools' instances: with the first purchase of each kind, then every hour. */
export function pricingController(core: ControllerDeps, costs: NodePrices): Controller {
  const { caches, provider } = core;
  return {
    name: 'state.pricing',
    kind: NODE_POOLS,
    retries: SINGLETON_RETRIES,
    sources: [
      kindSource(caches.nodeClaims, {
        when: ({ object }) => isManagedNodeClaim(object, provider) && costs.isUnpriced(object),
        keys: poolsOf,
      }),
      kindSource(caches.nodePools, { when: ({ type }) => type === 'deleted' }),
    ],
    reconcile: async (name, signal, logger) => {
      const nodePool = caches.nodePools.get(name);
      if (nodePool === undefined || caches.nodeClaims.byIndex('nodePool', name).length === 0) {
        costs.forget(name);
        return DONE;
      }
      for (const purchase of costs.update(name, await askPrices(core, nodePool, signal))) warn(logger, purchase, name);
      return { requeueAfter: PERIOD };
    },
  };
}

function poolsOf({ metadata }: NodeClaim): readonly string[] {
  const nodePool = metadata.labels?.[NODEPOOL_LABEL];
  return nodePool ? [nodePool] : [];
}

async function askPrices(
  { metrics, provider }: ControllerDeps,
  nodePool: NodePool,
  signal: AbortSignal,
): Promise<readonly InstanceType[]> {
  try {
    return await provider.instanceTypes(nodePool, signal);
  } catch (error) {
    metrics.increment(trackerErrors, { nodepool: nodePool.metadata.name });
    throw new Error(`refreshing pricing info, ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

function warn(logger: Logger, { instanceType, zone, capacityType }: Purchase, nodePool: string): void {
  logger.error(
    'offering price unknown — cost tracking will undercount for this nodeclaim until next update',
    new Error(
      `failed to find offering for instance "${instanceType}" in zone "${zone}" with capacity "${capacityType}" in nodepool "${nodePool}"`,
    ),
  );
}
