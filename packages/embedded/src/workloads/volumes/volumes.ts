import { type Controller, DONE, kindSource, unlessGone } from '@karpenter-ts/runtime';
import {
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  type PersistentVolume,
  type PersistentVolumeClaim,
} from '@karpenter-ts/kubernetes';
import type { WorkloadDeps } from '../workload-deps.ts';
import { BOUND_BY_CONTROLLER, PROVISIONED_BY } from './binding.ts';

/**
 * The persistent volume controller for volumes: sets their phase to Available, Bound or Released. Released volumes are
 * deleted by their provisioner.
 */
export function volumeController(deps: WorkloadDeps): Controller {
  const { caches } = deps;
  return {
    name: 'persistentvolume-binder',
    kind: { group: '', kind: 'PersistentVolume' },
    sources: [
      kindSource(caches.persistentVolumes),
      kindSource(caches.persistentVolumeClaims, {
        keys: (volumeClaim) => [
          ...volumesFor(deps, volumeClaim),
          ...(volumeClaim.spec.volumeName ? [volumeClaim.spec.volumeName] : []),
        ],
      }),
    ],
    reconcile: async (name) => {
      const volume = caches.persistentVolumes.get(name);
      if (volume !== undefined) await sync(deps, volume);
      return DONE;
    },
  };
}

function volumesFor({ caches }: WorkloadDeps, { metadata }: PersistentVolumeClaim): readonly string[] {
  const volumes = caches.persistentVolumes.list();
  const named = volumes.filter(
    ({ spec }) => spec.claimRef?.name === metadata.name && spec.claimRef.namespace === metadata.namespace,
  );
  return named.map((volume) => volume.metadata.name);
}

async function sync(deps: WorkloadDeps, volume: PersistentVolume): Promise<void> {
  const { claimRef } = volume.spec;
  if (!claimRef?.uid) return writePhase(deps, volume, 'Available');
  const volumeClaim = await findVolumeClaim(deps, volume);
  if (volumeClaim === undefined) return writePhase(deps, volume, 'Released');
  const { volumeName } = volumeClaim.spec;
  if (!volumeName) return; // the claim's own pass completes the binding
  if (volumeName === volume.metadata.name) return writePhase(deps, volume, 'Bound');
  const annotations = volume.metadata.annotations ?? {};
  // The volume claim is bound to another volume. This one was provisioned or bound in vain.
  if (annotations[PROVISIONED_BY] !== undefined) return writePhase(deps, volume, 'Released');
  if (annotations[BOUND_BY_CONTROLLER] !== undefined) await unbind(deps, volume);
}

/**
 * The cache may not show the volume claim yet, and releasing a volume whose volume claim exists would lose its data.
 */
async function findVolumeClaim(
  { client, caches }: WorkloadDeps,
  { spec, status }: PersistentVolume,
): Promise<PersistentVolumeClaim | undefined> {
  const { namespace, name = '', uid } = spec.claimRef ?? {};
  const known = caches.persistentVolumeClaims.get(`${namespace}/${name}`);
  if (known?.metadata.uid === uid) return known;
  if (status?.phase === 'Released' || status?.phase === 'Failed') return undefined;
  const live = await unlessGone(client.get<PersistentVolumeClaim>(PERSISTENT_VOLUME_CLAIMS, { namespace, name }));
  return live?.metadata.uid === uid ? live : undefined;
}

async function unbind({ client }: WorkloadDeps, volume: PersistentVolume): Promise<void> {
  const { claimRef: _ref, ...spec } = volume.spec;
  const { [BOUND_BY_CONTROLLER]: _by, ...annotations } = volume.metadata.annotations ?? {};
  await client.update(PERSISTENT_VOLUMES, { ...volume, metadata: { ...volume.metadata, annotations }, spec });
}

async function writePhase({ client }: WorkloadDeps, volume: PersistentVolume, phase: string): Promise<void> {
  if (volume.status?.phase === phase) return;
  await client.update(
    PERSISTENT_VOLUMES,
    { ...volume, status: { ...volume.status, phase } },
    { subresource: 'status' },
  );
}
