import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { UnsupportedVolumes } from '@karpenter-ts/cloudprovider';
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '@karpenter-ts/kubernetes';
import { pendingPod } from '../testing/cluster-objects.ts';
import { findVolumeFault } from './volume-checks.ts';

interface Storage {
  readonly claim?: Partial<Omit<PersistentVolumeClaim, 'metadata'>> & { readonly metadata?: object };
  readonly volume?: Partial<PersistentVolume['spec']> & { readonly metadata?: object };
  readonly storageClass?: Partial<StorageClass>;
  readonly unsupported?: Partial<UnsupportedVolumes>;
}

/** What is wrong with a pod whose volume claim `data` is backed like this; nothing at all is there unless given. */
function faultOf({ claim, volume, storageClass, unsupported }: Storage, ephemeral = false): string | undefined {
  const name = ephemeral ? 'pod-data' : 'data';
  const backed = claim && { spec: {}, ...claim, metadata: { name, namespace: 'default', ...claim.metadata } };
  const { metadata, ...spec } = volume ?? {};
  return findVolumeFault(
    pendingPod('pod', {
      volumes: [
        { name: 'scratch' },
        ephemeral ? { name: 'data', ephemeral: {} } : { name: 'data', persistentVolumeClaim: { claimName: 'data' } },
      ],
    }),
    {
      persistentVolumeClaims: new Map(backed ? [[`default/${name}`, backed]] : []),
      persistentVolumes: new Map(volume ? [['pv', { metadata: { name: 'pv', ...metadata }, spec }]] : []),
      storageClasses: new Map(
        storageClass ? [['sc', { metadata: { name: 'sc' }, provisioner: 'driver', ...storageClass }]] : [],
      ),
    },
    unsupported && { drivers: new Set(), topologyKeys: new Set(), ...unsupported },
  );
}

const BOUND = {
  metadata: { annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
  spec: { volumeName: 'pv' },
} as const;
const UNBOUND = { spec: { storageClassName: 'sc' } } as const;
const LATE = { volumeBindingMode: 'WaitForFirstConsumer' } as const;
const GONE = { deletionTimestamp: '2026-01-01T00:00:00Z' };

test('a pod without volume claims has no trouble with them', () => {
  assert.equal(findVolumeFault(pendingPod('a'), { ...EMPTY }, undefined), undefined);
});

const EMPTY = { persistentVolumeClaims: new Map(), persistentVolumes: new Map(), storageClasses: new Map() };

test('02/74 a volume claim, storage class or volume that is not there keeps its pod from being planned for', () => {
  assert.equal(
    faultOf({}),
    'getting persistent volume claim, PersistentVolumeClaim "data" not found (PersistentVolumeClaim=data)',
  );
  assert.equal(
    faultOf({ claim: UNBOUND }),
    'failed to validate pvc, failed to get storage class, StorageClass.storage.k8s.io "sc" not found ' +
      '(PersistentVolumeClaim=default/data, StorageClass=sc)',
  );
  assert.equal(
    faultOf({ claim: BOUND }),
    'failed to validate pvc, PersistentVolume "pv" not found ' +
      '(PersistentVolume=pv, PersistentVolumeClaim=default/data, StorageClass=)',
  );
  assert.equal(
    faultOf({ claim: {} }),
    'unbound pvc must define a storage class (PersistentVolumeClaim=default/data, StorageClass=)',
  );
});

test('02/74 a volume claim that is bound needs no storage class', () => {
  assert.equal(faultOf({ claim: BOUND, volume: {} }), undefined);
  const named = { ...BOUND, spec: { volumeName: 'pv', storageClassName: 'gone' } };
  assert.equal(faultOf({ claim: named, volume: {} }), undefined);
  assert.equal(faultOf({ claim: UNBOUND, storageClass: LATE }), undefined);
});

test('02/75 a volume claim or volume that is deleting, lost or not quite bound keeps its pod waiting', () => {
  assert.equal(
    faultOf({ claim: { ...UNBOUND, metadata: GONE }, storageClass: LATE }),
    'persistentvolumeclaim is being deleted (PersistentVolumeClaim=default/data)',
  );
  assert.equal(
    faultOf({ claim: { ...BOUND, status: { phase: 'Lost' } } }),
    'persistentvolumeclaim bound to non-existent persistentvolume ' +
      '(PersistentVolume=pv, PersistentVolumeClaim=default/data)',
  );
  assert.equal(
    faultOf({ claim: BOUND, volume: { metadata: GONE } }),
    'failed to validate pvc, persistentvolume is being deleted ' +
      '(PersistentVolume=pv, PersistentVolumeClaim=default/data, StorageClass=)',
  );
  assert.equal(
    faultOf({ claim: UNBOUND, storageClass: { volumeBindingMode: 'Immediate' } }),
    'failed to validate pvc, pvc with immediate volume binding mode must be bound ' +
      '(PersistentVolumeClaim=default/data, StorageClass=sc)',
  );
});

test('02/75 02/166 a volume claim that names its volume is bound only once the binder says so', () => {
  assert.equal(
    faultOf({ claim: { spec: BOUND.spec }, volume: {} }),
    'pvc is considered unbound because it does not contain annotation ' +
      '(PersistentVolume=pv, PersistentVolumeClaim=data, annotation=pv.kubernetes.io/bind-completed)',
  );
  assert.equal(faultOf({ claim: BOUND, volume: {} }), undefined);
});

test('02/164 what a provider cannot attach, or place, is not planned for', () => {
  const unsupported = { drivers: new Set(['driver', 'csi']), topologyKeys: new Set(['rack']) };
  assert.equal(
    faultOf({ claim: UNBOUND, storageClass: LATE, unsupported }),
    'failed to validate pvc, provisioner is not supported ' +
      '(PersistentVolumeClaim=default/data, Provisioner=driver, StorageClass=sc)',
  );
  assert.equal(
    faultOf({ claim: BOUND, volume: { csi: { driver: 'csi' } }, unsupported }),
    'failed to validate pvc, provisioner is not supported ' +
      '(PersistentVolumeClaim=default/data, Provisioner=csi, StorageClass=)',
  );
  const racked = { ...LATE, allowedTopologies: [{ matchLabelExpressions: [{ key: 'rack', values: ['1'] }] }] };
  assert.equal(
    faultOf({ claim: UNBOUND, storageClass: racked, unsupported }),
    'failed to validate pvc, storage class uses unsupported topology key ' +
      '(PersistentVolumeClaim=default/data, StorageClass=sc, TopologyKey=rack)',
  );
  assert.equal(faultOf({ claim: UNBOUND, storageClass: { ...LATE, provisioner: 'other' }, unsupported }), undefined);
});

test('02/165 an ephemeral volume is looked up as the volume claim named after pod and volume', () => {
  assert.match(faultOf({}, true) ?? '', /PersistentVolumeClaim "pod-data" not found/);
  assert.equal(faultOf({ claim: BOUND, volume: {} }, true), undefined);
});
