import { LoggedRef, type Logger, notFoundText } from '@karpenter-ts/runtime';
import { objectKey, type Pod, STORAGE_CLASSES } from '@karpenter-ts/kubernetes';
import type { ExistingNode } from '@karpenter-ts/scheduling';
import type { StateNode } from '../state/state-node.ts';
import { volumeClaimNameOf, missingVolumeClaimText, type StorageObjects } from '../pods/volume-checks.ts';

/**
 * Logs volumes on nodes whose CSI driver cannot be determined: they do not count against the node's limits (spec 02
 * §14). A node is checked again after it has changed.
 */
export class UntrackedVolumes {
  readonly #objects: StorageObjects;
  readonly #reported = new WeakSet<ExistingNode>();

  constructor(objects: StorageObjects) {
    this.#objects = objects;
  }

  report({ existing }: StateNode, logger: Logger): void {
    if (this.#reported.has(existing)) return;
    this.#reported.add(existing);
    for (const pod of existing.pods) {
      for (const volume of pod.spec.volumes ?? []) {
        const volumeClaim = volumeClaimNameOf(pod, volume);
        if (volumeClaim !== undefined)
          this.#check(pod, volumeClaim, logger.with({ Pod: refOf(pod), volume: volume.name }));
      }
    }
  }

  #check({ metadata }: Pod, claimName: string, logger: Logger): void {
    const message = 'failed tracking CSI volume limits for volume';
    const { persistentVolumeClaims, storageClasses } = this.#objects;
    const volumeClaim = persistentVolumeClaims.get(objectKey({ namespace: metadata.namespace, name: claimName }));
    if (volumeClaim === undefined) {
      logger.error(message, new Error(missingVolumeClaimText(claimName)));
      return;
    }
    const { volumeName, storageClassName } = volumeClaim.spec;
    if (volumeName) return;
    const fields = { PersistentVolumeClaim: new LoggedRef(volumeClaim.metadata) };
    if (!storageClassName) {
      logger.debug(`${message} with unbound PVC, no storage class specified`, fields);
    } else if (storageClasses.get(storageClassName) === undefined) {
      const StorageClass = new LoggedRef({ name: storageClassName });
      const error = notFoundText(STORAGE_CLASSES, storageClassName);
      logger.debug(`${message} with unbound PVC`, { ...fields, StorageClass, error });
    }
  }
}

function refOf({ metadata }: Pod): LoggedRef {
  return new LoggedRef(metadata);
}
