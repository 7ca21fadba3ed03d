import {
  BIND_COMPLETED,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type StorageClass,
} from '@karpenter-ts/kubernetes';

/** A claim for 1 GiB of the class `late`, in the namespace `default`. */
export function volumeClaimObject(
  name: string,
  spec: Partial<PersistentVolumeClaim['spec']> = {},
  annotations: Readonly<Record<string, string>> = {},
): PersistentVolumeClaim {
  const resources = { requests: { storage: '1Gi' } };
  return {
    metadata: { name, namespace: 'default', uid: `uid-${name}`, resourceVersion: '1', annotations },
    spec: { storageClassName: 'late', accessModes: ['ReadWriteOnce'], resources, ...spec },
  };
}

export function boundVolumeClaimObject(
  name: string,
  volumeName: string,
  spec: Partial<PersistentVolumeClaim['spec']> = {},
): PersistentVolumeClaim {
  return volumeClaimObject(name, { volumeName, ...spec }, { [BIND_COMPLETED]: 'yes' });
}

/** A free volume of 1 GiB of the class `late`. */
export function volumeObject(
  name: string,
  spec: Partial<PersistentVolume['spec']> = {},
  labels = {},
): PersistentVolume {
  return {
    metadata: { name, labels, resourceVersion: '1' },
    spec: { capacity: { storage: '1Gi' }, storageClassName: 'late', accessModes: ['ReadWriteOnce'], ...spec },
    status: { phase: 'Available' },
  };
}

/** A class whose volumes wait for their first pod. */
export function lateClass(options: Partial<StorageClass> = {}): StorageClass {
  const volumeBindingMode = 'WaitForFirstConsumer';
  return { metadata: { name: 'late' }, provisioner: 'example.com/disks', volumeBindingMode, ...options };
}

/** Within reach of the nodes of a zone only. */
export function inZone(zone: string): NonNullable<PersistentVolume['spec']['nodeAffinity']> {
  return { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: [zone] }] }] } };
}
