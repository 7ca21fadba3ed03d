import type { PendingPod } from './pending-pod.ts';

const NOBODY: readonly PendingPod[] = [];

/** Which pending pods have been promised a node. */
export class Nominations {
  readonly #pods = new Map<string, PendingPod>();
  readonly #byNode = new Map<string, Set<PendingPod>>();

  get isEmpty(): boolean {
    return this.#pods.size === 0;
  }

  /** The pod, if a node is promised to it. */
  find(key: string): PendingPod | undefined {
    return this.#pods.get(key);
  }

  set(pod: PendingPod): void {
    this.delete(pod.key);
    const { key, nominatedNode } = pod;
    if (nominatedNode === undefined) return;
    this.#pods.set(key, pod);
    const pods = this.#byNode.get(nominatedNode);
    if (pods === undefined) this.#byNode.set(nominatedNode, new Set([pod]));
    else pods.add(pod);
  }

  delete(key: string): void {
    const pod = this.#pods.get(key);
    const node = pod?.nominatedNode;
    if (pod === undefined || node === undefined) return;
    this.#pods.delete(key);
    const pods = this.#byNode.get(node)!;
    pods.delete(pod);
    if (pods.size === 0) this.#byNode.delete(node);
  }

  /** The other pods promised this node whose priority is at least that of `pod`. */
  aheadOf(pod: PendingPod, node: string): readonly PendingPod[] {
    const pods = this.#byNode.get(node);
    if (pods === undefined) return NOBODY;
    return [...pods].filter(({ key, priority }) => key !== pod.key && priority >= pod.priority);
  }
}
