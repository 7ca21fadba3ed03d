import type { MissingVolumeObject } from '../../failure.ts';
import type { PersistentVolume, PersistentVolumeClaim, Pod, StorageClass, Volume } from '@karpenter-ts/kubernetes';
import type { Volumes } from '../../snapshot.ts';

/** What stands behind a volume of a pod. A claim that is not bound has only the class it will be provisioned by. */
export type Backing =
  | { readonly kind: 'bound'; readonly volumeClaim: PersistentVolumeClaim; readonly volume: PersistentVolume }
  | {
      readonly kind: 'unbound';
      readonly volumeClaim: PersistentVolumeClaim;
      readonly storageClass: StorageClass | undefined;
    }
  | { readonly kind: 'missing'; readonly missing: MissingVolumeObject };

/** The snapshot's storage objects by name; indexed when the first pod with a claim is read. */
export class VolumeObjects {
  readonly #volumes: Volumes;
  #volumeClaims: ReadonlyMap<string, PersistentVolumeClaim> | undefined;
  #persistentVolumes: ReadonlyMap<string, PersistentVolume> | undefined;
  #storageClasses: ReadonlyMap<string, StorageClass> | undefined;

  constructor(volumes: Volumes) {
    this.#volumes = volumes;
  }

  /** What backs a volume; `undefined` for kinds without a claim (emptyDir, hostPath, …). */
  findBacking(pod: Pod, volume: Volume): Backing | undefined {
    const name = claimName(pod, volume);
    if (name === undefined) return undefined;
    const volumeClaim = this.#volumeClaimsByName().get(name);
    if (volumeClaim === undefined) return { kind: 'missing', missing: { kind: 'PersistentVolumeClaim', name } };
    const { volumeName, storageClassName } = volumeClaim.spec;
    if (volumeName) return this.#bound(volumeClaim, volumeName);
    return storageClassName
      ? this.#unbound(volumeClaim, storageClassName)
      : { kind: 'unbound', volumeClaim, storageClass: undefined };
  }

  #bound(volumeClaim: PersistentVolumeClaim, name: string): Backing {
    this.#persistentVolumes ??= new Map(
      this.#volumes.persistentVolumes.map((volume) => [volume.metadata.name, volume]),
    );
    const volume = this.#persistentVolumes.get(name);
    if (volume === undefined) return { kind: 'missing', missing: { kind: 'PersistentVolume', name } };
    return { kind: 'bound', volumeClaim, volume };
  }

  #unbound(volumeClaim: PersistentVolumeClaim, name: string): Backing {
    this.#storageClasses ??= new Map(this.#volumes.storageClasses.map((one) => [one.metadata.name, one]));
    const storageClass = this.#storageClasses.get(name);
    if (storageClass === undefined) return { kind: 'missing', missing: { kind: 'StorageClass', name } };
    return { kind: 'unbound', volumeClaim, storageClass };
  }

  #volumeClaimsByName(): ReadonlyMap<string, PersistentVolumeClaim> {
    this.#volumeClaims ??= new Map(
      this.#volumes.volumeClaims.map((volumeClaim) => [volumeClaimId(volumeClaim), volumeClaim]),
    );
    return this.#volumeClaims;
  }
}

/** `namespace/name` of a claim. */
export function volumeClaimId({ metadata }: PersistentVolumeClaim): string {
  return `${metadata.namespace ?? 'default'}/${metadata.name}`;
}

function claimName({ metadata }: Pod, volume: Volume): string | undefined {
  const namespace = metadata.namespace ?? 'default';
  if (volume.persistentVolumeClaim !== undefined) return `${namespace}/${volume.persistentVolumeClaim.claimName}`;
  return volume.ephemeral === undefined ? undefined : `${namespace}/${metadata.name}-${volume.name}`;
}
