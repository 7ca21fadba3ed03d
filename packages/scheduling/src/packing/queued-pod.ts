import type { AttachedVolumeClaim } from '../checks/volume-limits.ts';
import type { BoundPod } from '../model/nodes/bound-pods.ts';
import { podId } from '../model/pods/pod-id.ts';
import type { Pod } from '@karpenter-ts/kubernetes';
import { CPU, MEMORY, type ResourceVector } from '../model/resources/resource-table.ts';
import type { PodClass } from '../model/pods/pod-class.ts';

/** A pod to be placed. */
export interface QueuedPod {
  readonly pod: Pod;
  readonly podClass: PodClass;
  readonly requests: ResourceVector;
  /** Its own volume claims, which pods of its class do not share. */
  readonly volumeClaims: readonly AttachedVolumeClaim[];
  /** The same pod on the node it is bound to. */
  readonly bound: BoundPod | undefined;
}

/** The order in which pods are placed: the largest first, then the oldest (spec 02 §8.1). */
export function compareQueued(a: QueuedPod, b: QueuedPod): number {
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
