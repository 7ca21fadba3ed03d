import { isDeepStrictEqual } from 'node:util';
import { type Controller, DONE, type EventRecorder, kindSource, type Result } from '@karpenter-ts/runtime';
import {
  objectKey,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  type StorageClass,
} from '@karpenter-ts/kubernetes';
import { readSource } from '../read-source.ts';
import { subjectOf, type WorkloadDeps } from '../workload-deps.ts';
import {
  BIND_COMPLETED,
  BOUND_BY_CONTROLLER,
  findMismatch,
  findVolume,
  isVolumeFor,
  refTo,
  SELECTED_NODE,
} from './binding.ts';

const PROVISIONER_ANNOTATIONS = [
  'volume.beta.kubernetes.io/storage-provisioner',
  'volume.kubernetes.io/storage-provisioner',
];
const NO_PROVISIONER = 'kubernetes.io/no-provisioner';

interface VolumeClaimDeps extends WorkloadDeps {
  readonly events: EventRecorder;
}

/** The persistent volume controller for volume claims: binds them to volumes, or asks a provisioner for one. */
export function volumeClaimController(workloadDeps: WorkloadDeps): Controller {
  const deps: VolumeClaimDeps = { ...workloadDeps, events: workloadDeps.recorder('persistentvolume-controller') };
  const { caches } = deps;
  return {
    name: 'persistentvolumeclaim-binder',
    kind: { group: '', kind: 'PersistentVolumeClaim' },
    sources: [
      kindSource(caches.persistentVolumeClaims),
      kindSource(caches.persistentVolumes, { keys: (volume) => candidates(deps, volume) }),
      kindSource(caches.storageClasses, { keys: ({ metadata }) => unboundOf(deps, metadata.name) }),
      readSource(caches.pods),
    ],
    reconcile: async (key) => {
      const volumeClaim = caches.persistentVolumeClaims.get(key);
      if (volumeClaim === undefined) return DONE;
      const isBound = volumeClaim.metadata.annotations?.[BIND_COMPLETED] !== undefined;
      await (isBound ? syncBound(deps, volumeClaim) : syncUnbound(deps, volumeClaim));
      return DONE satisfies Result;
    },
  };
}

/** The volume claims a volume may be for: the one it names, or all unbound ones of its class. */
function candidates(deps: WorkloadDeps, { metadata, spec }: PersistentVolume): readonly string[] {
  const { caches } = deps;
  const naming = caches.persistentVolumeClaims
    .list()
    .filter((volumeClaim) => volumeClaim.spec.volumeName === metadata.name);
  const { namespace, name } = spec.claimRef ?? {};
  const own = namespace && name ? [`${namespace}/${name}`] : unboundOf(deps, spec.storageClassName ?? '');
  return [...naming.map((volumeClaim) => objectKey(volumeClaim.metadata)), ...own];
}

function unboundOf({ caches }: WorkloadDeps, storageClass: string): readonly string[] {
  const volumeClaims = caches.persistentVolumeClaims.list();
  const unbound = volumeClaims.filter(({ spec }) => !spec.volumeName && (spec.storageClassName ?? '') === storageClass);
  return unbound.map(({ metadata }) => objectKey(metadata));
}

async function syncUnbound(deps: VolumeClaimDeps, volumeClaim: PersistentVolumeClaim): Promise<void> {
  const { caches } = deps;
  const { volumeName, storageClassName = '' } = volumeClaim.spec;
  if (volumeName) return bindRequested(deps, volumeClaim, caches.persistentVolumes.get(volumeName));
  const storageClass = caches.storageClasses.get(storageClassName);
  const isDelayed = storageClass?.volumeBindingMode === 'WaitForFirstConsumer';
  const volume = findVolume(caches.persistentVolumes.list(), volumeClaim, { isDelayed });
  if (volume !== undefined) return bind(deps, volume, volumeClaim);
  if (isDelayed && volumeClaim.metadata.annotations?.[SELECTED_NODE] === undefined) tellWaiting(deps, volumeClaim);
  else if (storageClassName !== '') return askProvisioner(deps, volumeClaim, storageClass);
  else {
    const message = 'no persistent volumes available for this claim and no storage class is set';
    publish(deps, volumeClaim, 'Normal', 'FailedBinding', message);
  }
  await writeStatus(deps, volumeClaim, { phase: 'Pending' });
}

/** The user has named the volume. */
async function bindRequested(
  deps: VolumeClaimDeps,
  volumeClaim: PersistentVolumeClaim,
  volume: PersistentVolume | undefined,
): Promise<void> {
  if (volume !== undefined) {
    if (isVolumeFor(volume, volumeClaim)) return bind(deps, volume, volumeClaim);
    const mismatch = volume.spec.claimRef === undefined ? findMismatch(volume, volumeClaim) : undefined;
    if (volume.spec.claimRef === undefined && mismatch === undefined) return bind(deps, volume, volumeClaim);
    const { name } = volume.metadata;
    if (mismatch === undefined) {
      publish(deps, volumeClaim, 'Warning', 'FailedBinding', `volume "${name}" already bound to a different claim.`);
    } else {
      publish(deps, volumeClaim, 'Warning', 'VolumeMismatch', `Cannot bind to requested volume "${name}": ${mismatch}`);
    }
  }
  await writeStatus(deps, volumeClaim, { phase: 'Pending' });
}

function tellWaiting(deps: VolumeClaimDeps, volumeClaim: PersistentVolumeClaim): void {
  const pods = deps.caches.pods
    .byIndex('volumeClaim', objectKey(volumeClaim.metadata))
    .filter((pod: Pod) => !pod.spec.nodeName);
  const names = pods.map(({ metadata }) => metadata.name);
  if (names.length === 0) {
    const message = 'waiting for first consumer to be created before binding';
    publish(deps, volumeClaim, 'Normal', 'WaitForFirstConsumer', message);
  } else {
    const message = `waiting for pod${names.length > 1 ? 's' : ''} ${names.join(',')} to be scheduled`;
    publish(deps, volumeClaim, 'Normal', 'WaitForPodScheduled', message);
  }
}

async function askProvisioner(
  deps: VolumeClaimDeps,
  volumeClaim: PersistentVolumeClaim,
  storageClass: StorageClass | undefined,
): Promise<void> {
  if (storageClass === undefined) {
    const message = `storageclass.storage.k8s.io "${volumeClaim.spec.storageClassName}" not found`;
    publish(deps, volumeClaim, 'Warning', 'ProvisioningFailed', message);
    return;
  }
  const { provisioner } = storageClass;
  if (provisioner === NO_PROVISIONER) return;
  const asked = Object.fromEntries(PROVISIONER_ANNOTATIONS.map((annotation) => [annotation, provisioner]));
  const annotations = { ...volumeClaim.metadata.annotations, ...asked };
  if (isDeepStrictEqual(annotations, volumeClaim.metadata.annotations)) return;
  await deps.client.update(PERSISTENT_VOLUME_CLAIMS, {
    ...volumeClaim,
    metadata: { ...volumeClaim.metadata, annotations },
  });
  const message =
    `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system ` +
    'administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.';
  publish(deps, volumeClaim, 'Normal', 'ExternalProvisioning', message);
}

async function syncBound(deps: VolumeClaimDeps, volumeClaim: PersistentVolumeClaim): Promise<void> {
  const volume = deps.caches.persistentVolumes.get(volumeClaim.spec.volumeName ?? '');
  const { claimRef } = volume?.spec ?? {};
  if (volume !== undefined && (claimRef === undefined || claimRef.uid === volumeClaim.metadata.uid)) {
    return bind(deps, volume, volumeClaim);
  }
  if (volumeClaim.status?.phase === 'Lost') return;
  const [reason, message] =
    volume !== undefined
      ? ['ClaimMisbound', 'Two claims are bound to the same volume, this one is bound incorrectly']
      : volumeClaim.spec.volumeName
        ? ['ClaimLost', 'Bound claim has lost its PersistentVolume. Data on the volume is lost!']
        : ['ClaimLost', 'Bound claim has lost reference to PersistentVolume. Data on the volume is lost!'];
  await writeStatus(deps, volumeClaim, { phase: 'Lost' });
  publish(deps, volumeClaim, 'Warning', reason, message);
}

/**
 * The volume references the volume claim first, then the volume claim the volume, so that nobody else can take it in
 * between.
 */
async function bind(
  deps: VolumeClaimDeps,
  volume: PersistentVolume,
  volumeClaim: PersistentVolumeClaim,
): Promise<void> {
  const { client } = deps;
  const reserved = await reserve(deps, volume, volumeClaim);
  if (reserved.status?.phase !== 'Bound') {
    const status = { ...reserved.status, phase: 'Bound' };
    await client.update(PERSISTENT_VOLUMES, { ...reserved, status }, { subresource: 'status' });
  }
  const annotations = {
    ...volumeClaim.metadata.annotations,
    [BIND_COMPLETED]: 'yes',
    ...(!volumeClaim.spec.volumeName && { [BOUND_BY_CONTROLLER]: 'yes' }),
  };
  let bound = volumeClaim;
  if (
    volumeClaim.spec.volumeName !== volume.metadata.name ||
    volumeClaim.metadata.annotations?.[BIND_COMPLETED] === undefined
  ) {
    const metadata = { ...volumeClaim.metadata, annotations };
    const spec = { ...volumeClaim.spec, volumeName: volume.metadata.name };
    bound = await client.update<PersistentVolumeClaim>(PERSISTENT_VOLUME_CLAIMS, { ...volumeClaim, metadata, spec });
  }
  const { accessModes = [], capacity = {} } = volume.spec;
  await writeStatus(deps, bound, { phase: 'Bound', accessModes, capacity });
}

async function reserve(
  { client }: WorkloadDeps,
  volume: PersistentVolume,
  volumeClaim: PersistentVolumeClaim,
): Promise<PersistentVolume> {
  const { metadata, spec } = volume;
  if (spec.claimRef?.uid === volumeClaim.metadata.uid) return volume;
  const annotations = isVolumeFor(volume, volumeClaim)
    ? metadata.annotations
    : { ...metadata.annotations, [BOUND_BY_CONTROLLER]: 'yes' };
  return client.update<PersistentVolume>(PERSISTENT_VOLUMES, {
    ...volume,
    metadata: { ...metadata, ...(annotations && { annotations }) },
    spec: { ...spec, claimRef: refTo(volumeClaim) },
  });
}

async function writeStatus(
  { client }: WorkloadDeps,
  volumeClaim: PersistentVolumeClaim,
  status: NonNullable<PersistentVolumeClaim['status']>,
): Promise<void> {
  if (isDeepStrictEqual({ ...volumeClaim.status, ...status }, volumeClaim.status)) return;
  await client.update(
    PERSISTENT_VOLUME_CLAIMS,
    { ...volumeClaim, status: { ...volumeClaim.status, ...status } },
    { subresource: 'status' },
  );
}

/** An event is published only from time to time, because a waiting volume claim is reconciled again and again. */
function publish(
  { events }: VolumeClaimDeps,
  volumeClaim: PersistentVolumeClaim,
  type: 'Normal' | 'Warning',
  reason: string,
  message: string,
): void {
  events.publish({ on: subjectOf(volumeClaim, PERSISTENT_VOLUME_CLAIMS), type, reason, message });
}
