import { NODE_CLAIMS, NODE_POOLS } from '@karpenter-ts/apis';
import {
  type ApiObject,
  DAEMON_SETS,
  NODES,
  POD_DISRUPTION_BUDGETS,
  PODS,
  type ResourceType,
  timestamp,
} from '@karpenter-ts/kubernetes';
import { type Client, realClock } from '@karpenter-ts/runtime';
import { findCatalogue } from '../cluster/catalogue-source.ts';
import type { ClusterContent } from '../cluster/cluster-file.ts';
import { catalogueEntries, defaultCatalogue } from './catalogue-entries.ts';
import { type DumpedLists, toClusterContent } from './dumped-objects.ts';

/** A cluster, or why there is none. */
export type Dump = { readonly content: ClusterContent } | { readonly problem: string };

/**
 * Reads a cluster into the form of a cluster file. It lists, and asks for nothing else. The instance types and prices are
 * those of the catalogue, by default the built-in one that goes with the NodePools.
 */
export async function dumpCluster(
  client: Pick<Client, 'listAll'>,
  catalogue: string | undefined,
  signal: AbortSignal,
): Promise<Dump> {
  const list = async <T extends ApiObject>(type: ResourceType): Promise<readonly T[]> =>
    (await client.listAll<T>(type, {}, signal)).items;
  // Nodes are read before pods, as the controllers do: a pod that binds in between must not take room that is not there.
  const nodePools = await list<DumpedLists['nodePools'][number]>(NODE_POOLS);
  const lists: DumpedLists = {
    nodePools,
    nodeClaims: await list(NODE_CLAIMS),
    nodes: await list(NODES),
    pods: await list(PODS),
    daemonSets: await list(DAEMON_SETS),
    disruptionBudgets: await list(POD_DISRUPTION_BUDGETS),
  };
  const found = findCatalogue(catalogue ?? defaultCatalogue(nodePools));
  if ('problem' in found) return found;
  const entries = catalogueEntries(found.catalogue.instanceTypes);
  return { content: toClusterContent(lists, { now: timestamp(realClock.now()), catalogue: entries }) };
}
