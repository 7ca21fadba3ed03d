import { ZONE_LABEL } from '@karpenter-ts/apis';
import {
  type Controller,
  DONE,
  type EventRecorder,
  isAlreadyExists,
  kindSource,
  unlessGone,
} from '@karpenter-ts/runtime';
import {
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type StorageClass,
} from '@karpenter-ts/kubernetes';
import { readSource } from '../read-source.ts';
import { subjectOf, type WorkloadDeps } from '../workload-deps.ts';
import { BIND_COMPLETED, PROVISIONED_BY, refTo, SELECTED_NODE } from './binding.ts';

/** The provisioner that storage classes of an embedded cluster name, unless told otherwise. */
export const SIMULATED_PROVISIONER = 'simulated.csi.karpenter-ts.dev';

interface ProvisionerDeps extends WorkloadDeps {
  readonly events: EventRecorder;
  readonly provisioners: readonly string[];
}

/**
 * A simulated external provisioner: creates volumes without content, each in one zone, and deletes them when their
 * volume claims are gone.
 */
export function provisionerController(
  workloadDeps: WorkloadDeps,
  provisioners: readonly string[] = [SIMULATED_PROVISIONER],
): Controller {
  const events = workloadDeps.recorder(provisioners[0] ?? SIMULATED_PROVISIONER);
  const deps: ProvisionerDeps = { ...workloadDeps, events, provisioners };
  const { caches } = deps;
  return {
    name: 'volume-provisioner',
    kind: { group: '', kind: 'PersistentVolumeClaim' },
    concurrency: 10,
    sources: [kindSource(caches.persistentVolumeClaims), readSource(caches.storageClasses), readSource(caches.nodes)],
    reconcile: async (key) => {
      const volumeClaim = caches.persistentVolumeClaims.get(key);
      const storageClass = volumeClaim && findClass(deps, volumeClaim);
      if (volumeClaim !== undefined && storageClass !== undefined) await provision(deps, volumeClaim, storageClass);
      return DONE;
    },
  };
}

/** Deletes released volumes of the simulated provisioners. */
export function volumeDeleterController(
  { client, caches }: WorkloadDeps,
  provisioners: readonly string[] = [SIMULATED_PROVISIONER],
): Controller {
  return {
    name: 'volume-deleter',
    kind: { group: '', kind: 'PersistentVolume' },
    sources: [kindSource(caches.persistentVolumes)],
    reconcile: async (name) => {
      const volume = caches.persistentVolumes.get(name);
      const isOurs = provisioners.includes(volume?.metadata.annotations?.[PROVISIONED_BY] ?? '');
      const isLeft = volume?.status?.phase === 'Released' && volume.spec.persistentVolumeReclaimPolicy === 'Delete';
      if (!isOurs || !isLeft || volume.metadata.deletionTimestamp !== undefined) return DONE;
      await unlessGone(client.delete(PERSISTENT_VOLUMES, { name }));
      return DONE;
    },
  };
}

/** The class of a volume claim that waits for one of our volumes, and whose node is selected where that is needed. */
function findClass(
  { caches, provisioners }: ProvisionerDeps,
  { metadata, spec }: PersistentVolumeClaim,
): StorageClass | undefined {
  const { annotations = {}, deletionTimestamp } = metadata;
  const asked = annotations['volume.kubernetes.io/storage-provisioner'] ?? '';
  const isUnbound = !spec.volumeName && annotations[BIND_COMPLETED] === undefined && deletionTimestamp === undefined;
  if (!isUnbound || !provisioners.includes(asked)) return undefined;
  const storageClass = caches.storageClasses.get(spec.storageClassName ?? '');
  const isDelayed = storageClass?.volumeBindingMode === 'WaitForFirstConsumer';
  return isDelayed && annotations[SELECTED_NODE] === undefined ? undefined : storageClass;
}

async function provision(
  deps: ProvisionerDeps,
  volumeClaim: PersistentVolumeClaim,
  storageClass: StorageClass,
): Promise<void> {
  const name = `pvc-${volumeClaim.metadata.uid}`;
  try {
    await deps.client.create(
      PERSISTENT_VOLUMES,
      newVolume(name, volumeClaim, storageClass, zoneFor(deps, volumeClaim, storageClass)),
    );
  } catch (error) {
    if (isAlreadyExists(error)) return;
    throw error;
  }
  const message = `Successfully provisioned volume ${name}`;
  const on = subjectOf(volumeClaim, PERSISTENT_VOLUME_CLAIMS);
  deps.events.publish({ on, type: 'Normal', reason: 'ProvisioningSucceeded', message });
}

/** The zone of the node the scheduler selected; else one that the class allows, or any existing one, chosen by name. */
function zoneFor(
  { caches }: WorkloadDeps,
  { metadata }: PersistentVolumeClaim,
  storageClass: StorageClass,
): string | undefined {
  const selected = caches.nodes.get(metadata.annotations?.[SELECTED_NODE] ?? '');
  if (selected !== undefined) return selected.metadata.labels?.[ZONE_LABEL];
  const expressions = (storageClass.allowedTopologies ?? []).flatMap(
    (topology) => topology.matchLabelExpressions ?? [],
  );
  const allowed = expressions.filter(({ key }) => key === ZONE_LABEL).flatMap(({ values }) => values);
  const present = caches.nodes.list().map((node) => node.metadata.labels?.[ZONE_LABEL]);
  const zones = [...new Set(allowed.length > 0 ? allowed : present.filter((zone) => zone !== undefined))].toSorted();
  return zones[turnOf(metadata.name) % Math.max(1, zones.length)];
}

/** The pods of a StatefulSet rotate over the zones: the names of their volume claims end with their ordinals. */
function turnOf(name: string): number {
  const [, base = name, ordinal = '0'] = /^(.*)-(\d+)$/.exec(name) ?? [];
  const start = [...base].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 65_521, 0);
  return start + Number(ordinal);
}

function newVolume(
  name: string,
  volumeClaim: PersistentVolumeClaim,
  storageClass: StorageClass,
  zone: string | undefined,
): PersistentVolume {
  const { storage = '0' } = volumeClaim.spec.resources?.requests ?? {};
  const term = zone && { matchExpressions: [{ key: ZONE_LABEL, operator: 'In', values: [zone] }] };
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name, annotations: { [PROVISIONED_BY]: storageClass.provisioner } },
    spec: {
      capacity: { storage },
      accessModes: volumeClaim.spec.accessModes ?? [],
      volumeMode: volumeClaim.spec.volumeMode ?? 'Filesystem',
      storageClassName: storageClass.metadata.name,
      persistentVolumeReclaimPolicy: storageClass.reclaimPolicy ?? 'Delete',
      claimRef: refTo(volumeClaim),
      csi: { driver: storageClass.provisioner, volumeHandle: name },
      ...(term && { nodeAffinity: { required: { nodeSelectorTerms: [term] } } }),
    },
  };
}
