import type { ResourceType } from '@karpenter-ts/runtime';

const core = (plural: string, kind: string, namespaced: boolean): ResourceType => ({
  group: '',
  version: 'v1',
  plural,
  kind,
  namespaced,
});
const grouped = (group: string, plural: string, kind: string, namespaced: boolean): ResourceType => ({
  ...core(plural, kind, namespaced),
  group,
});

/** Where the API server keeps the kinds the controllers read and write. NodeClasses are the provider's. */
export const PODS = core('pods', 'Pod', true);
export const NODES = core('nodes', 'Node', false);
export const NAMESPACES = core('namespaces', 'Namespace', false);
export const PERSISTENT_VOLUMES = core('persistentvolumes', 'PersistentVolume', false);
export const PERSISTENT_VOLUME_CLAIMS = core('persistentvolumeclaims', 'PersistentVolumeClaim', true);
export const NODE_POOLS = grouped('karpenter.sh', 'nodepools', 'NodePool', false);
export const NODE_CLAIMS = grouped('karpenter.sh', 'nodeclaims', 'NodeClaim', false);
export const SERVICES = core('services', 'Service', true);
export const REPLICATION_CONTROLLERS = core('replicationcontrollers', 'ReplicationController', true);
export const REPLICA_SETS = grouped('apps', 'replicasets', 'ReplicaSet', true);
export const STATEFUL_SETS = grouped('apps', 'statefulsets', 'StatefulSet', true);
export const DAEMON_SETS = grouped('apps', 'daemonsets', 'DaemonSet', true);
export const STORAGE_CLASSES = grouped('storage.k8s.io', 'storageclasses', 'StorageClass', false);
export const CSI_NODES = grouped('storage.k8s.io', 'csinodes', 'CSINode', false);
export const VOLUME_ATTACHMENTS = grouped('storage.k8s.io', 'volumeattachments', 'VolumeAttachment', false);
export const POD_DISRUPTION_BUDGETS = grouped('policy', 'poddisruptionbudgets', 'PodDisruptionBudget', true);
export const RESOURCE_SLICES = grouped('resource.k8s.io', 'resourceslices', 'ResourceSlice', false);
