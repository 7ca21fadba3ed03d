import type { Pod } from '@karpenter-ts/kubernetes';

/**
 * The newest pod of each DaemonSet in any phase. Planning takes it as the model for the DaemonSet's next pod, because
 * admission may have changed what the template says. The pod is remembered after it is gone, until a newer one appears
 * or the DaemonSet is deleted (spec 02 §5.2).
 *
 * A pod may be seen before its DaemonSet, and outlives it for a while. The pod of an unknown DaemonSet is held only as
 * long as the pod exists.
 */
export class DaemonPods {
  readonly #newest = new Map<string, Pod>(); // by uid of the DaemonSet
  readonly #daemonSets = new Set<string>(); // uids of the DaemonSets that exist

  /** The number of pods held. */
  get size(): number {
    return this.#newest.size;
  }

  /** A DaemonSet was created. */
  addDaemonSet(uid: string): void {
    this.#daemonSets.add(uid);
  }

  /** A DaemonSet was deleted. */
  removeDaemonSet(uid: string): void {
    this.#daemonSets.delete(uid);
    this.#newest.delete(uid);
  }

  /** Takes a pod as it is now, and as it was before if it was seen before. */
  see(old: Pod | undefined, pod: Pod): void {
    const uid = findDaemonSet(pod);
    if (old !== undefined && findDaemonSet(old) !== uid) this.remove(old);
    if (uid === undefined) return;
    const newest = this.#newest.get(uid);
    if (newest === undefined || isSame(pod, newest) || isNewer(pod, newest)) this.#newest.set(uid, pod);
  }

  /** A pod is gone, or its owner has changed. */
  remove(pod: Pod): void {
    const uid = findDaemonSet(pod);
    if (uid !== undefined && !this.#daemonSets.has(uid)) this.#newest.delete(uid);
  }

  find(daemonSetUid: string): Pod | undefined {
    return this.#newest.get(daemonSetUid);
  }
}

/** The uid of the DaemonSet that controls the pod. */
function findDaemonSet({ metadata }: Pod): string | undefined {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  return owner?.kind === 'DaemonSet' ? owner.uid : undefined;
}

function isSame(a: Pod, b: Pod): boolean {
  return a.metadata.uid === b.metadata.uid;
}

/** Timestamps of the API have one form and compare as strings. */
function isNewer(a: Pod, b: Pod): boolean {
  return (a.metadata.creationTimestamp ?? '') > (b.metadata.creationTimestamp ?? '');
}
