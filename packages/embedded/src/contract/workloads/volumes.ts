import assert from 'node:assert/strict';
import type { ApiObject } from '@karpenter-ts/runtime';
import { EVENTS } from '@karpenter-ts/runtime/kinds';
import { PERSISTENT_VOLUME_CLAIMS, type PersistentVolumeClaim } from '../../workloads/kinds/persistent-volume-claim.ts';
import { PERSISTENT_VOLUMES, type PersistentVolume } from '../../workloads/kinds/persistent-volume.ts';
import { PODS, type Pod } from '../../workloads/kinds/pod.ts';
import { STORAGE_CLASSES } from '../../workloads/kinds/storage-class.ts';
import type { ContractCase } from '../contract-case.ts';
import { type Yard, yardCase } from './yard.ts';

/** A volume that holds nothing; by default of a class of the case's own, so that no other claim takes it. */
async function createVolume(yard: Yard, name: string, storage: string, spec: object = {}): Promise<string> {
  const full = yard.context.unique(name);
  await yard.create(PERSISTENT_VOLUMES, {
    metadata: { name: full },
    spec: {
      capacity: { storage },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: 'Retain',
      storageClassName: yard.namespace,
      csi: { driver: 'workloads.test', volumeHandle: full },
      ...spec,
    },
  });
  yard.context.defer(() => yard.delete(PERSISTENT_VOLUMES, full));
  return full;
}

function createClaim(yard: Yard, name: string, storage: string, spec: object = {}): Promise<PersistentVolumeClaim> {
  return yard.create<PersistentVolumeClaim>(PERSISTENT_VOLUME_CLAIMS, {
    metadata: { name },
    spec: {
      accessModes: ['ReadWriteOnce'],
      storageClassName: yard.namespace,
      resources: { requests: { storage } },
      ...spec,
    },
  });
}

/** A class that binds late, and is known to: claims of a class that the controller has not seen yet are bound at once. */
async function createLateClass(yard: Yard): Promise<void> {
  await yard.create(STORAGE_CLASSES, {
    metadata: { name: yard.namespace },
    provisioner: 'kubernetes.io/no-provisioner',
    volumeBindingMode: 'WaitForFirstConsumer',
  });
  yard.context.defer(() => yard.delete(STORAGE_CLASSES, yard.namespace));
  await createClaim(yard, 'probe', '1Pi'); // no volume is as large
  await yard.context.until('the class is known to bind late', async () => {
    const events = await yard.list<ApiObject & { readonly reason: string }>(EVENTS);
    return events.some(({ reason }) => reason === 'WaitForFirstConsumer');
  });
}

function claimBound(yard: Yard, name: string): Promise<PersistentVolumeClaim> {
  return yard.until<PersistentVolumeClaim>(
    PERSISTENT_VOLUME_CLAIMS,
    name,
    'is bound',
    ({ status }) => status?.phase === 'Bound',
  );
}

function volumeIs(yard: Yard, name: string, phase: string): Promise<PersistentVolume> {
  return yard.until<PersistentVolume>(PERSISTENT_VOLUMES, name, `is ${phase}`, ({ status }) => status?.phase === phase);
}

async function staysPending(yard: Yard, name: string): Promise<void> {
  await yard.context.clock.sleep(1000);
  const { spec, status } = await yard.get<PersistentVolumeClaim>(PERSISTENT_VOLUME_CLAIMS, name);
  assert.equal(status?.phase, 'Pending');
  assert.equal(spec.volumeName, undefined);
}

export const volumeCases: readonly ContractCase[] = [
  yardCase('a claim gets the smallest volume that is large enough', async (yard) => {
    const [small, right, large] = [
      await createVolume(yard, 'small', '1Gi'),
      await createVolume(yard, 'right', '3Gi'),
      await createVolume(yard, 'large', '10Gi'),
    ];
    for (const name of [small, right, large]) await volumeIs(yard, name, 'Available');
    const claim = await createClaim(yard, 'data', '2Gi');
    const { metadata, spec, status } = await claimBound(yard, 'data');
    assert.equal(spec.volumeName, right);
    assert.deepEqual(status?.capacity, { storage: '3Gi' });
    assert.deepEqual(status?.accessModes, ['ReadWriteOnce']);
    assert.equal(metadata.annotations?.['pv.kubernetes.io/bind-completed'], 'yes');
    assert.equal(metadata.annotations?.['pv.kubernetes.io/bound-by-controller'], 'yes');
    const volume = await volumeIs(yard, right, 'Bound');
    assert.equal(volume.spec.claimRef?.uid, claim.metadata.uid);
    assert.equal(volume.metadata.annotations?.['pv.kubernetes.io/bound-by-controller'], 'yes');
    await volumeIs(yard, large, 'Available');
  }),

  yardCase('a claim waits for a volume that will do', async (yard) => {
    await createVolume(yard, 'other-class', '5Gi', { storageClassName: `${yard.namespace}-other` });
    await createVolume(yard, 'read-only', '5Gi', { accessModes: ['ReadOnlyMany'] });
    await createVolume(yard, 'block', '5Gi', { volumeMode: 'Block' });
    await createVolume(yard, 'small', '1Gi');
    await createClaim(yard, 'data', '2Gi');
    await staysPending(yard, 'data');
    const right = await createVolume(yard, 'right', '2Gi');
    assert.equal((await claimBound(yard, 'data')).spec.volumeName, right);
  }),

  yardCase('a claim may ask for a volume by labels', async (yard) => {
    await createVolume(yard, 'plain', '1Gi');
    const labelled = yard.context.unique('labelled');
    await createVolume(yard, 'labelled', '5Gi');
    await yard.merge(PERSISTENT_VOLUMES, labelled, { metadata: { labels: { tier: yard.namespace } } });
    await volumeIs(yard, labelled, 'Available');
    await createClaim(yard, 'data', '1Gi', { selector: { matchLabels: { tier: yard.namespace } } });
    assert.equal((await claimBound(yard, 'data')).spec.volumeName, labelled);
  }),

  yardCase('a claim may ask for a volume by name', async (yard) => {
    await createVolume(yard, 'a', '1Gi');
    const named = await createVolume(yard, 'b', '5Gi');
    await createClaim(yard, 'data', '1Gi', { volumeName: named });
    const { metadata } = await claimBound(yard, 'data');
    assert.equal(metadata.annotations?.['pv.kubernetes.io/bound-by-controller'], undefined);
    await volumeIs(yard, named, 'Bound');
  }),

  yardCase('a volume may be kept for a claim', async (yard) => {
    const free = await createVolume(yard, 'a', '1Gi');
    const kept = await createVolume(yard, 'b', '5Gi', { claimRef: { namespace: yard.namespace, name: 'data' } });
    for (const name of [free, kept]) await volumeIs(yard, name, 'Available'); // so the controller has seen both
    await createClaim(yard, 'other', '4Gi');
    await createClaim(yard, 'data', '1Gi');
    assert.equal((await claimBound(yard, 'data')).spec.volumeName, kept);
    await staysPending(yard, 'other');
  }),

  yardCase('a volume that is to be retained is left behind by its claim', async (yard) => {
    const volume = await createVolume(yard, 'a', '1Gi');
    await createClaim(yard, 'data', '1Gi');
    await claimBound(yard, 'data');
    await yard.delete(PERSISTENT_VOLUME_CLAIMS, 'data');
    await yard.untilGone(PERSISTENT_VOLUME_CLAIMS, 'data');
    const { spec } = await volumeIs(yard, volume, 'Released');
    assert.equal(spec.claimRef?.name, 'data');
    await createClaim(yard, 'data', '1Gi');
    await staysPending(yard, 'data');
  }),

  yardCase('a claim without its volume is lost', async (yard) => {
    const volume = await createVolume(yard, 'a', '1Gi');
    await createClaim(yard, 'data', '1Gi');
    await claimBound(yard, 'data');
    await yard.delete(PERSISTENT_VOLUMES, volume);
    await yard.merge(PERSISTENT_VOLUMES, volume, { metadata: { finalizers: null } });
    await yard.until<PersistentVolumeClaim>(
      PERSISTENT_VOLUME_CLAIMS,
      'data',
      'is lost',
      ({ status }) => status?.phase === 'Lost',
    );
  }),

  yardCase('claims and volumes are protected while they are in use', async (yard) => {
    await yard.node('a');
    const volume = await createVolume(yard, 'a', '1Gi');
    await createClaim(yard, 'data', '1Gi');
    const { metadata } = await claimBound(yard, 'data');
    assert.deepEqual(metadata.finalizers, ['kubernetes.io/pvc-protection']);
    await yard.pod('web', { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] });
    await yard.until<Pod>(PODS, 'web', 'runs', ({ status }) => status?.phase === 'Running');
    await yard.delete(PERSISTENT_VOLUME_CLAIMS, 'data');
    await yard.delete(PERSISTENT_VOLUMES, volume);
    await yard.context.clock.sleep(1000);
    assert.ok((await yard.get(PERSISTENT_VOLUME_CLAIMS, 'data')).metadata.deletionTimestamp);
    assert.ok((await yard.get(PERSISTENT_VOLUMES, volume)).metadata.deletionTimestamp);
    await yard.delete(PODS, 'web');
    await yard.untilGone(PERSISTENT_VOLUME_CLAIMS, 'data');
    await yard.untilGone(PERSISTENT_VOLUMES, volume);
  }),

  yardCase('a claim of a late binding class waits for its first pod', async (yard) => {
    await createLateClass(yard);
    await createVolume(yard, 'a', '1Gi', {
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [
            { matchExpressions: [{ key: 'topology.kubernetes.io/zone', operator: 'In', values: ['z1'] }] },
          ],
        },
      },
    });
    await createClaim(yard, 'data', '1Gi');
    await staysPending(yard, 'data');
    await yard.node('far', { labels: { 'topology.kubernetes.io/zone': 'z2' } });
    const near = await yard.node('near', { labels: { 'topology.kubernetes.io/zone': 'z1' } });
    await yard.pod('web', { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] });
    await claimBound(yard, 'data');
    const pod = await yard.until<Pod>(PODS, 'web', 'runs', ({ status }) => status?.phase === 'Running');
    assert.equal(pod.spec.nodeName, near);
  }),

  yardCase('a claim of a class with a provisioner asks it for a volume', async (yard) => {
    const provisioner = 'workloads.test/nobody';
    await yard.create(STORAGE_CLASSES, { metadata: { name: yard.namespace }, provisioner });
    yard.context.defer(() => yard.delete(STORAGE_CLASSES, yard.namespace));
    await createClaim(yard, 'data', '1Gi');
    const { metadata } = await yard.until<PersistentVolumeClaim>(
      PERSISTENT_VOLUME_CLAIMS,
      'data',
      'has asked',
      (claim) => claim.metadata.annotations?.['volume.kubernetes.io/storage-provisioner'] !== undefined,
    );
    assert.equal(metadata.annotations?.['volume.kubernetes.io/storage-provisioner'], provisioner);
    assert.equal(metadata.annotations?.['volume.beta.kubernetes.io/storage-provisioner'], provisioner);
    await staysPending(yard, 'data');
  }),
];
