import type { Pod } from '@karpenter-ts/kubernetes';

/** A claim a pod mounts. */
export interface VolumeClaimUse {
  readonly name: string;
  /** Its key among claims: namespace and name. */
  readonly key: string;
  /** Set when the claim is made for the pod alone, and must belong to it. */
  readonly pod?: { readonly name: string; readonly uid: string };
}

/** The claims of a pod's volumes, in their order. */
export function volumeClaimUses({ metadata, spec }: Pod): readonly VolumeClaimUse[] {
  const uses: VolumeClaimUse[] = [];
  for (const { name: volume, persistentVolumeClaim, ephemeral } of spec.volumes ?? []) {
    if (persistentVolumeClaim !== undefined) {
      const name = persistentVolumeClaim.claimName;
      uses.push({ name, key: `${metadata.namespace}/${name}` });
    } else if (ephemeral !== undefined) {
      const name = `${metadata.name}-${volume}`;
      uses.push({ name, key: `${metadata.namespace}/${name}`, pod: { name: metadata.name, uid: metadata.uid ?? '' } });
    }
  }
  return uses;
}
