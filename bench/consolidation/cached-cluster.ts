import { NODE_CLAIMS, NODE_POOLS, type ProviderProfile } from '@karpenter-ts/apis';
import type { CloudProvider } from '@karpenter-ts/cloudprovider';
import {
  type Caches,
  ClusterModel,
  NODE_CLAIM_STORE,
  NODE_POOL_STORE,
  NODE_STORE,
  operatorOptions,
  POD_STORE,
  PodDisruptionBudgets,
} from '@karpenter-ts/core';
import {
  type ApiObject,
  CSI_NODES,
  type CsiNode,
  DAEMON_SETS,
  type DaemonSet,
  type Namespace,
  NAMESPACES,
  NODES,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  type PersistentVolume,
  type PersistentVolumeClaim,
  POD_DISRUPTION_BUDGETS,
  type PodDisruptionBudget,
  PODS,
  STORAGE_CLASSES,
  type StorageClass,
} from '@karpenter-ts/kubernetes';
import { KWOK_NODE_CLASSES } from '@karpenter-ts/provider-kwok';
import { defaultsOf, FilledCache, Metrics, nullLogger, realClock } from '@karpenter-ts/runtime';
import type { InstanceType } from '@karpenter-ts/scheduling';
import type { Cluster } from './cluster.ts';

/** A cluster as a controller holds it: caches that have synced, and what follows them. */
export type CachedCluster = ReturnType<typeof cacheCluster>;

/** Fills the caches, which is the work of informers and not part of a pass. */
export function cacheCluster(cluster: Cluster) {
  const caches = {
    pods: new FilledCache(PODS, POD_STORE),
    nodes: new FilledCache(NODES, NODE_STORE),
    nodeClaims: new FilledCache(NODE_CLAIMS, NODE_CLAIM_STORE),
    nodePools: new FilledCache(NODE_POOLS, NODE_POOL_STORE),
    daemonSets: new FilledCache<DaemonSet>(DAEMON_SETS, {}),
    namespaces: new FilledCache<Namespace>(NAMESPACES, {}),
    persistentVolumes: new FilledCache<PersistentVolume>(PERSISTENT_VOLUMES, {}),
    persistentVolumeClaims: new FilledCache<PersistentVolumeClaim>(PERSISTENT_VOLUME_CLAIMS, {}),
    storageClasses: new FilledCache<StorageClass>(STORAGE_CLASSES, {}),
    csiNodes: new FilledCache<CsiNode>(CSI_NODES, {}),
    disruptionBudgets: new FilledCache<PodDisruptionBudget>(POD_DISRUPTION_BUDGETS, {}),
  } satisfies Caches;
  const deps = {
    caches,
    clock: realClock,
    logger: nullLogger,
    metrics: new Metrics(realClock),
    options: defaultsOf(operatorOptions),
    provider: new OfferingProvider(cluster),
  };
  const model = new ClusterModel(deps);
  const podDisruptionBudgets = new PodDisruptionBudgets(caches);
  put(caches.nodePools, cluster.nodePools);
  put(caches.daemonSets, cluster.daemonSets);
  put(caches.storageClasses, cluster.storageClasses);
  put(caches.persistentVolumes, cluster.persistentVolumes);
  put(caches.persistentVolumeClaims, cluster.persistentVolumeClaims);
  put(caches.csiNodes, cluster.csiNodes);
  put(caches.nodeClaims, cluster.nodeClaims);
  put(caches.nodes, cluster.nodes);
  put(caches.pods, cluster.pods);
  put(caches.disruptionBudgets, cluster.podDisruptionBudgets);
  return { ...deps, model, podDisruptionBudgets };
}

function put<T extends ApiObject, I extends string>(cache: FilledCache<T, I>, objects: readonly T[]): void {
  for (const object of objects) cache.put(object);
}

/** Offers the instance types of a cluster. A pass that only decides asks for nothing else. */
class OfferingProvider implements CloudProvider {
  readonly name = 'bench';
  readonly profile: ProviderProfile;
  readonly nodeClasses = [KWOK_NODE_CLASSES];
  readonly repairPolicies = [];
  readonly registrationHooks = [];
  readonly reservationIdLabel = undefined;
  readonly reservedCapacityLabels: ReadonlySet<string> = new Set();
  readonly create = neverAsked;
  readonly delete = neverAsked;
  readonly get = neverAsked;
  readonly list = neverAsked;
  readonly findDrift = neverAsked;
  readonly #instanceTypes: readonly InstanceType[];

  constructor({ instanceTypes, profile }: Cluster) {
    this.#instanceTypes = instanceTypes;
    this.profile = profile;
  }

  async instanceTypes(): Promise<readonly InstanceType[]> {
    return this.#instanceTypes;
  }
}

function neverAsked(): never {
  throw new Error('the provider was asked for more than its instance types');
}
