import { ZONE_LABEL } from '@karpenter-ts/apis';
import type { CsiNode, PersistentVolume, PersistentVolumeClaim, Pod, StorageClass } from '@karpenter-ts/kubernetes';
import { CREATED_AT } from './cluster.ts';

const DRIVER = 'ebs.csi.aws.com';
const VOLUMES_PER_NODE = 25;

/** Volumes are created in the zone of their first pod. */
export const STORAGE_CLASS: StorageClass = {
  metadata: { name: 'gp3', uid: 'uid-of-gp3', creationTimestamp: CREATED_AT },
  provisioner: DRIVER,
  volumeBindingMode: 'WaitForFirstConsumer',
};

/** The volume of a pod, and the claim by its pod's name that it is bound to. */
export function volumeOf({ metadata: { name, namespace = '' } }: Pod, zone: string) {
  const volumeName = `volume-of-${name}`;
  const inZone = { matchExpressions: [{ key: ZONE_LABEL, operator: 'In', values: [zone] }] };
  const volumeClaim: PersistentVolumeClaim = {
    metadata: { name, namespace, uid: `uid-of-claim-${name}`, creationTimestamp: CREATED_AT },
    spec: { volumeName, storageClassName: STORAGE_CLASS.metadata.name },
    status: { phase: 'Bound' },
  };
  const persistentVolume: PersistentVolume = {
    metadata: { name: volumeName, uid: `uid-of-${volumeName}`, creationTimestamp: CREATED_AT },
    spec: {
      storageClassName: STORAGE_CLASS.metadata.name,
      csi: { driver: DRIVER, volumeHandle: volumeName },
      claimRef: { namespace, name },
      nodeAffinity: { required: { nodeSelectorTerms: [inZone] } },
    },
    status: { phase: 'Bound' },
  };
  return { volumeClaim, persistentVolume };
}

/** The CSINode of a node, with the limit of most EC2 types. */
export function volumeLimitOf(node: string): CsiNode {
  return {
    metadata: { name: node, uid: `uid-of-csi-${node}`, creationTimestamp: CREATED_AT },
    spec: { drivers: [{ name: DRIVER, allocatable: { count: VOLUMES_PER_NODE } }] },
  };
}
