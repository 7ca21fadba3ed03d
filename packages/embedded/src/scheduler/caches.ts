import {
  type ApiObject,
  CSI_NODES,
  type CsiNode,
  NAMESPACES,
  type Node,
  NODES,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  PODS,
  type ResourceType,
  STORAGE_CLASSES,
  type StorageClass,
  VOLUME_ATTACHMENTS,
  type VolumeAttachment,
} from '@karpenter-ts/kubernetes';
import { type Client, Informer, keepFields, type Logger, type SteadyClock } from '@karpenter-ts/runtime';

/** What a scheduler watches. */
export interface SchedulerCaches {
  readonly pods: Informer<Pod>;
  readonly nodes: Informer<Node>;
  readonly namespaces: Informer<ApiObject>;
  readonly volumeClaims: Informer<PersistentVolumeClaim>;
  readonly volumes: Informer<PersistentVolume>;
  readonly storageClasses: Informer<StorageClass>;
  readonly csiNodes: Informer<CsiNode>;
  readonly attachments: Informer<VolumeAttachment>;
}

export interface CacheDeps {
  readonly client: Client;
  readonly clock: SteadyClock;
  readonly logger: Logger;
  readonly random: () => number;
}

const METADATA = {
  name: true,
  namespace: true,
  uid: true,
  resourceVersion: true,
  generation: true,
  deletionTimestamp: true,
  labels: true,
  ownerReferences: true,
} as const;

const SPEC = {
  schedulerName: true,
  nodeName: true,
  priority: true,
  preemptionPolicy: true,
  schedulingGates: true,
  containers: { resources: true, ports: true },
  initContainers: { resources: true, ports: true, restartPolicy: true },
  resources: true,
  overhead: true,
  nodeSelector: true,
  tolerations: true,
  affinity: true,
  topologySpreadConstraints: true,
  volumes: { name: true, persistentVolumeClaim: true, ephemeral: true },
} as const;

// Drops fields that do not affect scheduling: with 20,000 pods they are most of the memory.
const keepPending = keepFields<Pod>({
  metadata: METADATA,
  spec: SPEC,
  status: { phase: true, nominatedNodeName: true, conditions: true },
});
const keepBound = keepFields<Pod>({ metadata: METADATA, spec: SPEC, status: { phase: true } });

/** Makes the caches; the manager starts them. Pods that have ended are left out. */
export function createCaches(deps: CacheDeps): SchedulerCaches {
  const cache = <T extends ApiObject>(type: ResourceType) => new Informer<T>({ ...deps, type });
  return {
    pods: new Informer<Pod>({
      ...deps,
      type: PODS,
      selectors: { fieldSelector: 'status.phase!=Succeeded,status.phase!=Failed' },
      transform: (pod) => (pod.spec.nodeName ? keepBound(pod) : keepPending(pod)),
      sharedParts: ['metadata.labels', 'spec.containers', 'spec.tolerations'],
    }),
    nodes: cache<Node>(NODES),
    namespaces: cache(NAMESPACES),
    volumeClaims: cache<PersistentVolumeClaim>(PERSISTENT_VOLUME_CLAIMS),
    volumes: cache<PersistentVolume>(PERSISTENT_VOLUMES),
    storageClasses: cache<StorageClass>(STORAGE_CLASSES),
    csiNodes: cache<CsiNode>(CSI_NODES),
    attachments: cache<VolumeAttachment>(VOLUME_ATTACHMENTS),
  };
}
