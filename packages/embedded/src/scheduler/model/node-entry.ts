import type { Labels, Node, Taint } from '@karpenter-ts/kubernetes';
import { type HostPort, isPortConflict } from './host-port.ts';
import type { PodClass } from './pod-class.ts';
import { amountsOf } from './requests.ts';
import { CPU, MEMORY, type ResourceNames } from './resource-names.ts';

/**
 * A node and the totals of its pods. Pods may be bound to a node before it is seen, or stay bound after it is deleted;
 * then the entry exists, but not `isThere`. Only the snapshot changes it.
 */
export class NodeEntry {
  readonly name: string;
  isThere = false;
  labels: Labels = {};
  isUnschedulable = false;
  /** Taints that keep pods away. */
  taints: readonly Taint[] = [];
  /** Taints with the effect PreferNoSchedule. */
  softTaints: readonly Taint[] = [];
  /** The number of pods on the node, and its limit. */
  podCount = 0;
  maxPods = 0;
  /** As `Requests.scoredCpu` and `scoredMemory`, of all its pods. */
  scoredCpu = 0;
  scoredMemory = 0;
  /** How many pods of each class are on it. */
  readonly podCounts = new Map<PodClass, number>();
  readonly #names: ResourceNames;
  // Indexed by resource number. A resource that was never mentioned is a hole, which reads as undefined.
  #allocatable: number[] = [];
  readonly #requested: number[] = [];
  readonly #ports: HostPort[] = [];
  #seen = '';

  constructor(name: string, names: ResourceNames) {
    this.name = name;
    this.#names = names;
  }

  /** Takes over the node's new state. Returns false if nothing relevant changed, as with a heartbeat. */
  update({ metadata, spec, status }: Node): boolean {
    const seen = JSON.stringify([metadata.labels, spec?.unschedulable, spec?.taints, status?.allocatable]);
    if (this.isThere && seen === this.#seen) return false;
    this.#seen = seen;
    this.isThere = true;
    this.labels = Object.assign(Object.create(null), metadata.labels); // one may be called `constructor`
    this.isUnschedulable = spec?.unschedulable ?? false;
    const taints = spec?.taints ?? [];
    this.taints = taints.filter(({ effect }) => effect === 'NoSchedule' || effect === 'NoExecute');
    this.softTaints = taints.filter(({ effect }) => effect === 'PreferNoSchedule');
    const allocatable = amountsOf(status?.allocatable);
    this.maxPods = allocatable.get('pods') ?? 0;
    this.#allocatable = [];
    for (const [name, amount] of allocatable) this.#allocatable[this.#names.idOf(name)] = amount;
    return true;
  }

  /** The node is deleted. Pods still bound to it stay counted until they are deleted too. */
  leave(): void {
    this.isThere = false;
  }

  allocatable(resource: number): number {
    return this.#allocatable[resource] ?? 0;
  }

  requested(resource: number): number {
    return this.#requested[resource] ?? 0;
  }

  get allocatableCpu(): number {
    return this.allocatable(CPU);
  }

  get allocatableMemory(): number {
    return this.allocatable(MEMORY);
  }

  hasPortConflict(wanted: readonly HostPort[]): boolean {
    return this.#ports.length > 0 && wanted.some((port) => this.#ports.some((used) => isPortConflict(port, used)));
  }

  add(pod: PodClass): void {
    this.#count(pod, 1);
    this.#ports.push(...pod.hostPorts);
  }

  remove(pod: PodClass): void {
    this.#count(pod, -1);
    for (const port of pod.hostPorts) {
      const at = this.#ports.findIndex((used) => used.port === port.port && used.ip === port.ip);
      this.#ports.splice(at, 1);
    }
  }

  #count(pod: PodClass, by: 1 | -1): void {
    const { ids, amounts, scoredCpu, scoredMemory } = pod.requests;
    for (let i = 0; i < ids.length; i++) {
      const id = ids[i]!;
      this.#requested[id] = (this.#requested[id] ?? 0) + by * amounts[i]!;
    }
    this.podCount += by;
    this.scoredCpu += by * scoredCpu;
    this.scoredMemory += by * scoredMemory;
    const count = (this.podCounts.get(pod) ?? 0) + by;
    if (count === 0) this.podCounts.delete(pod);
    else this.podCounts.set(pod, count);
  }
}
