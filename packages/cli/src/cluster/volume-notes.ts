import type { OfflineObjects } from '@karpenter-ts/core';
import type { Pod } from '@karpenter-ts/kubernetes';

/**
 * The objects without the volume claims of pods. Neither cluster files nor manifests say where the volumes are, and a pod
 * whose claim does not exist would be left out of every plan.
 */
export function withoutVolumeClaims(objects: OfflineObjects): {
  readonly objects: OfflineObjects;
  readonly notes: readonly string[];
} {
  const claiming = objects.pods.filter(hasVolumeClaim).length;
  if (claiming === 0) return { objects, notes: [] };
  const pods = objects.pods.map((pod) => (hasVolumeClaim(pod) ? withoutClaims(pod) : pod));
  const note = `warning: ${claiming} of ${pods.length} pods have volume claims: where their volumes are is not known, and not looked at`;
  return { objects: { ...objects, pods }, notes: [note] };
}

function hasVolumeClaim({ spec }: Pod): boolean {
  return spec.volumes?.some(needsClaim) ?? false;
}

function withoutClaims(pod: Pod): Pod {
  return { ...pod, spec: { ...pod.spec, volumes: pod.spec.volumes?.filter((volume) => !needsClaim(volume)) } };
}

function needsClaim(volume: NonNullable<Pod['spec']['volumes']>[number]): boolean {
  return volume.persistentVolumeClaim !== undefined || volume.ephemeral !== undefined;
}
