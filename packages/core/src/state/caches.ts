import type { NodeClaim, NodePool } from '@karpenter-ts/apis';
import { type CloudProvider, NodeClassCaches, nodeClassKey } from '@karpenter-ts/cloudprovider';
import {
  type Cache,
  type Client,
  Informer,
  type Logger,
  type Metrics,
  type ObjectCache,
  type SteadyClock,
  type StoreOptions,
} from '@karpenter-ts/runtime';
import { NODE_CLAIMS, NODE_POOLS } from '@karpenter-ts/apis';
import {
  CSI_NODES,
  type CsiNode,
  DAEMON_SETS,
  type DaemonSet,
  type Namespace,
  NAMESPACES,
  type Node,
  NODES,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  POD_DISRUPTION_BUDGETS,
  type PodDisruptionBudget,
  PODS,
  RESOURCE_SLICES,
  type ResourceSlice,
  STORAGE_CLASSES,
  type StorageClass,
  VOLUME_ATTACHMENTS,
  type VolumeAttachment,
} from '@karpenter-ts/kubernetes';
import { nodeNamesOf } from '../kinds/resource-slice.ts';

/** The objects that decisions are made from. A lookup by index costs as much as it finds. */
export interface Caches {
  /** `node`: name of the Node the pod is bound to; '' while it is unbound. */
  readonly pods: ObjectCache<Pod, 'node'>;
  readonly nodes: ObjectCache<Node, 'providerId'>;
  /** `nodePool`: value of the label karpenter.sh/nodepool. `nodeClass`: see `nodeClassKey`. */
  readonly nodeClaims: ObjectCache<NodeClaim, 'providerId' | 'nodePool' | 'nodeClass'>;
  readonly nodePools: ObjectCache<NodePool, 'nodeClass'>;
  readonly daemonSets: ObjectCache<DaemonSet>;
  readonly namespaces: ObjectCache<Namespace>;
  readonly persistentVolumes: ObjectCache<PersistentVolume>;
  readonly persistentVolumeClaims: ObjectCache<PersistentVolumeClaim>;
  readonly storageClasses: ObjectCache<StorageClass>;
  readonly csiNodes: ObjectCache<CsiNode>;
  readonly disruptionBudgets: ObjectCache<PodDisruptionBudget>;
}

/** Informers for every kind the controllers read. */
export interface InformerCaches extends Caches {
  readonly pods: Informer<Pod, 'node'>;
  readonly nodes: Informer<Node, 'providerId'>;
  readonly nodeClaims: Informer<NodeClaim, 'providerId' | 'nodePool' | 'nodeClass'>;
  readonly nodePools: Informer<NodePool, 'nodeClass'>;
  readonly nodeClasses: NodeClassCaches;
  readonly daemonSets: Informer<DaemonSet>;
  readonly namespaces: Informer<Namespace>;
  readonly persistentVolumes: Informer<PersistentVolume>;
  readonly persistentVolumeClaims: Informer<PersistentVolumeClaim>;
  readonly storageClasses: Informer<StorageClass>;
  readonly csiNodes: Informer<CsiNode>;
  readonly volumeAttachments: Informer<VolumeAttachment, 'node'>;
  readonly disruptionBudgets: Informer<PodDisruptionBudget>;
  /**
   * `node`: name of the Node the slice is local to. Undefined unless dynamic resource allocation is on, because reading
   * the kind needs extra RBAC rules.
   */
  readonly resourceSlices: Informer<ResourceSlice, 'node'> | undefined;
}

export interface CacheDeps {
  readonly client: Client;
  readonly clock: SteadyClock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly provider: Pick<CloudProvider, 'nodeClasses'>;
  /** Source of jitter, in [0, 1); Math.random by default. */
  readonly random?: (() => number) | undefined;
  /** Whether ResourceClaims count (dynamic resource allocation). Off by default. */
  readonly readsResourceSlices?: boolean;
}

/** How the pods are kept and indexed. */
export const POD_STORE: StoreOptions<Pod, 'node'> = {
  // Parts that pods of one workload have in common: the cache stores equal ones once.
  sharedParts: ['metadata.labels', 'metadata.annotations', 'metadata.ownerReferences', 'spec.affinity'],
  indexes: { node: ({ spec }) => [spec.nodeName ?? ''] },
};

/** How the Nodes are indexed. */
export const NODE_STORE: StoreOptions<Node, 'providerId'> = {
  indexes: { providerId: ({ spec }) => present(spec?.providerID) },
};

/** How the NodeClaims are indexed. */
export const NODE_CLAIM_STORE: StoreOptions<NodeClaim, 'providerId' | 'nodePool' | 'nodeClass'> = {
  indexes: {
    providerId: ({ status }) => present(status?.providerID),
    nodePool: ({ metadata }) => present(metadata.labels?.['karpenter.sh/nodepool']),
    nodeClass: ({ spec }) => [nodeClassKey(spec.nodeClassRef)],
  },
};

/** How the NodePools are indexed. */
export const NODE_POOL_STORE: StoreOptions<NodePool, 'nodeClass'> = {
  indexes: { nodeClass: ({ spec }) => [nodeClassKey(spec.template.spec.nodeClassRef)] },
};

/** Creates the caches. The manager starts them. */
export function createCaches({ provider, readsResourceSlices, ...deps }: CacheDeps): InformerCaches {
  return {
    pods: new Informer({ ...deps, ...POD_STORE, type: PODS }),
    nodes: new Informer({ ...deps, ...NODE_STORE, type: NODES }),
    nodeClaims: new Informer({ ...deps, ...NODE_CLAIM_STORE, type: NODE_CLAIMS }),
    nodePools: new Informer({ ...deps, ...NODE_POOL_STORE, type: NODE_POOLS }),
    nodeClasses: new NodeClassCaches(provider.nodeClasses, deps),
    daemonSets: new Informer<DaemonSet>({ ...deps, type: DAEMON_SETS }),
    namespaces: new Informer<Namespace>({ ...deps, type: NAMESPACES }),
    persistentVolumes: new Informer<PersistentVolume>({ ...deps, type: PERSISTENT_VOLUMES }),
    persistentVolumeClaims: new Informer<PersistentVolumeClaim>({ ...deps, type: PERSISTENT_VOLUME_CLAIMS }),
    storageClasses: new Informer<StorageClass>({ ...deps, type: STORAGE_CLASSES }),
    csiNodes: new Informer<CsiNode>({ ...deps, type: CSI_NODES }),
    volumeAttachments: new Informer<VolumeAttachment, 'node'>({
      ...deps,
      type: VOLUME_ATTACHMENTS,
      indexes: { node: ({ spec }) => [spec.nodeName] },
    }),
    disruptionBudgets: new Informer<PodDisruptionBudget>({ ...deps, type: POD_DISRUPTION_BUDGETS }),
    resourceSlices: readsResourceSlices
      ? new Informer<ResourceSlice, 'node'>({ ...deps, type: RESOURCE_SLICES, indexes: { node: nodeNamesOf } })
      : undefined,
  };
}

/** All caches as a list, for the manager to start. */
export function listCaches({ nodeClasses, ...rest }: InformerCaches): readonly Cache[] {
  return [...Object.values(rest).filter((cache) => cache !== undefined), ...nodeClasses.all];
}

function present(value: string | undefined): readonly string[] {
  return value ? [value] : [];
}
