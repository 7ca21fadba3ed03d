import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PersistentVolume, PersistentVolumeClaim } from '@karpenter-ts/kubernetes';
import { findMismatch, findVolume, isVolumeFor } from './binding.ts';

function volume(name: string, storage: string, spec: Partial<PersistentVolume['spec']> = {}): PersistentVolume {
  return {
    metadata: { name },
    spec: { capacity: { storage }, accessModes: ['ReadWriteOnce'], storageClassName: 'fast', ...spec },
    status: { phase: 'Available' },
  };
}

function volumeClaim(storage: string, spec: Partial<PersistentVolumeClaim['spec']> = {}): PersistentVolumeClaim {
  return {
    metadata: { name: 'data', namespace: 'default', uid: 'volumeClaim' },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'fast', resources: { requests: { storage } }, ...spec },
  };
}

function found(
  volumes: readonly PersistentVolume[],
  wanted: PersistentVolumeClaim,
  isDelayed = false,
): string | undefined {
  return findVolume(volumes, wanted, { isDelayed })?.metadata.name;
}

test('the smallest volume that will do is taken, and of two the one with fewer ways of access', () => {
  assert.equal(
    found([volume('large', '10Gi'), volume('right', '2Gi'), volume('small', '1Gi')], volumeClaim('1500Mi')),
    'right',
  );
  const shared = volume('shared', '1Gi', { accessModes: ['ReadWriteOnce', 'ReadOnlyMany'] });
  assert.equal(found([shared, volume('plain', '5Gi')], volumeClaim('1Gi')), 'plain');
  assert.equal(found([volume('small', '1Gi')], volumeClaim('2Gi')), undefined);
});

test('a volume kept for the claim comes before all others, if it will do', () => {
  const kept = volume('kept', '10Gi', { claimRef: { namespace: 'default', name: 'data' } });
  assert.equal(found([volume('plain', '1Gi'), kept], volumeClaim('1Gi')), 'kept');
  assert.equal(found([volume('plain', '20Gi'), kept], volumeClaim('15Gi')), 'plain');
});

test('a claim whose node is not chosen yet gets only what was kept for it', () => {
  const kept = volume('kept', '1Gi', { claimRef: { namespace: 'default', name: 'data', uid: 'volumeClaim' } });
  assert.equal(found([volume('plain', '1Gi')], volumeClaim('1Gi'), true), undefined);
  assert.equal(found([volume('plain', '1Gi'), kept], volumeClaim('1Gi'), true), 'kept');
});

test('volumes of others, of another class or without the labels asked for are left alone', () => {
  const taken = volume('taken', '1Gi', { claimRef: { namespace: 'default', name: 'other' } });
  const released = { ...volume('released', '1Gi'), status: { phase: 'Released' } };
  assert.equal(
    found([taken, released, volume('slow', '1Gi', { storageClassName: 'slow' })], volumeClaim('1Gi')),
    undefined,
  );
  const selector = { matchLabels: { tier: 'gold' } };
  const gold = { ...volume('gold', '5Gi'), metadata: { name: 'gold', labels: { tier: 'gold' } } };
  assert.equal(found([volume('plain', '1Gi'), gold], volumeClaim('1Gi', { selector })), 'gold');
});

test('a claim of the same name is another one if the volume knows better', () => {
  const named = volume('a', '1Gi', { claimRef: { namespace: 'default', name: 'data' } });
  assert.ok(isVolumeFor(named, volumeClaim('1Gi')));
  const known = volume('a', '1Gi', { claimRef: { namespace: 'default', name: 'data', uid: 'former' } });
  assert.ok(!isVolumeFor(known, volumeClaim('1Gi')));
});

test('why a named volume will not do is said in one sentence', () => {
  assert.equal(findMismatch(volume('a', '1Gi'), volumeClaim('2Gi')), 'requested PV is too small');
  assert.equal(
    findMismatch(volume('a', '1Gi', { storageClassName: 'slow' }), volumeClaim('1Gi')),
    'storageClassName does not match',
  );
  assert.equal(
    findMismatch(volume('a', '1Gi', { volumeMode: 'Block' }), volumeClaim('1Gi')),
    'incompatible volumeMode',
  );
  assert.equal(findMismatch(volume('a', '1Gi', { accessModes: [] }), volumeClaim('1Gi')), 'incompatible accessMode');
  assert.equal(findMismatch(volume('a', '1Gi'), volumeClaim('1Gi')), undefined);
});
