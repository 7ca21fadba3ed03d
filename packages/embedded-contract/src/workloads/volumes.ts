import assert from 'node:assert/strict';
import {
  type ApiObject,
  EVENTS,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  PODS,
  STORAGE_CLASSES,
} from '@karpenter-ts/kubernetes';
import type { ContractCase } from '../contract-case.ts';
import { type WorkloadEnvironment, workloadCase } from './workload-environment.ts';

/** A volume that holds nothing; by default of a class of the case's own, so that no other claim takes it. */
async function createVolume(
  env: WorkloadEnvironment,
  name: string,
  storage: string,
  spec: object = {},
): Promise<string> {
  const full = env.context.unique(name);
  await env.create(PERSISTENT_VOLUMES, {
    metadata: { name: full },
    spec: {
      capacity: { storage },
      accessModes: ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: 'Retain',
      storageClassName: env.namespace,
      csi: { driver: 'workloads.test', volumeHandle: full },
      ...spec,
    },
  });
  env.context.defer(() => env.delete(PERSISTENT_VOLUMES, full));
  return full;
}

function createVolumeClaim(
  env: WorkloadEnvironment,
  name: string,
  storage: string,
  spec: object = {},
): Promise<PersistentVolumeClaim> {
  return env.create<PersistentVolumeClaim>(PERSISTENT_VOLUME_CLAIMS, {
    metadata: { name },
    spec: {
      accessModes: ['ReadWriteOnce'],
      storageClassName: env.namespace,
      resources: { requests: { storage } },
      ...spec,
    },
  });
}

/** A class that binds late, and is known to: claims of a class that the controller has not seen yet are bound at once. */
async function createLateClass(env: WorkloadEnvironment): Promise<void> {
  await env.create(STORAGE_CLASSES, {
    metadata: { name: env.namespace },
    provisioner: 'kubernetes.io/no-provisioner',
    volumeBindingMode: 'WaitForFirstConsumer',
  });
  env.context.defer(() => env.delete(STORAGE_CLASSES, env.namespace));
  await createVolumeClaim(env, 'probe', '1Pi'); // no volume is as large
  await env.context.until('the class is known to bind late', async () => {
    const events = await env.list<ApiObject & { readonly reason: string }>(EVENTS);
    return events.some(({ reason }) => reason === 'WaitForFirstConsumer');
  });
}

function claimBound(env: WorkloadEnvironment, name: string): Promise<PersistentVolumeClaim> {
  return env.until<PersistentVolumeClaim>(
    PERSISTENT_VOLUME_CLAIMS,
    name,
    'is bound',
    ({ status }) => status?.phase === 'Bound',
  );
}

function volumeIs(env: WorkloadEnvironment, name: string, phase: string): Promise<PersistentVolume> {
  return env.until<PersistentVolume>(PERSISTENT_VOLUMES, name, `is ${phase}`, ({ status }) => status?.phase === phase);
}

async function staysPending(env: WorkloadEnvironment, name: string): Promise<void> {
  await env.context.clock.sleep(1000);
  const { spec, status } = await env.get<PersistentVolumeClaim>(PERSISTENT_VOLUME_CLAIMS, name);
  assert.equal(status?.phase, 'Pending');
  assert.equal(spec.volumeName, undefined);
}

export const volumeCases: readonly ContractCase[] = [
  workloadCase('a claim gets the smallest volume that is large enough', async (env) => {
    const [small, right, large] = [
      await createVolume(env, 'small', '1Gi'),
      await createVolume(env, 'right', '3Gi'),
      await createVolume(env, 'large', '10Gi'),
    ];
    for (const name of [small, right, large]) await volumeIs(env, name, 'Available');
    const volumeClaim = await createVolumeClaim(env, 'data', '2Gi');
    const { metadata, spec, status } = await claimBound(env, 'data');
    assert.equal(spec.volumeName, right);
    assert.deepEqual(status?.capacity, { storage: '3Gi' });
    assert.deepEqual(status?.accessModes, ['ReadWriteOnce']);
    assert.equal(metadata.annotations?.['pv.kubernetes.io/bind-completed'], 'yes');
    assert.equal(metadata.annotations?.['pv.kubernetes.io/bound-by-controller'], 'yes');
    const volume = await volumeIs(env, right, 'Bound');
    assert.equal(volume.spec.claimRef?.uid, volumeClaim.metadata.uid);
    assert.equal(volume.metadata.annotations?.['pv.kubernetes.io/bound-by-controller'], 'yes');
    await volumeIs(env, large, 'Available');
  }),

  workloadCase('a claim waits for a volume that will do', async (env) => {
    await createVolume(env, 'other-class', '5Gi', { storageClassName: `${env.namespace}-other` });
    await createVolume(env, 'read-only', '5Gi', { accessModes: ['ReadOnlyMany'] });
    await createVolume(env, 'block', '5Gi', { volumeMode: 'Block' });
    await createVolume(env, 'small', '1Gi');
    await createVolumeClaim(env, 'data', '2Gi');
    await staysPending(env, 'data');
    const right = await createVolume(env, 'right', '2Gi');
    assert.equal((await claimBound(env, 'data')).spec.volumeName, right);
  }),

  workloadCase('a claim may ask for a volume by labels', async (env) => {
    await createVolume(env, 'plain', '1Gi');
    const labelled = env.context.unique('labelled');
    await createVolume(env, 'labelled', '5Gi');
    await env.merge(PERSISTENT_VOLUMES, labelled, { metadata: { labels: { tier: env.namespace } } });
    await volumeIs(env, labelled, 'Available');
    await createVolumeClaim(env, 'data', '1Gi', { selector: { matchLabels: { tier: env.namespace } } });
    assert.equal((await claimBound(env, 'data')).spec.volumeName, labelled);
  }),

  workloadCase('a claim may ask for a volume by name', async (env) => {
    await createVolume(env, 'a', '1Gi');
    const named = await createVolume(env, 'b', '5Gi');
    await createVolumeClaim(env, 'data', '1Gi', { volumeName: named });
    const { metadata } = await claimBound(env, 'data');
    assert.equal(metadata.annotations?.['pv.kubernetes.io/bound-by-controller'], undefined);
    await volumeIs(env, named, 'Bound');
  }),

  workloadCase('a volume may be kept for a claim', async (env) => {
    const free = await createVolume(env, 'a', '1Gi');
    const kept = await createVolume(env, 'b', '5Gi', { claimRef: { namespace: env.namespace, name: 'data' } });
    for (const name of [free, kept]) await volumeIs(env, name, 'Available'); // so the controller has seen both
    await createVolumeClaim(env, 'other', '4Gi');
    await createVolumeClaim(env, 'data', '1Gi');
    assert.equal((await claimBound(env, 'data')).spec.volumeName, kept);
    await staysPending(env, 'other');
  }),

  workloadCase('a volume that is to be retained is left behind by its claim', async (env) => {
    const volume = await createVolume(env, 'a', '1Gi');
    await createVolumeClaim(env, 'data', '1Gi');
    await claimBound(env, 'data');
    await env.delete(PERSISTENT_VOLUME_CLAIMS, 'data');
    await env.untilGone(PERSISTENT_VOLUME_CLAIMS, 'data');
    const { spec } = await volumeIs(env, volume, 'Released');
    assert.equal(spec.claimRef?.name, 'data');
    await createVolumeClaim(env, 'data', '1Gi');
    await staysPending(env, 'data');
  }),

  workloadCase('a claim without its volume is lost', async (env) => {
    const volume = await createVolume(env, 'a', '1Gi');
    await createVolumeClaim(env, 'data', '1Gi');
    await claimBound(env, 'data');
    await env.delete(PERSISTENT_VOLUMES, volume);
    await env.merge(PERSISTENT_VOLUMES, volume, { metadata: { finalizers: null } });
    await env.until<PersistentVolumeClaim>(
      PERSISTENT_VOLUME_CLAIMS,
      'data',
      'is lost',
      ({ status }) => status?.phase === 'Lost',
    );
  }),

  workloadCase('claims and volumes are protected while they are in use', async (env) => {
    await env.node('a');
    const volume = await createVolume(env, 'a', '1Gi');
    await createVolumeClaim(env, 'data', '1Gi');
    const { metadata } = await claimBound(env, 'data');
    assert.deepEqual(metadata.finalizers, ['kubernetes.io/pvc-protection']);
    await env.pod('web', { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] });
    await env.until<Pod>(PODS, 'web', 'runs', ({ status }) => status?.phase === 'Running');
    await env.delete(PERSISTENT_VOLUME_CLAIMS, 'data');
    await env.delete(PERSISTENT_VOLUMES, volume);
    await env.context.clock.sleep(1000);
    assert.ok((await env.get(PERSISTENT_VOLUME_CLAIMS, 'data')).metadata.deletionTimestamp);
    assert.ok((await env.get(PERSISTENT_VOLUMES, volume)).metadata.deletionTimestamp);
    await env.delete(PODS, 'web');
    await env.untilGone(PERSISTENT_VOLUME_CLAIMS, 'data');
    await env.untilGone(PERSISTENT_VOLUMES, volume);
  }),

  workloadCase('a claim of a late binding class waits for its first pod', async (env) => {
    await createLateClass(env);
    await createVolume(env, 'a', '1Gi', {
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [
            { matchExpressions: [{ key: 'topology.kubernetes.io/zone', operator: 'In', values: ['z1'] }] },
          ],
        },
      },
    });
    await createVolumeClaim(env, 'data', '1Gi');
    await staysPending(env, 'data');
    await env.node('far', { labels: { 'topology.kubernetes.io/zone': 'z2' } });
    const near = await env.node('near', { labels: { 'topology.kubernetes.io/zone': 'z1' } });
    await env.pod('web', { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] });
    await claimBound(env, 'data');
    const pod = await env.until<Pod>(PODS, 'web', 'runs', ({ status }) => status?.phase === 'Running');
    assert.equal(pod.spec.nodeName, near);
  }),

  workloadCase('a claim of a class with a provisioner asks it for a volume', async (env) => {
    const provisioner = 'workloads.test/nobody';
    await env.create(STORAGE_CLASSES, { metadata: { name: env.namespace }, provisioner });
    env.context.defer(() => env.delete(STORAGE_CLASSES, env.namespace));
    await createVolumeClaim(env, 'data', '1Gi');
    const { metadata } = await env.until<PersistentVolumeClaim>(
      PERSISTENT_VOLUME_CLAIMS,
      'data',
      'has asked',
      (volumeClaim) => volumeClaim.metadata.annotations?.['volume.kubernetes.io/storage-provisioner'] !== undefined,
    );
    assert.equal(metadata.annotations?.['volume.kubernetes.io/storage-provisioner'], provisioner);
    assert.equal(metadata.annotations?.['volume.beta.kubernetes.io/storage-provisioner'], provisioner);
    await staysPending(env, 'data');
  }),
];
