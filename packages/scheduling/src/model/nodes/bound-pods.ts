import { podId } from '../pods/pod-id.ts';
import type { Pod } from '@karpenter-ts/kubernetes';
import type { PodClass, PodKind } from '../pods/pod-class.ts';
import type { ClusterNode } from './cluster-nodes.ts';

/** A pod on a node. */
export interface BoundPod {
  readonly pod: Pod;
  readonly podClass: PodClass;
  readonly node: ClusterNode;
  /** Terminating pods are no neighbours any more, but keep others away until they are gone (spec 02 §16). */
  readonly isTerminating: boolean;
}

/** The bound pods of one kind. */
export interface KindOnNodes {
  readonly kind: PodKind;
  readonly pods: readonly BoundPod[];
}

/** The pods on all nodes, findable by id, kind and node. */
export class BoundPods {
  readonly #byId = new Map<string, BoundPod>();
  readonly #byKind = new Map<PodKind, { readonly kind: PodKind; readonly pods: BoundPod[] }>();
  readonly #byNode: BoundPod[][] = [];

  add(pod: Pod, podClass: PodClass, node: ClusterNode): void {
    const bound = { pod, podClass, node, isTerminating: pod.metadata.deletionTimestamp !== undefined };
    this.#byId.set(podId(pod), bound);
    const ofKind = this.#byKind.get(podClass.kind);
    if (ofKind === undefined) this.#byKind.set(podClass.kind, { kind: podClass.kind, pods: [bound] });
    else ofKind.pods.push(bound);
    this.#byNode[node.index] ??= [];
    this.#byNode[node.index]!.push(bound);
  }

  find(pod: Pod): BoundPod | undefined {
    return this.#byId.get(podId(pod));
  }

  onNode({ index }: ClusterNode): readonly BoundPod[] {
    return this.#byNode[index] ?? [];
  }

  /** Every kind that has a pod somewhere. */
  kinds(): Iterable<KindOnNodes> {
    return this.#byKind.values();
  }
}
