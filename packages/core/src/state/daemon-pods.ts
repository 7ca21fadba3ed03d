import type { Pod } from '../kinds/pod.ts';

/**
 * The newest pod of each DaemonSet, whatever its phase: the next one will look like it, as admission may change what the
 * template says. It is remembered when it is gone, until a newer one comes or its DaemonSet goes (spec 02 §5.2).
 *
 * Pods outlive their DaemonSet for a while, and may be seen before it: a pod of a DaemonSet that is not there is held only
 * as long as the pod exists.
 */
export class DaemonPods {
  readonly #newest = new Map<string, Pod>(); // by uid of the DaemonSet
  readonly #daemonSets = new Set<string>(); // uids of those that exist

  /** How many pods are held. */
  get size(): number {
    return this.#newest.size;
  }

  /** A DaemonSet is there. */
  addDaemonSet(uid: string): void {
    this.#daemonSets.add(uid);
  }

  /** A DaemonSet is gone. */
  removeDaemonSet(uid: string): void {
    this.#daemonSets.delete(uid);
    this.#newest.delete(uid);
  }

  /** A pod as it is now, and as it was before if it was seen. */
  see(old: Pod | undefined, pod: Pod): void {
    const uid = findDaemonSet(pod);
    if (old !== undefined && findDaemonSet(old) !== uid) this.remove(old);
    if (uid === undefined) return;
    const newest = this.#newest.get(uid);
    if (newest === undefined || isSame(pod, newest) || isNewer(pod, newest)) this.#newest.set(uid, pod);
  }

  /** A pod is gone, or belongs to another. */
  remove(pod: Pod): void {
    const uid = findDaemonSet(pod);
    if (uid !== undefined && !this.#daemonSets.has(uid)) this.#newest.delete(uid);
  }

  find(daemonSetUid: string): Pod | undefined {
    return this.#newest.get(daemonSetUid);
  }
}

/** The uid of the DaemonSet that controls a pod. */
function findDaemonSet({ metadata }: Pod): string | undefined {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  return owner?.kind === 'DaemonSet' ? owner.uid : undefined;
}

function isSame(a: Pod, b: Pod): boolean {
  return a.metadata.uid === b.metadata.uid;
}

/** Times of the API all have the same form, so that they sort as texts. */
function isNewer(a: Pod, b: Pod): boolean {
  return (a.metadata.creationTimestamp ?? '') > (b.metadata.creationTimestamp ?? '');
}
