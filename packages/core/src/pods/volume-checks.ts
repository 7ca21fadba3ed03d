import type { UnsupportedVolumes } from '@karpenter-ts/cloudprovider';
import { type Fields, LoggedRef, notFoundText, StructuredError } from '@karpenter-ts/runtime';
import {
  objectKey,
  type ObjectRef,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  STORAGE_CLASSES,
  type StorageClass,
} from '@karpenter-ts/kubernetes';
import { type Backing, driverOf } from '@karpenter-ts/scheduling';

/** Lookups of storage objects; the caches provide them. */
export interface StorageObjects {
  readonly persistentVolumeClaims: Lookup<PersistentVolumeClaim>;
  readonly persistentVolumes: Lookup<PersistentVolume>;
  readonly storageClasses: Lookup<StorageClass>;
}

type PodVolume = NonNullable<Pod['spec']['volumes']>[number];

interface Lookup<T> {
  get(key: string): T | undefined;
}

/** The annotation that the volume binder sets when it is done. */
const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed';

/**
 * Why the pod cannot run on any node: its first volume that is missing or not usable yet (spec 02 §15.1), in upstream's
 * words. Undefined if nothing is wrong.
 */
export function findVolumeFault(
  pod: Pod,
  objects: StorageObjects,
  unsupported: UnsupportedVolumes | undefined,
): string | undefined {
  for (const volume of pod.spec.volumes ?? []) {
    const name = volumeClaimNameOf(pod, volume);
    if (name === undefined) continue;
    const fault = findVolumeClaimFault({ namespace: pod.metadata.namespace, name }, objects, unsupported);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** The name of the PersistentVolumeClaim behind a volume; undefined for volumes without one (emptyDir, hostPath, …). */
export function volumeClaimNameOf({ metadata }: Pod, volume: PodVolume): string | undefined {
  const { name, persistentVolumeClaim, ephemeral } = volume;
  return persistentVolumeClaim?.claimName ?? (ephemeral === undefined ? undefined : `${metadata.name}-${name}`);
}

/** The message about a PersistentVolumeClaim that does not exist. */
export function missingVolumeClaimText(name: string): string {
  const missing = notFoundText(PERSISTENT_VOLUME_CLAIMS, name);
  return text(`getting persistent volume claim, ${missing}`, { PersistentVolumeClaim: name });
}

function findVolumeClaimFault(
  ref: ObjectRef,
  objects: StorageObjects,
  unsupported: UnsupportedVolumes | undefined,
): string | undefined {
  const volumeClaim = objects.persistentVolumeClaims.get(objectKey(ref));
  if (volumeClaim === undefined) return missingVolumeClaimText(ref.name);
  const { metadata, status, spec } = volumeClaim;
  const values = { PersistentVolumeClaim: new LoggedRef(metadata) };
  if (metadata.deletionTimestamp !== undefined) return text('persistentvolumeclaim is being deleted', values);
  if (status?.phase === 'Lost') {
    const lost = { ...values, PersistentVolume: spec.volumeName ?? '' };
    return text('persistentvolumeclaim bound to non-existent persistentvolume', lost);
  }
  return spec.volumeName
    ? findBoundFault(volumeClaim, spec.volumeName, objects, unsupported)
    : findUnboundFault(volumeClaim, objects, unsupported);
}

function findBoundFault(
  volumeClaim: PersistentVolumeClaim,
  volumeName: string,
  { persistentVolumes }: StorageObjects,
  unsupported: UnsupportedVolumes | undefined,
): string | undefined {
  const { metadata, spec } = volumeClaim;
  const claimed = { PersistentVolumeClaim: new LoggedRef(metadata), StorageClass: spec.storageClassName ?? '' };
  const unusable = (problem: string) =>
    text(`failed to validate pvc, ${problem}`, { ...claimed, PersistentVolume: volumeName });
  const volume = persistentVolumes.get(volumeName);
  if (volume === undefined) return unusable(notFoundText(PERSISTENT_VOLUMES, volumeName));
  if (volume.metadata.deletionTimestamp !== undefined) return unusable('persistentvolume is being deleted');
  if (metadata.annotations?.[BIND_COMPLETED] === undefined) {
    const values = { annotation: BIND_COMPLETED, PersistentVolumeClaim: metadata.name, PersistentVolume: volumeName };
    return text('pvc is considered unbound because it does not contain annotation', values);
  }
  return findDriverFault({ kind: 'bound', volumeClaim, volume }, claimed, unsupported);
}

function findUnboundFault(
  volumeClaim: PersistentVolumeClaim,
  { storageClasses }: StorageObjects,
  unsupported: UnsupportedVolumes | undefined,
): string | undefined {
  const name = volumeClaim.spec.storageClassName ?? '';
  const values = { PersistentVolumeClaim: new LoggedRef(volumeClaim.metadata), StorageClass: name };
  if (name === '') return text('unbound pvc must define a storage class', values);
  const storageClass = storageClasses.get(name);
  if (storageClass === undefined) {
    const missing = notFoundText(STORAGE_CLASSES, name);
    return text(`failed to validate pvc, failed to get storage class, ${missing}`, values);
  }
  if (storageClass.volumeBindingMode === 'Immediate') {
    return text('failed to validate pvc, pvc with immediate volume binding mode must be bound', values);
  }
  const TopologyKey = findUnsupportedKey(storageClass, unsupported);
  if (TopologyKey !== undefined) {
    const problem = 'failed to validate pvc, storage class uses unsupported topology key';
    return text(problem, { ...values, TopologyKey });
  }
  return findDriverFault({ kind: 'unbound', volumeClaim, storageClass }, values, unsupported);
}

function findUnsupportedKey(
  { allowedTopologies = [] }: StorageClass,
  unsupported: UnsupportedVolumes | undefined,
): string | undefined {
  const keys = allowedTopologies.flatMap(({ matchLabelExpressions = [] }) =>
    matchLabelExpressions.map(({ key }) => key),
  );
  return keys.find((key) => unsupported?.topologyKeys.has(key));
}

function findDriverFault(
  backing: Exclude<Backing, { kind: 'missing' }>,
  values: Fields,
  unsupported: UnsupportedVolumes | undefined,
): string | undefined {
  const Provisioner = driverOf(backing) ?? '';
  if (!unsupported?.drivers.has(Provisioner)) return undefined;
  return text('failed to validate pvc, provisioner is not supported', { ...values, Provisioner });
}

function text(problem: string, values: Fields): string {
  return new StructuredError(problem, values).message;
}
