import {
  type ApiObject,
  CONTROLLER_REVISIONS,
  controllerOf,
  type ControllerRevision,
  DAEMON_SETS,
  type DaemonSet,
  type Deployment,
  DEPLOYMENTS,
  type Job,
  JOBS,
  type Lease,
  LEASES,
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
  REPLICA_SETS,
  type ReplicaSet,
  type ResourceType,
  STATEFUL_SETS,
  type StatefulSet,
  STORAGE_CLASSES,
  type StorageClass,
} from '@karpenter-ts/kubernetes';
import { type Client, type Indexer, Informer, keepFields, type Logger, type SteadyClock } from '@karpenter-ts/runtime';

export interface CacheDeps {
  readonly client: Client;
  readonly clock: SteadyClock;
  readonly logger: Logger;
  readonly random?: () => number;
}

/** One cache of each kind, shared by all controllers and kubelets. */
export interface Caches {
  readonly pods: PodCache;
  readonly nodes: Informer<Node>;
  readonly namespaces: Informer<Namespace>;
  readonly leases: Informer<Lease>;
  readonly deployments: Informer<Deployment>;
  readonly replicaSets: Informer<ReplicaSet, 'manager'>;
  readonly statefulSets: Informer<StatefulSet>;
  readonly daemonSets: Informer<DaemonSet>;
  readonly controllerRevisions: Informer<ControllerRevision, 'manager'>;
  readonly jobs: Informer<Job>;
  readonly disruptionBudgets: Informer<PodDisruptionBudget, 'namespace'>;
  readonly persistentVolumes: Informer<PersistentVolume>;
  readonly persistentVolumeClaims: Informer<PersistentVolumeClaim>;
  readonly storageClasses: Informer<StorageClass>;
}

/**
 * Indexed by manager (`managerKey`), node, namespace, label (`<namespace>/<label>=<value>`) and volume claim
 * (`<namespace>/<name>`).
 */
export type PodCache = Informer<Pod, 'manager' | 'node' | 'label' | 'volumeClaim'>;

/** The fields of a pod that are kept. With 20,000 pods, the rest is most of the memory. */
const keepPod = keepFields<Pod>({
  apiVersion: true,
  kind: true,
  metadata: true,
  spec: {
    nodeName: true,
    containers: { name: true, image: true },
    initContainers: { name: true, image: true, restartPolicy: true },
    volumes: { name: true, persistentVolumeClaim: true, ephemeral: true },
    tolerations: true,
    affinity: { nodeAffinity: true },
    readinessGates: true,
    restartPolicy: true,
    terminationGracePeriodSeconds: true,
    hostNetwork: true,
  },
  status: true,
});

/** The index key of a manager's objects; objects without one are under their namespace. */
export function managerKey(namespace: string | undefined, uid?: string): string {
  return uid === undefined ? (namespace ?? '') : uid;
}

const byManager: Indexer<ApiObject> = ({ metadata }) => [managerKey(metadata.namespace, controllerOf(metadata)?.uid)];

/** Makes the caches; the manager starts them. */
export function createCaches(deps: CacheDeps): Caches {
  const cache = <T extends ApiObject>(type: ResourceType) => new Informer<T>({ ...deps, type });
  return {
    pods: new Informer({
      ...deps,
      type: PODS,
      transform: keepPod,
      indexes: { manager: byManager, node: byNode, label: byLabel, volumeClaim: byVolumeClaim },
    }),
    nodes: cache<Node>(NODES),
    namespaces: cache<Namespace>(NAMESPACES),
    leases: cache<Lease>(LEASES),
    deployments: cache<Deployment>(DEPLOYMENTS),
    replicaSets: new Informer<ReplicaSet, 'manager'>({ ...deps, type: REPLICA_SETS, indexes: { manager: byManager } }),
    statefulSets: cache<StatefulSet>(STATEFUL_SETS),
    daemonSets: cache<DaemonSet>(DAEMON_SETS),
    controllerRevisions: new Informer<ControllerRevision, 'manager'>({
      ...deps,
      type: CONTROLLER_REVISIONS,
      indexes: { manager: byManager },
    }),
    jobs: cache<Job>(JOBS),
    disruptionBudgets: new Informer({
      ...deps,
      type: POD_DISRUPTION_BUDGETS,
      indexes: { namespace: ({ metadata }) => [metadata.namespace ?? ''] },
    }),
    persistentVolumes: cache<PersistentVolume>(PERSISTENT_VOLUMES),
    persistentVolumeClaims: cache<PersistentVolumeClaim>(PERSISTENT_VOLUME_CLAIMS),
    storageClasses: cache<StorageClass>(STORAGE_CLASSES),
  };
}

function byNode({ spec }: Pod): readonly string[] {
  return spec.nodeName ? [spec.nodeName] : [];
}

function byLabel({ metadata }: Pod): readonly string[] {
  return Object.entries(metadata.labels ?? {}).map(([label, value]) => `${metadata.namespace}/${label}=${value}`);
}

function byVolumeClaim({ metadata, spec }: Pod): readonly string[] {
  const names = (spec.volumes ?? []).map(({ name, persistentVolumeClaim, ephemeral }) =>
    ephemeral === undefined ? persistentVolumeClaim?.claimName : `${metadata.name}-${name}`,
  );
  return names.filter((name) => name !== undefined).map((name) => `${metadata.namespace}/${name}`);
}
