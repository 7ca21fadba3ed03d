import assert from 'node:assert/strict';
import { type ApiObject, EVENTS } from '@karpenter-ts/kubernetes';
import { PERSISTENT_VOLUME_CLAIMS, type PersistentVolumeClaim } from '../../workloads/kinds/persistent-volume-claim.ts';
import { PERSISTENT_VOLUMES, type PersistentVolume } from '../../workloads/kinds/persistent-volume.ts';
import { PODS, type Pod } from '../../workloads/kinds/pod.ts';
import { STORAGE_CLASSES } from '../../workloads/kinds/storage-class.ts';
import type { ContractCase } from '../contract-case.ts';
import { type WorkloadFixture, workloadCase } from './workload-fixture.ts';

/** A volume that holds nothing; by default of a class of the case's own, so that no other claim takes it. */
async function createVolume(
  fixture: WorkloadFixture,
  name: string,
  storage: string,
  spec: object = {},
): Promise<string> {
  const full = fixture.context.unique(name);
  await fixture.create(PERSISTENT_VOLUMES, {
    metadata: { name: full },
    spec: {
      capacity: { storage },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: 'Retain',
      storageClassName: fixture.namespace,
      csi: { driver: 'workloads.test', volumeHandle: full },
      ...spec,
    },
  });
  fixture.context.defer(() => fixture.delete(PERSISTENT_VOLUMES, full));
  return full;
}

function createClaim(
  fixture: WorkloadFixture,
  name: string,
  storage: string,
  spec: object = {},
): Promise<PersistentVolumeClaim> {
  return fixture.create<PersistentVolumeClaim>(PERSISTENT_VOLUME_CLAIMS, {
    metadata: { name },
    spec: {
      accessModes: ['ReadWriteOnce'],
      storageClassName: fixture.namespace,
      resources: { requests: { storage } },
      ...spec,
    },
  });
}

/** A class that binds late, and is known to: claims of a class that the controller has not seen yet are bound at once. */
async function createLateClass(fixture: WorkloadFixture): Promise<void> {
  await fixture.create(STORAGE_CLASSES, {
    metadata: { name: fixture.namespace },
    provisioner: 'kubernetes.io/no-provisioner',
    volumeBindingMode: 'WaitForFirstConsumer',
  });
  fixture.context.defer(() => fixture.delete(STORAGE_CLASSES, fixture.namespace));
  await createClaim(fixture, 'probe', '1Pi'); // no volume is as large
  await fixture.context.until('the class is known to bind late', async () => {
    const events = await fixture.list<ApiObject & { readonly reason: string }>(EVENTS);
    return events.some(({ reason }) => reason === 'WaitForFirstConsumer');
  });
}

function claimBound(fixture: WorkloadFixture, name: string): Promise<PersistentVolumeClaim> {
  return fixture.until<PersistentVolumeClaim>(
    PERSISTENT_VOLUME_CLAIMS,
    name,
    'is bound',
    ({ status }) => status?.phase === 'Bound',
  );
}

function volumeIs(fixture: WorkloadFixture, name: string, phase: string): Promise<PersistentVolume> {
  return fixture.until<PersistentVolume>(
    PERSISTENT_VOLUMES,
    name,
    `is ${phase}`,
    ({ status }) => status?.phase === phase,
  );
}

async function staysPending(fixture: WorkloadFixture, name: string): Promise<void> {
  await fixture.context.clock.sleep(1000);
  const { spec, status } = await fixture.get<PersistentVolumeClaim>(PERSISTENT_VOLUME_CLAIMS, name);
  assert.equal(status?.phase, 'Pending');
  assert.equal(spec.volumeName, undefined);
}

export const volumeCases: readonly ContractCase[] = [
  workloadCase('a claim gets the smallest volume that is large enough', async (fixture) => {
    const [small, right, large] = [
      await createVolume(fixture, 'small', '1Gi'),
      await createVolume(fixture, 'right', '3Gi'),
      await createVolume(fixture, 'large', '10Gi'),
    ];
    for (const name of [small, right, large]) await volumeIs(fixture, name, 'Available');
    const claim = await createClaim(fixture, 'data', '2Gi');
    const { metadata, spec, status } = await claimBound(fixture, 'data');
    assert.equal(spec.volumeName, right);
    assert.deepEqual(status?.capacity, { storage: '3Gi' });
    assert.deepEqual(status?.accessModes, ['ReadWriteOnce']);
    assert.equal(metadata.annotations?.['pv.kubernetes.io/bind-completed'], 'yes');
    assert.equal(metadata.annotations?.['pv.kubernetes.io/bound-by-controller'], 'yes');
    const volume = await volumeIs(fixture, right, 'Bound');
    assert.equal(volume.spec.claimRef?.uid, claim.metadata.uid);
    assert.equal(volume.metadata.annotations?.['pv.kubernetes.io/bound-by-controller'], 'yes');
    await volumeIs(fixture, large, 'Available');
  }),

  workloadCase('a claim waits for a volume that will do', async (fixture) => {
    await createVolume(fixture, 'other-class', '5Gi', { storageClassName: `${fixture.namespace}-other` });
    await createVolume(fixture, 'read-only', '5Gi', { accessModes: ['ReadOnlyMany'] });
    await createVolume(fixture, 'block', '5Gi', { volumeMode: 'Block' });
    await createVolume(fixture, 'small', '1Gi');
    await createClaim(fixture, 'data', '2Gi');
    await staysPending(fixture, 'data');
    const right = await createVolume(fixture, 'right', '2Gi');
    assert.equal((await claimBound(fixture, 'data')).spec.volumeName, right);
  }),

  workloadCase('a claim may ask for a volume by labels', async (fixture) => {
    await createVolume(fixture, 'plain', '1Gi');
    const labelled = fixture.context.unique('labelled');
    await createVolume(fixture, 'labelled', '5Gi');
    await fixture.merge(PERSISTENT_VOLUMES, labelled, { metadata: { labels: { tier: fixture.namespace } } });
    await volumeIs(fixture, labelled, 'Available');
    await createClaim(fixture, 'data', '1Gi', { selector: { matchLabels: { tier: fixture.namespace } } });
    assert.equal((await claimBound(fixture, 'data')).spec.volumeName, labelled);
  }),

  workloadCase('a claim may ask for a volume by name', async (fixture) => {
    await createVolume(fixture, 'a', '1Gi');
    const named = await createVolume(fixture, 'b', '5Gi');
    await createClaim(fixture, 'data', '1Gi', { volumeName: named });
    const { metadata } = await claimBound(fixture, 'data');
    assert.equal(metadata.annotations?.['pv.kubernetes.io/bound-by-controller'], undefined);
    await volumeIs(fixture, named, 'Bound');
  }),

  workloadCase('a volume may be kept for a claim', async (fixture) => {
    const free = await createVolume(fixture, 'a', '1Gi');
    const kept = await createVolume(fixture, 'b', '5Gi', { claimRef: { namespace: fixture.namespace, name: 'data' } });
    for (const name of [free, kept]) await volumeIs(fixture, name, 'Available'); // so the controller has seen both
    await createClaim(fixture, 'other', '4Gi');
    await createClaim(fixture, 'data', '1Gi');
    assert.equal((await claimBound(fixture, 'data')).spec.volumeName, kept);
    await staysPending(fixture, 'other');
  }),

  workloadCase('a volume that is to be retained is left behind by its claim', async (fixture) => {
    const volume = await createVolume(fixture, 'a', '1Gi');
    await createClaim(fixture, 'data', '1Gi');
    await claimBound(fixture, 'data');
    await fixture.delete(PERSISTENT_VOLUME_CLAIMS, 'data');
    await fixture.untilGone(PERSISTENT_VOLUME_CLAIMS, 'data');
    const { spec } = await volumeIs(fixture, volume, 'Released');
    assert.equal(spec.claimRef?.name, 'data');
    await createClaim(fixture, 'data', '1Gi');
    await staysPending(fixture, 'data');
  }),

  workloadCase('a claim without its volume is lost', async (fixture) => {
    const volume = await createVolume(fixture, 'a', '1Gi');
    await createClaim(fixture, 'data', '1Gi');
    await claimBound(fixture, 'data');
    await fixture.delete(PERSISTENT_VOLUMES, volume);
    await fixture.merge(PERSISTENT_VOLUMES, volume, { metadata: { finalizers: null } });
    await fixture.until<PersistentVolumeClaim>(
      PERSISTENT_VOLUME_CLAIMS,
      'data',
      'is lost',
      ({ status }) => status?.phase === 'Lost',
    );
  }),

  workloadCase('claims and volumes are protected while they are in use', async (fixture) => {
    await fixture.node('a');
    const volume = await createVolume(fixture, 'a', '1Gi');
    await createClaim(fixture, 'data', '1Gi');
    const { metadata } = await claimBound(fixture, 'data');
    assert.deepEqual(metadata.finalizers, ['kubernetes.io/pvc-protection']);
    await fixture.pod('web', { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] });
    await fixture.until<Pod>(PODS, 'web', 'runs', ({ status }) => status?.phase === 'Running');
    await fixture.delete(PERSISTENT_VOLUME_CLAIMS, 'data');
    await fixture.delete(PERSISTENT_VOLUMES, volume);
    await fixture.context.clock.sleep(1000);
    assert.ok((await fixture.get(PERSISTENT_VOLUME_CLAIMS, 'data')).metadata.deletionTimestamp);
    assert.ok((await fixture.get(PERSISTENT_VOLUMES, volume)).metadata.deletionTimestamp);
    await fixture.delete(PODS, 'web');
    await fixture.untilGone(PERSISTENT_VOLUME_CLAIMS, 'data');
    await fixture.untilGone(PERSISTENT_VOLUMES, volume);
  }),

  workloadCase('a claim of a late binding class waits for its first pod', async (fixture) => {
    await createLateClass(fixture);
    await createVolume(fixture, 'a', '1Gi', {
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [
            { matchExpressions: [{ key: 'topology.kubernetes.io/zone', operator: 'In', values: ['z1'] }] },
          ],
        },
      },
    });
    await createClaim(fixture, 'data', '1Gi');
    await staysPending(fixture, 'data');
    await fixture.node('far', { labels: { 'topology.kubernetes.io/zone': 'z2' } });
    const near = await fixture.node('near', { labels: { 'topology.kubernetes.io/zone': 'z1' } });
    await fixture.pod('web', { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] });
    await claimBound(fixture, 'data');
    const pod = await fixture.until<Pod>(PODS, 'web', 'runs', ({ status }) => status?.phase === 'Running');
    assert.equal(pod.spec.nodeName, near);
  }),

  workloadCase('a claim of a class with a provisioner asks it for a volume', async (fixture) => {
    const provisioner = 'workloads.test/nobody';
    await fixture.create(STORAGE_CLASSES, { metadata: { name: fixture.namespace }, provisioner });
    fixture.context.defer(() => fixture.delete(STORAGE_CLASSES, fixture.namespace));
    await createClaim(fixture, 'data', '1Gi');
    const { metadata } = await fixture.until<PersistentVolumeClaim>(
      PERSISTENT_VOLUME_CLAIMS,
      'data',
      'has asked',
      (claim) => claim.metadata.annotations?.['volume.kubernetes.io/storage-provisioner'] !== undefined,
    );
    assert.equal(metadata.annotations?.['volume.kubernetes.io/storage-provisioner'], provisioner);
    assert.equal(metadata.annotations?.['volume.beta.kubernetes.io/storage-provisioner'], provisioner);
    await staysPending(fixture, 'data');
  }),
];
