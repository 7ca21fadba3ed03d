import { isDeepStrictEqual } from 'node:util';
import { type Controller, DONE, type EventRecorder, kindSource, type Result } from '@karpenter-ts/runtime';
import { objectKey } from '@karpenter-ts/kubernetes';
import { PERSISTENT_VOLUME_CLAIMS, type PersistentVolumeClaim } from '../kinds/persistent-volume-claim.ts';
import { PERSISTENT_VOLUMES, type PersistentVolume } from '../kinds/persistent-volume.ts';
import type { Pod } from '../kinds/pod.ts';
import type { StorageClass } from '../kinds/storage-class.ts';
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

/** Binds claims to volumes, or asks a provisioner for one. */
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
      const claim = caches.persistentVolumeClaims.get(key);
      if (claim === undefined) return DONE;
      const isBound = claim.metadata.annotations?.[BIND_COMPLETED] !== undefined;
      await (isBound ? syncBound(deps, claim) : syncUnbound(deps, claim));
      return DONE satisfies Result;
    },
  };
}

/** Claims a volume may be for: the one it names, or all of its class that have none. */
function candidates(deps: WorkloadDeps, { metadata, spec }: PersistentVolume): readonly string[] {
  const { caches } = deps;
  const naming = caches.persistentVolumeClaims.list().filter((claim) => claim.spec.volumeName === metadata.name);
  const { namespace, name } = spec.claimRef ?? {};
  const own = namespace && name ? [`${namespace}/${name}`] : unboundOf(deps, spec.storageClassName ?? '');
  return [...naming.map((claim) => objectKey(claim.metadata)), ...own];
}

function unboundOf({ caches }: WorkloadDeps, storageClass: string): readonly string[] {
  const claims = caches.persistentVolumeClaims.list();
  const unbound = claims.filter(({ spec }) => !spec.volumeName && (spec.storageClassName ?? '') === storageClass);
  return unbound.map(({ metadata }) => objectKey(metadata));
}

async function syncUnbound(deps: VolumeClaimDeps, claim: PersistentVolumeClaim): Promise<void> {
  const { caches } = deps;
  const { volumeName, storageClassName = '' } = claim.spec;
  if (volumeName) return bindRequested(deps, claim, caches.persistentVolumes.get(volumeName));
  const storageClass = caches.storageClasses.get(storageClassName);
  const isDelayed = storageClass?.volumeBindingMode === 'WaitForFirstConsumer';
  const volume = findVolume(caches.persistentVolumes.list(), claim, { isDelayed });
  if (volume !== undefined) return bind(deps, volume, claim);
  if (isDelayed && claim.metadata.annotations?.[SELECTED_NODE] === undefined) tellWaiting(deps, claim);
  else if (storageClassName !== '') return askProvisioner(deps, claim, storageClass);
  else {
    const message = 'no persistent volumes available for this claim and no storage class is set';
    publish(deps, claim, 'Normal', 'FailedBinding', message);
  }
  await writeStatus(deps, claim, { phase: 'Pending' });
}

/** The user has named the volume. */
async function bindRequested(
  deps: VolumeClaimDeps,
  claim: PersistentVolumeClaim,
  volume: PersistentVolume | undefined,
): Promise<void> {
  if (volume !== undefined) {
    if (isVolumeFor(volume, claim)) return bind(deps, volume, claim);
    const mismatch = volume.spec.claimRef === undefined ? findMismatch(volume, claim) : undefined;
    if (volume.spec.claimRef === undefined && mismatch === undefined) return bind(deps, volume, claim);
    const { name } = volume.metadata;
    if (mismatch === undefined) {
      publish(deps, claim, 'Warning', 'FailedBinding', `volume "${name}" already bound to a different claim.`);
    } else {
      publish(deps, claim, 'Warning', 'VolumeMismatch', `Cannot bind to requested volume "${name}": ${mismatch}`);
    }
  }
  await writeStatus(deps, claim, { phase: 'Pending' });
}

function tellWaiting(deps: VolumeClaimDeps, claim: PersistentVolumeClaim): void {
  const pods = deps.caches.pods.byIndex('claim', objectKey(claim.metadata)).filter((pod: Pod) => !pod.spec.nodeName);
  const names = pods.map(({ metadata }) => metadata.name);
  if (names.length === 0) {
    const message = 'waiting for first consumer to be created before binding';
    publish(deps, claim, 'Normal', 'WaitForFirstConsumer', message);
  } else {
    const message = `waiting for pod${names.length > 1 ? 's' : ''} ${names.join(',')} to be scheduled`;
    publish(deps, claim, 'Normal', 'WaitForPodScheduled', message);
  }
}

async function askProvisioner(
  deps: VolumeClaimDeps,
  claim: PersistentVolumeClaim,
  storageClass: StorageClass | undefined,
): Promise<void> {
  if (storageClass === undefined) {
    const message = `storageclass.storage.k8s.io "${claim.spec.storageClassName}" not found`;
    publish(deps, claim, 'Warning', 'ProvisioningFailed', message);
    return;
  }
  const { provisioner } = storageClass;
  if (provisioner === NO_PROVISIONER) return;
  const asked = Object.fromEntries(PROVISIONER_ANNOTATIONS.map((annotation) => [annotation, provisioner]));
  const annotations = { ...claim.metadata.annotations, ...asked };
  if (isDeepStrictEqual(annotations, claim.metadata.annotations)) return;
  await deps.client.update(PERSISTENT_VOLUME_CLAIMS, { ...claim, metadata: { ...claim.metadata, annotations } });
  const message =
    `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system ` +
    'administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.';
  publish(deps, claim, 'Normal', 'ExternalProvisioning', message);
}

async function syncBound(deps: VolumeClaimDeps, claim: PersistentVolumeClaim): Promise<void> {
  const volume = deps.caches.persistentVolumes.get(claim.spec.volumeName ?? '');
  const { claimRef } = volume?.spec ?? {};
  if (volume !== undefined && (claimRef === undefined || claimRef.uid === claim.metadata.uid)) {
    return bind(deps, volume, claim);
  }
  if (claim.status?.phase === 'Lost') return;
  const [reason, message] =
    volume !== undefined
      ? ['ClaimMisbound', 'Two claims are bound to the same volume, this one is bound incorrectly']
      : claim.spec.volumeName
        ? ['ClaimLost', 'Bound claim has lost its PersistentVolume. Data on the volume is lost!']
        : ['ClaimLost', 'Bound claim has lost reference to PersistentVolume. Data on the volume is lost!'];
  await writeStatus(deps, claim, { phase: 'Lost' });
  publish(deps, claim, 'Warning', reason, message);
}

/** First the volume names the claim, then the claim the volume: in between, nobody else can take it. */
async function bind(deps: VolumeClaimDeps, volume: PersistentVolume, claim: PersistentVolumeClaim): Promise<void> {
  const { client } = deps;
  const reserved = await reserve(deps, volume, claim);
  if (reserved.status?.phase !== 'Bound') {
    const status = { ...reserved.status, phase: 'Bound' };
    await client.update(PERSISTENT_VOLUMES, { ...reserved, status }, { subresource: 'status' });
  }
  const annotations = {
    ...claim.metadata.annotations,
    [BIND_COMPLETED]: 'yes',
    ...(!claim.spec.volumeName && { [BOUND_BY_CONTROLLER]: 'yes' }),
  };
  let bound = claim;
  if (claim.spec.volumeName !== volume.metadata.name || claim.metadata.annotations?.[BIND_COMPLETED] === undefined) {
    const metadata = { ...claim.metadata, annotations };
    const spec = { ...claim.spec, volumeName: volume.metadata.name };
    bound = await client.update<PersistentVolumeClaim>(PERSISTENT_VOLUME_CLAIMS, { ...claim, metadata, spec });
  }
  const { accessModes = [], capacity = {} } = volume.spec;
  await writeStatus(deps, bound, { phase: 'Bound', accessModes, capacity });
}

async function reserve(
  { client }: WorkloadDeps,
  volume: PersistentVolume,
  claim: PersistentVolumeClaim,
): Promise<PersistentVolume> {
  const { metadata, spec } = volume;
  if (spec.claimRef?.uid === claim.metadata.uid) return volume;
  const annotations = isVolumeFor(volume, claim)
    ? metadata.annotations
    : { ...metadata.annotations, [BOUND_BY_CONTROLLER]: 'yes' };
  return client.update<PersistentVolume>(PERSISTENT_VOLUMES, {
    ...volume,
    metadata: { ...metadata, ...(annotations && { annotations }) },
    spec: { ...spec, claimRef: refTo(claim) },
  });
}

async function writeStatus(
  { client }: WorkloadDeps,
  claim: PersistentVolumeClaim,
  status: NonNullable<PersistentVolumeClaim['status']>,
): Promise<void> {
  if (isDeepStrictEqual({ ...claim.status, ...status }, claim.status)) return;
  await client.update(
    PERSISTENT_VOLUME_CLAIMS,
    { ...claim, status: { ...claim.status, ...status } },
    { subresource: 'status' },
  );
}

/** Once in a while: a claim that waits is looked at again and again. */
function publish(
  { events }: VolumeClaimDeps,
  claim: PersistentVolumeClaim,
  type: 'Normal' | 'Warning',
  reason: string,
  message: string,
): void {
  events.publish({ on: subjectOf(claim, PERSISTENT_VOLUME_CLAIMS), type, reason, message });
}
