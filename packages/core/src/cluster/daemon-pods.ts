import type { Pod } from '../kinds/pod.ts';

/**
 * The newest pod of each DaemonSet, whatever its phase: the next one will look like it, as admission may change what the
 * template says. It is remembered when it is gone, until a newer one comes or its DaemonSet goes (spec 02 §5.2).
 */
export class DaemonPods {
  readonly #newest = new Map<string, Pod>(); // by uid of the DaemonSet

  /** A pod as it is now. */
  see(pod: Pod): void {
    const owner = pod.metadata.ownerReferences?.find(({ controller }) => controller === true);
    if (owner?.kind !== 'DaemonSet') return;
    const newest = this.#newest.get(owner.uid);
    if (newest === undefined || isSame(pod, newest) || isNewer(pod, newest)) this.#newest.set(owner.uid, pod);
  }

  forget(daemonSetUid: string): void {
    this.#newest.delete(daemonSetUid);
  }

  find(daemonSetUid: string): Pod | undefined {
    return this.#newest.get(daemonSetUid);
  }
}

function isSame(a: Pod, b: Pod): boolean {
  return a.metadata.uid === b.metadata.uid;
}

/** Times of the API all have the same form, so that they sort as texts. */
function isNewer(a: Pod, b: Pod): boolean {
  return (a.metadata.creationTimestamp ?? '') > (b.metadata.creationTimestamp ?? '');
}
