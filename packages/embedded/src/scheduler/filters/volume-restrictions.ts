import { type Filter, NOTHING_TO_CHECK, rejection } from './filter.ts';

const IN_USE = rejection(
  'node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod',
  true,
);

export const claimNotFound = (name: string): string => `persistentvolumeclaim "${name}" not found`;

/** A claim that only one pod may use at a time is not given to a second. */
export const volumeRestrictions: Filter = {
  name: 'VolumeRestrictions',
  scope: 'cluster',
  helpedBy: ['pod removed', 'storage changed'],
  concerns: ({ claims }, other) => claims.some(({ key }) => other.claims.some((use) => use.key === key)),
  prepare({ claims }, snapshot) {
    let isInUse = false;
    for (const { name, key, pod } of claims) {
      if (pod !== undefined) continue;
      const claim = snapshot.storage.claims.get(key);
      if (claim === undefined) return { kind: 'rejected', reason: claimNotFound(name) };
      if (claim.spec.accessModes?.includes('ReadWriteOncePod') && snapshot.isVolumeClaimUsed(key)) isInUse = true;
    }
    return isInUse ? { kind: 'check', check: () => IN_USE } : NOTHING_TO_CHECK;
  },
};
