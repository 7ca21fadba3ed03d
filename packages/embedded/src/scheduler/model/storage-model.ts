import {
  CLASS_ANNOTATION,
  type CsiNode,
  type PersistentVolume,
  type PersistentVolumeClaim,
  SELECTED_NODE,
  type StorageClass,
  type VolumeAttachment,
} from '@karpenter-ts/kubernetes';

/** Objects of a kind by key, with a count of their changes. */
class Objects<T> {
  readonly #objects = new Map<string, T>();
  readonly #changed: () => void;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  values(): Iterable<T> {
    return this.#objects.values();
  }

  set(key: string, object: T): void {
    this.#objects.set(key, object);
    this.#changed();
  }

  delete(key: string): void {
    this.#objects.delete(key);
    this.#changed();
  }
}

/** The state of volumes, volume claims and classes, with assumed bindings that are not yet seen. */
export class StorageModel {
  #generation = 0;
  readonly #changed = (): void => {
    this.#generation++;
  };
  readonly volumeClaims = new Objects<PersistentVolumeClaim>(this.#changed);
  readonly volumes = new Objects<PersistentVolume>(this.#changed);
  readonly classes = new Objects<StorageClass>(this.#changed);
  readonly csiNodes = new Objects<CsiNode>(this.#changed);
  readonly attachments = new Objects<VolumeAttachment>(this.#changed);
  /** Assumed bindings: volume name to volume claim key. */
  readonly #promised = new Map<string, string>();
  /** Nodes selected for volume claims whose volume is to be provisioned: volume claim key to node name. */
  readonly #chosen = new Map<string, string>();

  get generation(): number {
    return this.#generation;
  }

  /** The volume claim that a volume is reserved for. */
  findPromise(volume: PersistentVolume): string | undefined {
    return this.#promised.get(volume.metadata.name);
  }

  /** The node for which the volume claim's volume is being provisioned. */
  findSelectedNode(volumeClaimKey: string): string | undefined {
    return (
      this.#chosen.get(volumeClaimKey) ?? this.volumeClaims.get(volumeClaimKey)?.metadata.annotations?.[SELECTED_NODE]
    );
  }

  promise(volumeName: string, volumeClaimKey: string): void {
    this.#promised.set(volumeName, volumeClaimKey);
    this.#changed();
  }

  choose(volumeClaimKey: string, nodeName: string): void {
    this.#chosen.set(volumeClaimKey, nodeName);
    this.#changed();
  }

  /** Drops the assumptions about this volume claim: only the API server's state counts again. */
  release(volumeClaimKey: string): void {
    this.#chosen.delete(volumeClaimKey);
    for (const [volume, key] of this.#promised) if (key === volumeClaimKey) this.#promised.delete(volume);
    this.#changed();
  }
}

/** The class of a claim or volume by name; '' for none. */
export function classNameOf({ metadata, spec }: PersistentVolumeClaim | PersistentVolume): string {
  return metadata.annotations?.[CLASS_ANNOTATION] ?? spec.storageClassName ?? '';
}
