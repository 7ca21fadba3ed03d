import {
  compareQuantities,
  labelSelectorFrom,
  matchesLabels,
  type ObjectReference,
  parseQuantity,
  type PersistentVolume,
  type PersistentVolumeClaim,
} from '@karpenter-ts/kubernetes';

export const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed';
export const BOUND_BY_CONTROLLER = 'pv.kubernetes.io/bound-by-controller';
export const PROVISIONED_BY = 'pv.kubernetes.io/provisioned-by';
/** The node the scheduler selected for the pod that needs the volume claim: the volume must be provisioned for it. */
export const SELECTED_NODE = 'volume.kubernetes.io/selected-node';

/** Whether a volume is bound to a volume claim, or reserved for it. */
export function isVolumeFor({ spec }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  const { claimRef } = spec;
  if (claimRef?.name !== metadata.name || claimRef.namespace !== metadata.namespace) return false;
  return !claimRef.uid || claimRef.uid === metadata.uid;
}

/** Why a volume does not satisfy a volume claim, in the words of the event; undefined if it does. */
export function findMismatch(volume: PersistentVolume, volumeClaim: PersistentVolumeClaim): string | undefined {
  if (volume.metadata.deletionTimestamp !== undefined) {
    return `the volume is marked for deletion "${volume.metadata.name}"`;
  }
  if (isTooSmall(volume, volumeClaim)) return 'requested PV is too small';
  if ((volume.spec.storageClassName ?? '') !== (volumeClaim.spec.storageClassName ?? '')) {
    return 'storageClassName does not match';
  }
  if (isOtherMode(volume, volumeClaim)) return 'incompatible volumeMode';
  return hasAccessModes(volume, volumeClaim) ? undefined : 'incompatible accessMode';
}

/**
 * The volume for a volume claim: the one reserved for it, else the smallest available one that satisfies it. With
 * delayed binding (`isDelayed`) only a reserved one.
 */
export function findVolume(
  volumes: readonly PersistentVolume[],
  volumeClaim: PersistentVolumeClaim,
  { isDelayed }: { readonly isDelayed: boolean },
): PersistentVolume | undefined {
  const fitting = volumes.filter(
    (volume) =>
      volume.metadata.deletionTimestamp === undefined &&
      !isTooSmall(volume, volumeClaim) &&
      !isOtherMode(volume, volumeClaim) &&
      hasAccessModes(volume, volumeClaim),
  );
  const kept = fitting.find((volume) => isVolumeFor(volume, volumeClaim));
  if (kept !== undefined || isDelayed) return kept;
  const selector = volumeClaim.spec.selector === undefined ? undefined : labelSelectorFrom(volumeClaim.spec.selector);
  return fitting
    .filter(
      ({ metadata, spec, status }) =>
        spec.claimRef === undefined &&
        status?.phase === 'Available' &&
        (spec.storageClassName ?? '') === (volumeClaim.spec.storageClassName ?? '') &&
        (selector === undefined || matchesLabels(selector, metadata.labels ?? {})),
    )
    .toSorted(compareSizes)[0];
}

function isTooSmall(volume: PersistentVolume, volumeClaim: PersistentVolumeClaim): boolean {
  const requested = parseQuantity(volumeClaim.spec.resources?.requests?.storage ?? '0');
  return compareQuantities(sizeOf(volume), requested) < 0;
}

function sizeOf({ spec }: PersistentVolume): ReturnType<typeof parseQuantity> {
  return parseQuantity(spec.capacity?.['storage'] ?? '0');
}

/** A volume needs at least the required access modes, and one with fewer others is preferred. */
function compareSizes(a: PersistentVolume, b: PersistentVolume): number {
  const modes = (a.spec.accessModes?.length ?? 0) - (b.spec.accessModes?.length ?? 0);
  return modes || compareQuantities(sizeOf(a), sizeOf(b)) || (a.metadata.name < b.metadata.name ? -1 : 1);
}

function isOtherMode(volume: PersistentVolume, volumeClaim: PersistentVolumeClaim): boolean {
  return (volume.spec.volumeMode ?? 'Filesystem') !== (volumeClaim.spec.volumeMode ?? 'Filesystem');
}

function hasAccessModes(volume: PersistentVolume, volumeClaim: PersistentVolumeClaim): boolean {
  return (volumeClaim.spec.accessModes ?? []).every((mode) => volume.spec.accessModes?.includes(mode));
}

export function refTo({ metadata }: PersistentVolumeClaim): ObjectReference {
  const { namespace = '', name, uid = '', resourceVersion = '' } = metadata;
  return { kind: 'PersistentVolumeClaim', apiVersion: 'v1', namespace, name, uid, resourceVersion };
}
