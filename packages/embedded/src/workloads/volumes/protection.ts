import {
  type ApiObject,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  type ResourceType,
} from '@karpenter-ts/kubernetes';
import { type Client, type Controller, DONE, kindSource, unlessGone } from '@karpenter-ts/runtime';
import type { WorkloadDeps } from '../workload-deps.ts';

const CLAIM_FINALIZER = 'kubernetes.io/pvc-protection';
const VOLUME_FINALIZER = 'kubernetes.io/pv-protection';

/** Keeps volume claims that are being deleted while a pod on a node uses them. */
export function volumeClaimProtectionController({ client, caches }: WorkloadDeps): Controller {
  return {
    name: 'pvc-protection',
    kind: { group: '', kind: 'PersistentVolumeClaim' },
    sources: [
      kindSource(caches.persistentVolumeClaims),
      kindSource(caches.pods, {
        when: ({ type, object }) =>
          type === 'deleted' || (type === 'updated' && object.metadata.deletionTimestamp !== undefined),
        keys: ({ metadata, spec }) =>
          (spec.volumes ?? []).map(
            ({ name, persistentVolumeClaim }) =>
              `${metadata.namespace}/${persistentVolumeClaim?.claimName ?? `${metadata.name}-${name}`}`,
          ),
      }),
    ],
    reconcile: async (key) => {
      const volumeClaim = caches.persistentVolumeClaims.get(key);
      if (volumeClaim === undefined) return DONE;
      const isUsed = caches.pods.byIndex('volumeClaim', key).some((pod) => Boolean(pod.spec.nodeName));
      await protect(client, {
        type: PERSISTENT_VOLUME_CLAIMS,
        object: volumeClaim,
        finalizer: CLAIM_FINALIZER,
        isUsed,
      });
      return DONE;
    },
  };
}

/** Keeps volumes that are being deleted while they are bound. */
export function volumeProtectionController({ client, caches }: WorkloadDeps): Controller {
  return {
    name: 'pv-protection',
    kind: { group: '', kind: 'PersistentVolume' },
    sources: [kindSource(caches.persistentVolumes)],
    reconcile: async (name) => {
      const volume = caches.persistentVolumes.get(name);
      if (volume === undefined) return DONE;
      const isUsed = volume.status?.phase === 'Bound';
      await protect(client, { type: PERSISTENT_VOLUMES, object: volume, finalizer: VOLUME_FINALIZER, isUsed });
      return DONE;
    },
  };
}

/** Adds the finalizer to what is not being deleted, and removes it from what is, once nothing uses it. */
async function protect(
  client: Client,
  {
    type,
    object,
    finalizer,
    isUsed,
  }: {
    readonly type: ResourceType;
    readonly object: ApiObject;
    readonly finalizer: string;
    readonly isUsed: boolean;
  },
): Promise<void> {
  const { metadata } = object;
  const { finalizers = [], resourceVersion } = metadata;
  const isHeld = finalizers.includes(finalizer);
  const isWanted = metadata.deletionTimestamp === undefined || isUsed;
  if (isHeld === isWanted || (metadata.deletionTimestamp !== undefined && !isHeld)) return;
  const next = isWanted ? [...finalizers, finalizer] : finalizers.filter((each) => each !== finalizer);
  const body = { metadata: { resourceVersion, finalizers: next } };
  await unlessGone(client.patch(type, metadata, { type: 'merge', body }));
}
