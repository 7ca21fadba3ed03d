import { type Filter, NOTHING_TO_CHECK, rejection } from './filter.ts';

const IN_USE = rejection(
  'node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod',
  true,
);

export const claimNotFound = (name: string): string => `persistentvolumeclaim "${name}" not found`;

/** A ReadWriteOncePod volume claim must not be in use by another pod. */
export const volumeRestrictions: Filter = {
  name: 'VolumeRestrictions',
  scope: 'cluster',
  helpedBy: ['pod removed', 'storage changed'],
  concerns: ({ volumeClaims }, other) =>
    volumeClaims.some(({ key }) => other.volumeClaims.some((use) => use.key === key)),
  prepare({ volumeClaims }, snapshot) {
    let isInUse = false;
    for (const { name, key, pod } of volumeClaims) {
      if (pod !== undefined) continue;
      const volumeClaim = snapshot.storage.volumeClaims.get(key);
      if (volumeClaim === undefined) return { kind: 'rejected', reason: claimNotFound(name) };
      if (volumeClaim.spec.accessModes?.includes('ReadWriteOncePod') && snapshot.isVolumeClaimUsed(key)) isInUse = true;
    }
    return isInUse ? { kind: 'check', check: () => IN_USE } : NOTHING_TO_CHECK;
  },
};
