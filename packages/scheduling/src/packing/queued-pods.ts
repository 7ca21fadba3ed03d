import type { Pod } from '@karpenter-ts/kubernetes';
import { attachedVolumeClaims } from '../checks/volume-limits.ts';
import type { InternTables } from '../model/intern-tables.ts';
import type { BoundPod, BoundPods } from '../model/nodes/bound-pods.ts';
import type { PodClass, PodClasses } from '../model/pods/pod-class.ts';
import { podId } from '../model/pods/pod-id.ts';
import type { PodShape } from '../model/pods/pod-shape.ts';
import type { ResourceTable } from '../model/resources/resource-table.ts';
import type { Snapshot } from '../snapshot.ts';
import type { Demands } from './demand.ts';
import type { QueuedPod } from './queued-pod.ts';

interface QueuedPodTables {
  readonly internTables: InternTables;
  readonly resources: ResourceTable;
  readonly classes: PodClasses;
  readonly demands: Demands;
  readonly bound: BoundPods;
}

/** The pods of a snapshot that are to be placed, and what it takes to place others as well. */
export class QueuedPods {
  /** The pods of the snapshot, in its order. */
  readonly all: QueuedPod[] = [];
  readonly #snapshot: Snapshot;
  readonly #tables: QueuedPodTables;
  readonly #deletingNodes: ReadonlySet<string>;
  #ids: ReadonlySet<string> | undefined;

  constructor(snapshot: Snapshot, tables: QueuedPodTables) {
    this.#snapshot = snapshot;
    this.#tables = tables;
    this.#deletingNodes = new Set(snapshot.deletingNodes.map(({ name }) => name));
  }

  /** Adds a pod of the snapshot. */
  add(pod: Pod, shape: PodShape): void {
    this.all.push(this.#toQueued(pod, shape, this.#tables.bound.find(pod)));
  }

  /** Whether a pod is one of the snapshot's own. */
  has(pod: Pod): boolean {
    this.#ids ??= new Set(this.#snapshot.pods.map(podId));
    return this.#ids.has(podId(pod));
  }

  /**
   * Any other pod as a run places it. The result is `undefined` if the pod refers to something that nothing in the snapshot
   * refers to: the snapshot must then be indexed again together with the pod.
   */
  find(pod: Pod): QueuedPod | undefined {
    const { internTables, resources } = this.#tables;
    const bound = this.#tables.bound.find(pod);
    if (bound?.pod === pod) return this.#toQueued(pod, bound.podClass.shape, bound);
    const shape = bound?.podClass.shape ?? internTables.read(pod);
    const isKnown = internTables.namespaces.isKnown(pod.metadata.namespace ?? 'default');
    if (!isKnown || internTables.referencedLabels.hasLateLabels || !resources.knows(shape.requests)) return undefined;
    return this.#toQueued(pod, shape, bound);
  }

  #toQueued(pod: Pod, shape: PodShape, bound: BoundPod | undefined): QueuedPod {
    const { internTables, demands } = this.#tables;
    const requests = demands.requestsOf(shape);
    const volumeClaims = pod.spec.volumes === undefined ? [] : attachedVolumeClaims(pod, internTables.volumes);
    return { pod, podClass: this.#classOf(pod, shape, bound), requests, volumeClaims, bound };
  }

  /** Pods on nodes are of the class that they would be of if they were moved. */
  #classOf(pod: Pod, shape: PodShape, bound: BoundPod | undefined): PodClass {
    const isPending = pod.status?.phase === 'Pending' || this.#deletingNodes.has(pod.spec.nodeName ?? '');
    if (bound?.pod === pod && !isPending) return bound.podClass;
    return this.#tables.classes.of(pod, shape, !isPending);
  }
}
