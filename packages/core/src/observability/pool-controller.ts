import { AmountReader, type ResourceList } from '@karpenter-ts/kubernetes';
import { type Controller, DONE, defineGauge, kindSource, type LiveSample } from '@karpenter-ts/runtime';
import { NODE_POOLS, type NodePool } from '@karpenter-ts/apis';
import type { ControllerDeps } from '../state/controller-deps.ts';
import { isManagedNodePool } from '../state/managed.ts';
import type { NodePrices } from '../state/node-prices.ts';
import { resourceSamples } from './resource-samples.ts';

const limit = defineGauge(
  'karpenter_nodepools_limit',
  ['resource_type', 'nodepool'],
  'Limits specified on the nodepool that restrict the quantity of resources provisioned. Labeled by nodepool name and ' +
    'resource type.',
);
const usage = defineGauge(
  'karpenter_nodepools_usage',
  ['resource_type', 'nodepool'],
  'The amount of resources that have been provisioned for a nodepool. Labeled by nodepool name and resource type.',
);
const costTotal = defineGauge(
  'karpenter_nodepools_cost_total',
  ['nodepool'],
  "Total cost of the nodepool from Karpenter's perspective. Units are determined by the cloud provider. Not an " +
    'authoritative source for billing. Includes modifications due to NodeOverlays',
);

/**
 * Exports limits, usage and cost of NodePools (spec 05 §4.2), computed when metrics are scraped. Its passes only show
 * that this replica leads: other replicas export nothing.
 */
export function poolMetricsController({ caches, metrics, provider }: ControllerDeps, costs: NodePrices): Controller {
  const isManaged = (nodePool: NodePool): boolean => isManagedNodePool(nodePool, provider);
  const managed = (): readonly NodePool[] => caches.nodePools.list().filter(isManaged);
  let isExposed = false;
  return {
    name: 'metrics.nodepool',
    kind: NODE_POOLS,
    sources: [kindSource(caches.nodePools, { when: ({ object }) => isManaged(object) })],
    reconcile: async () => {
      if (isExposed) return DONE;
      isExposed = true;
      metrics.expose(limit, () => amountsOf(managed(), ({ spec }) => spec.limits));
      metrics.expose(usage, () => amountsOf(managed(), ({ status }) => status?.resources));
      metrics.expose(costTotal, () =>
        managed().map(({ metadata: { name } }) => ({ labels: { nodepool: name }, value: costs.costOf(name) })),
      );
      return DONE;
    },
  };
}

function* amountsOf(
  nodePools: readonly NodePool[],
  listOf: (nodePool: NodePool) => ResourceList | undefined,
): Generator<LiveSample<'resource_type' | 'nodepool'>> {
  const reader = new AmountReader();
  for (const nodePool of nodePools) {
    for (const { resourceType, value } of resourceSamples(reader.read(listOf(nodePool)))) {
      yield { labels: { resource_type: resourceType, nodepool: nodePool.metadata.name }, value };
    }
  }
}
