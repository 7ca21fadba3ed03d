import type { AttachedClaim } from '../checks/volume-limits.ts';
import { podId, type Pod } from '../objects/pod.ts';
import { CPU, MEMORY, type ResourceVector } from '../resources/resource-table.ts';
import type { PodClass } from './pod-class.ts';

/** A pod to be placed. */
export interface QueuedPod {
  readonly pod: Pod;
  readonly podClass: PodClass;
  readonly requests: ResourceVector;
  /** Its own, which pods of its class do not share. */
  readonly claims: readonly AttachedClaim[];
}

/**
 * The pods to place, largest first. A pod that fails goes to the back, because one placed meanwhile may have opened a
 * place for it; the queue ends when a whole lap brought nothing (spec 02 §8.1).
 */
export class PodQueue {
  readonly #pods: QueuedPod[];
  readonly #lengthWhenPushed = new Map<QueuedPod, number>();
  #front = 0;

  constructor(pods: readonly QueuedPod[]) {
    this.#pods = pods.toSorted(comparePods);
  }

  get length(): number {
    return this.#pods.length - this.#front;
  }

  /** The next pod to try; `undefined` when there is none, or no hope. */
  pop(): QueuedPod | undefined {
    const pod = this.#pods[this.#front];
    if (pod === undefined || this.#lengthWhenPushed.get(pod) === this.length) return undefined;
    this.#front++;
    return pod;
  }

  push(pod: QueuedPod): void {
    this.#pods.push(pod);
    this.#lengthWhenPushed.set(pod, this.length);
  }

  /** Those still in it. */
  rest(): readonly QueuedPod[] {
    return this.#pods.slice(this.#front);
  }

  /** All of them in order, before any is popped. */
  all(): readonly QueuedPod[] {
    return this.#pods;
  }
}

function comparePods(a: QueuedPod, b: QueuedPod): number {
  return (
    b.requests[CPU]! - a.requests[CPU]! ||
    b.requests[MEMORY]! - a.requests[MEMORY]! ||
    compareText(a.pod.metadata.creationTimestamp ?? '', b.pod.metadata.creationTimestamp ?? '') ||
    compareText(podId(a.pod), podId(b.pod))
  );
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : +(a > b);
}
