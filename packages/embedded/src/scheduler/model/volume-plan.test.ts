import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import type { PersistentVolumeClaim, PersistentVolume } from '@karpenter-ts/kubernetes';
import { boundVolumeClaimObject, volumeClaimObject, inZone, lateClass, volumeObject } from '../testing/storage.ts';
import { StorageModel } from './storage-model.ts';
import { planVolumes } from './volume-plan.ts';

const HERE = { name: 'here', labels: { zone: 'z1' } };
let storage: StorageModel;

beforeEach(() => {
  storage = new StorageModel();
  storage.classes.set('late', lateClass());
});

function add(...volumes: readonly PersistentVolume[]): void {
  for (const volume of volumes) storage.volumes.set(volume.metadata.name, volume);
}

/** The plan in short: `claim=volume`, `claim+` for one to be made, or what is in the way. */
function planFor(delayed: readonly PersistentVolumeClaim[], bound: readonly PersistentVolumeClaim[] = []): string {
  const plan = planVolumes({ bound, delayed }, HERE, storage);
  if ('conflicts' in plan) return plan.conflicts.join(', ');
  const bindings = plan.bindings.map(
    ({ volumeClaim, volume }) => `${volumeClaim.metadata.name}=${volume.metadata.name}`,
  );
  return [...bindings, ...plan.provisions.map(({ metadata }) => `${metadata.name}+`)].join(' ');
}

test('the smallest volume that is large enough is taken', () => {
  const sized = (name: string, storageSize: string) => volumeObject(name, { capacity: { storage: storageSize } });
  add(sized('tiny', '500Mi'), sized('large', '5Gi'), sized('right', '2Gi'));
  assert.equal(planFor([volumeClaimObject('c')]), 'c=right');
});

test('two claims do not get one volume', () => {
  add(volumeObject('only'));
  assert.equal(planFor([volumeClaimObject('c'), volumeClaimObject('d')]), 'c=only d+');
});

test('a volume kept for the claim is taken before better ones, and only by it', () => {
  const claimRef = { namespace: 'default', name: 'c' };
  add(volumeObject('free'), volumeObject('kept', { claimRef, capacity: { storage: '9Gi' } }));
  assert.equal(planFor([volumeClaimObject('c')]), 'c=kept');
  assert.equal(planFor([volumeClaimObject('d')]), 'd=free');
});

test('a volume promised to another claim is out of the question until that is over', () => {
  add(volumeObject('only'));
  storage.promise('only', 'default/other');
  assert.equal(planFor([volumeClaimObject('c')]), 'c+');
  storage.release('default/other');
  assert.equal(planFor([volumeClaimObject('c')]), 'c=only');
});

test('volumes of another class, mode, access or selection do not fit', () => {
  add(
    volumeObject('other-class', { storageClassName: 'other' }),
    volumeObject('block', { volumeMode: 'Block' }),
    volumeObject('read-only', { accessModes: ['ReadOnlyMany'] }),
    volumeObject('elsewhere', { nodeAffinity: inZone('z2') }),
    { ...volumeObject('released'), status: { phase: 'Released' } },
  );
  assert.equal(planFor([volumeClaimObject('c')]), 'c+');
  add(volumeObject('red', {}, { colour: 'red' }), volumeObject('blue', {}, { colour: 'blue' }));
  assert.equal(planFor([volumeClaimObject('c', { selector: { matchLabels: { colour: 'blue' } } })]), 'c=blue');
});

test('without a volume one is made, if the class makes any here', () => {
  assert.equal(planFor([volumeClaimObject('c')]), 'c+');
  storage.classes.set('late', lateClass({ provisioner: 'kubernetes.io/no-provisioner' }));
  assert.equal(planFor([volumeClaimObject('c')]), 'nothing to bind');
  const topology = (value: string) => [{ matchLabelExpressions: [{ key: 'zone', values: [value] }] }];
  storage.classes.set('late', lateClass({ allowedTopologies: topology('z2') }));
  assert.equal(planFor([volumeClaimObject('c')]), 'nothing to bind');
  storage.classes.set('late', lateClass({ allowedTopologies: topology('z1') }));
  assert.equal(planFor([volumeClaimObject('c')]), 'c+');
});

test('a claim whose volume is being made for another node cannot be had here', () => {
  add(volumeObject('free'));
  storage.volumeClaims.set('default/c', volumeClaimObject('c', {}, { 'volume.kubernetes.io/selected-node': 'there' }));
  assert.equal(planFor([storage.volumeClaims.get('default/c')!]), 'nothing to bind');
  storage.choose('default/c', 'here');
  assert.equal(
    planFor([storage.volumeClaims.get('default/c')!]),
    'c+',
    'made for this node: no other volume is looked for',
  );
});

test('bound volumes must exist and be within reach', () => {
  add(volumeObject('near', { nodeAffinity: inZone('z1') }), volumeObject('far', { nodeAffinity: inZone('z2') }));
  assert.equal(planFor([], [boundVolumeClaimObject('c', 'near')]), '');
  assert.equal(planFor([], [boundVolumeClaimObject('c', 'far')]), 'volume elsewhere');
  assert.equal(planFor([], [boundVolumeClaimObject('c', 'gone')]), 'volume missing');
});
