import type { Instant } from '@karpenter-ts/runtime';
import type { InformerCaches } from '../state/caches.ts';
import { objectKey, type Pod, type VolumeAttachment } from '@karpenter-ts/kubernetes';
import { volumeClaimNameOf } from '../pods/volume-checks.ts';
import { podsOn } from '../state/node-nodeclaim-links.ts';
import { isDrainable } from './pod-drain.ts';

type VolumeCaches = Pick<InformerCaches, 'pods' | 'volumeAttachments' | 'persistentVolumes' | 'persistentVolumeClaims'>;

/**
 * VolumeAttachments that must be gone before the instance is deleted, so that the volumes can be attached elsewhere.
 * Volumes of pods that are not drained are not waited for, nor those without a PersistentVolume, which nobody needs
 * again (spec 03 §7.6).
 */
export function pendingAttachments(nodeName: string, caches: VolumeCaches, now: Instant): readonly VolumeAttachment[] {
  const attachments = caches.volumeAttachments.byIndex('node', nodeName);
  if (attachments.length === 0) return [];
  const staying = podsOn(nodeName, caches).filter((pod) => !isDrainable(pod, now));
  const kept = new Set(staying.flatMap((pod) => volumesOf(pod, caches)));
  return attachments.filter(({ spec }) => {
    const volume = spec.source.persistentVolumeName;
    return volume !== undefined && !kept.has(volume) && caches.persistentVolumes.get(volume) !== undefined;
  });
}

/** Names of the PersistentVolumes a pod uses, as far as its PersistentVolumeClaims exist. */
function volumesOf(pod: Pod, { persistentVolumeClaims }: VolumeCaches): readonly string[] {
  return (pod.spec.volumes ?? []).flatMap((volume) => {
    const name = volumeClaimNameOf(pod, volume);
    if (name === undefined) return [];
    const volumeClaim = persistentVolumeClaims.get(objectKey({ namespace: pod.metadata.namespace, name }));
    return volumeClaim?.spec.volumeName ?? [];
  });
}
