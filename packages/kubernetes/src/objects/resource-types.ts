// Where the API server keeps Kubernetes' own kinds: one table for controllers, clusters, tests and benches.
import type { ResourceType } from './resource-type.ts';

type Scope = 'namespaced' | 'cluster';

const kind = (group: string, plural: string, name: string, scope: Scope): ResourceType => {
  return { group, version: 'v1', plural, kind: name, namespaced: scope === 'namespaced' };
};

export const CONFIG_MAPS = kind('', 'configmaps', 'ConfigMap', 'namespaced');
export const EVENTS = kind('', 'events', 'Event', 'namespaced');
export const NAMESPACES = kind('', 'namespaces', 'Namespace', 'cluster');
export const NODES = kind('', 'nodes', 'Node', 'cluster');
export const PERSISTENT_VOLUMES = kind('', 'persistentvolumes', 'PersistentVolume', 'cluster');
export const PERSISTENT_VOLUME_CLAIMS = kind('', 'persistentvolumeclaims', 'PersistentVolumeClaim', 'namespaced');
export const PODS = kind('', 'pods', 'Pod', 'namespaced');
export const REPLICATION_CONTROLLERS = kind('', 'replicationcontrollers', 'ReplicationController', 'namespaced');
export const SERVICES = kind('', 'services', 'Service', 'namespaced');

export const CUSTOM_RESOURCE_DEFINITIONS = kind(
  'apiextensions.k8s.io',
  'customresourcedefinitions',
  'CustomResourceDefinition',
  'cluster',
);

export const CONTROLLER_REVISIONS = kind('apps', 'controllerrevisions', 'ControllerRevision', 'namespaced');
export const DAEMON_SETS = kind('apps', 'daemonsets', 'DaemonSet', 'namespaced');
export const DEPLOYMENTS = kind('apps', 'deployments', 'Deployment', 'namespaced');
export const REPLICA_SETS = kind('apps', 'replicasets', 'ReplicaSet', 'namespaced');
export const STATEFUL_SETS = kind('apps', 'statefulsets', 'StatefulSet', 'namespaced');

export const JOBS = kind('batch', 'jobs', 'Job', 'namespaced');

export const LEASES = kind('coordination.k8s.io', 'leases', 'Lease', 'namespaced');

export const POD_DISRUPTION_BUDGETS = kind('policy', 'poddisruptionbudgets', 'PodDisruptionBudget', 'namespaced');

export const RESOURCE_SLICES = kind('resource.k8s.io', 'resourceslices', 'ResourceSlice', 'cluster');

export const CSI_NODES = kind('storage.k8s.io', 'csinodes', 'CSINode', 'cluster');
export const STORAGE_CLASSES = kind('storage.k8s.io', 'storageclasses', 'StorageClass', 'cluster');
export const VOLUME_ATTACHMENTS = kind('storage.k8s.io', 'volumeattachments', 'VolumeAttachment', 'cluster');
