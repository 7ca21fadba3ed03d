import { apiVersionOf, type ServedResource, type Subresource, type Verb } from '../resources.ts';
import { schemaOf } from './go-schema.ts';

const ALL_VERBS: readonly Verb[] = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const PART_VERBS: readonly Verb[] = ['get', 'patch', 'update'];

interface Row {
  readonly kind: string;
  /** Where it is not the kind in lower case with an `s`. */
  readonly plural?: string;
  readonly scope?: 'Cluster';
  readonly short?: readonly string[];
  readonly categories?: readonly string[];
  readonly verbs?: readonly Verb[];
  readonly subresources?: readonly (keyof typeof SUBRESOURCES)[];
}

/** What the subresources of built-in kinds speak; those that speak the kind itself name none. */
const SUBRESOURCES = {
  status: { verbs: PART_VERBS },
  scale: { group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: PART_VERBS },
  binding: { group: '', version: 'v1', kind: 'Binding', verbs: ['create'] },
  eviction: { group: 'policy', version: 'v1', kind: 'Eviction', verbs: ['create'] },
  finalize: { verbs: ['update'] },
  ephemeralcontainers: { verbs: PART_VERBS },
  resize: { verbs: PART_VERBS },
} as const satisfies Readonly<Record<string, Partial<Subresource>>>;

/** Every kind that is there without a CRD, by group and version. */
const ROWS: Readonly<Record<string, readonly Row[]>> = {
  '': [
    { kind: 'ConfigMap', short: ['cm'] },
    { kind: 'Endpoints', plural: 'endpoints', short: ['ep'] },
    { kind: 'Event', short: ['ev'] },
    { kind: 'LimitRange', short: ['limits'] },
    {
      kind: 'Namespace',
      scope: 'Cluster',
      short: ['ns'],
      verbs: ALL_VERBS.filter((verb) => verb !== 'deletecollection'),
      subresources: ['finalize', 'status'],
    },
    { kind: 'Node', scope: 'Cluster', short: ['no'], subresources: ['status'] },
    { kind: 'PersistentVolumeClaim', short: ['pvc'], subresources: ['status'] },
    { kind: 'PersistentVolume', scope: 'Cluster', short: ['pv'], subresources: ['status'] },
    {
      kind: 'Pod',
      short: ['po'],
      categories: ['all'],
      subresources: ['binding', 'ephemeralcontainers', 'eviction', 'resize', 'status'],
    },
    { kind: 'PodTemplate' },
    { kind: 'ReplicationController', short: ['rc'], categories: ['all'], subresources: ['scale', 'status'] },
    { kind: 'ResourceQuota', short: ['quota'], subresources: ['status'] },
    { kind: 'Secret' },
    { kind: 'ServiceAccount', short: ['sa'] },
    { kind: 'Service', short: ['svc'], categories: ['all'], subresources: ['status'] },
  ],
  apps: [
    { kind: 'ControllerRevision' },
    { kind: 'DaemonSet', short: ['ds'], categories: ['all'], subresources: ['status'] },
    { kind: 'Deployment', short: ['deploy'], categories: ['all'], subresources: ['scale', 'status'] },
    { kind: 'ReplicaSet', short: ['rs'], categories: ['all'], subresources: ['scale', 'status'] },
    { kind: 'StatefulSet', short: ['sts'], categories: ['all'], subresources: ['scale', 'status'] },
  ],
  batch: [{ kind: 'Job', categories: ['all'], subresources: ['status'] }],
  policy: [{ kind: 'PodDisruptionBudget', short: ['pdb'], subresources: ['status'] }],
  'storage.k8s.io': [
    { kind: 'CSIDriver', scope: 'Cluster' },
    { kind: 'CSINode', scope: 'Cluster' },
    { kind: 'StorageClass', plural: 'storageclasses', scope: 'Cluster', short: ['sc'] },
    { kind: 'VolumeAttachment', scope: 'Cluster', subresources: ['status'] },
  ],
  'coordination.k8s.io': [{ kind: 'Lease' }],
  'scheduling.k8s.io': [{ kind: 'PriorityClass', plural: 'priorityclasses', scope: 'Cluster', short: ['pc'] }],
  'events.k8s.io': [{ kind: 'Event', short: ['ev'] }],
  'rbac.authorization.k8s.io': [
    { kind: 'ClusterRoleBinding', scope: 'Cluster' },
    { kind: 'ClusterRole', scope: 'Cluster' },
    { kind: 'RoleBinding' },
    { kind: 'Role' },
  ],
  'apiextensions.k8s.io': [
    {
      kind: 'CustomResourceDefinition',
      scope: 'Cluster',
      short: ['crd', 'crds'],
      categories: ['api-extensions'],
      subresources: ['status'],
    },
  ],
};

/** The resources every server has from the start, all in version v1. */
export const BUILTIN_RESOURCES: readonly ServedResource[] = Object.entries(ROWS).flatMap(([group, rows]) =>
  rows.map((row) => served(group, row)),
);

function served(group: string, row: Row): ServedResource {
  const { kind } = row;
  const singular = kind.toLowerCase();
  return {
    group,
    version: 'v1',
    plural: row.plural ?? `${singular}s`,
    singular,
    kind,
    listKind: `${kind}List`,
    shortNames: row.short ?? [],
    categories: row.categories ?? [],
    namespaced: row.scope !== 'Cluster',
    verbs: row.verbs ?? ALL_VERBS,
    subresources: (row.subresources ?? []).map((name) => ({ name, group, version: 'v1', kind, ...SUBRESOURCES[name] })),
    columns: [],
    get schema() {
      return schemaOf(goTypeOf({ group, kind })); // made when asked for: most servers never are
    },
  };
}

/** The name of a built-in kind among the Go types: `core.Pod`, `storage.CSINode`. */
export function goTypeOf({ group, kind }: { readonly group: string; readonly kind: string }): string {
  return `${group === '' ? 'core' : group.split('.')[0]}.${kind}`;
}

/** The resource of this plural in this group and version, if it is built in. */
export function findBuiltin(group: string, version: string, plural: string): ServedResource | undefined {
  return BY_PATH.get(`${apiVersionOf({ group, version })}/${plural}`);
}

const BY_PATH: ReadonlyMap<string, ServedResource> = new Map(
  BUILTIN_RESOURCES.map((resource) => [`${apiVersionOf(resource)}/${resource.plural}`, resource]),
);
