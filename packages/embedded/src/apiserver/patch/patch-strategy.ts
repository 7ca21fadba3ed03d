import type { GoType } from '../kinds/go-types.ts';

/** How a strategic merge patch meets one field of a built-in kind. */
export interface PatchStrategy {
  /** As OpenAPI says it: lists merge, objects are replaced or lose the members a patch does not retain. */
  readonly strategy: 'merge' | 'merge,retainKeys' | 'replace' | 'retainKeys';
  /** The member that tells the elements of a merged list apart; '' when they are scalars. */
  readonly key: string;
}

/** The strategy of a struct's field. Without one, objects merge member by member and lists are replaced. */
export function findPatchStrategy(type: GoType, field: string): PatchStrategy | undefined {
  return type.form === 'struct' ? STRATEGIES.get(`${type.name}.${field}`) : undefined;
}

const CONDITIONED = [
  'apps.DaemonSetStatus',
  'apps.DeploymentStatus',
  'apps.ReplicaSetStatus',
  'apps.StatefulSetStatus',
  'batch.JobStatus',
  'core.NamespaceStatus',
  'core.NodeStatus',
  'core.PersistentVolumeClaimStatus',
  'core.PodStatus',
  'core.ReplicationControllerStatus',
  'core.ServiceStatus',
  'policy.PodDisruptionBudgetStatus',
];

/** Struct and fields with their merge keys: what the `patchMergeKey` tags of k8s.io/api say. */
const MERGE_KEYS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ...Object.fromEntries(CONDITIONED.map((struct) => [struct, { conditions: 'type' }])),
  'core.Container': { env: 'name', ports: 'containerPort', volumeDevices: 'devicePath', volumeMounts: 'mountPath' },
  'core.ContainerStatus': { allocatedResourcesStatus: 'name', volumeMounts: 'mountPath' },
  'core.EphemeralContainer': {
    env: 'name',
    ports: 'containerPort',
    volumeDevices: 'devicePath',
    volumeMounts: 'mountPath',
  },
  'core.NodeSpec': { podCIDRs: '' },
  'core.NodeStatus': { addresses: 'type', conditions: 'type' },
  'core.PodSpec': {
    containers: 'name',
    ephemeralContainers: 'name',
    hostAliases: 'ip',
    imagePullSecrets: 'name',
    initContainers: 'name',
    resourceClaims: 'name',
    schedulingGates: 'name',
    topologySpreadConstraints: 'topologyKey',
    volumes: 'name',
  },
  'core.PodStatus': { conditions: 'type', hostIPs: 'ip', podIPs: 'ip', resourceClaimStatuses: 'name' },
  'core.ServiceAccount': { secrets: 'name' },
  'core.ServiceSpec': { ports: 'port' },
  'meta.ObjectMeta': { finalizers: '', ownerReferences: 'uid' },
  'storage.CSINodeSpec': { drivers: 'name' },
};

/** Lists whose elements are unions: of their members, a patch keeps those it names. */
const UNIONS: ReadonlySet<string> = new Set([
  'core.PodSpec.resourceClaims',
  'core.PodSpec.volumes',
  'core.PodStatus.resourceClaimStatuses',
]);

const STRATEGIES: ReadonlyMap<string, PatchStrategy> = new Map([
  ['apps.DeploymentSpec.strategy', { strategy: 'retainKeys', key: '' }],
  ['policy.PodDisruptionBudgetSpec.selector', { strategy: 'replace', key: '' }],
  ...Object.entries(MERGE_KEYS).flatMap(([struct, fields]) =>
    Object.entries(fields).map(([field, key]): [string, PatchStrategy] => {
      const path = `${struct}.${field}`;
      return [path, { strategy: UNIONS.has(path) ? 'merge,retainKeys' : 'merge', key }];
    }),
  ),
]);
