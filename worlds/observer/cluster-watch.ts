import { NODE_CLAIMS, NODE_POOLS, type NodeClaim, type NodePool } from '@karpenter-ts/apis';
import type { Cluster } from '@karpenter-ts/embedded';
import {
  type ApiObject,
  type Node,
  NODES,
  objectKey,
  type Pod,
  type PodDisruptionBudget,
  POD_DISRUPTION_BUDGETS,
  PODS,
  type ResourceType,
} from '@karpenter-ts/kubernetes';
import { Client, Informer, nullLogger, type SteadyClock } from '@karpenter-ts/runtime';
import type { ObservedCluster } from './observed-cluster.ts';

/** Keeps an observed cluster up to date until aborted. No fault of a world comes between it and the API server. */
export async function watchCluster(
  { transport }: Cluster,
  clock: SteadyClock,
  observed: ObservedCluster,
  signal: AbortSignal,
): Promise<void> {
  const client = new Client({ transport, clock, userAgent: 'observer', takesValues: true });
  const follow = <T extends ApiObject>(
    type: ResourceType,
    set: (key: string, object: T | undefined) => void,
  ): Promise<void> => {
    const informer = new Informer<T>({ client, clock, logger: nullLogger, type, random: () => 0.5 });
    informer.addHandler({
      onAdd: (object) => set(objectKey(object.metadata), object),
      onUpdate: (_, object) => set(objectKey(object.metadata), object),
      onDelete: (object) => set(objectKey(object.metadata), undefined),
    });
    return informer.start(signal);
  };
  await Promise.all([
    follow<Node>(NODES, (key, node) => observed.setNode(key, node)),
    follow<NodeClaim>(NODE_CLAIMS, (key, nodeClaim) => observed.setNodeClaim(key, nodeClaim)),
    follow<NodePool>(NODE_POOLS, (key, pool) => observed.setNodePool(key, pool)),
    follow<Pod>(PODS, (key, pod) => observed.setPod(key, pod)),
    follow<PodDisruptionBudget>(POD_DISRUPTION_BUDGETS, (key, budget) => observed.setPodDisruptionBudget(key, budget)),
  ]);
}
