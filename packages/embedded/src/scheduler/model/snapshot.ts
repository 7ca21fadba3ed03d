import type { Labels, Node } from '@karpenter-ts/kubernetes';
import { NodeEntry } from './node-entry.ts';
import type { PodClass } from './pod-class.ts';
import type { ResourceNames } from './resource-names.ts';
import { StorageModel } from './storage-model.ts';

/** A pod on a node: bound, or assumed until the binding is seen. */
export interface Placed {
  readonly pod: PodClass;
  readonly node: NodeEntry;
  /** False until the API server shows the binding. */
  readonly isConfirmed: boolean;
}

/** How many pods of a class are on each node that has any. */
export type PodCountByNode = ReadonlyMap<NodeEntry, number>;

/**
 * The state of the cluster that filters and scores read, updated one event at a time. A pod is placed here as soon as its
 * node is chosen (kube-scheduler assumes it), so that the next scheduling cycle counts it before the binding is written.
 */
export class Snapshot {
  readonly names: ResourceNames;
  readonly storage = new StorageModel();
  readonly namespaces = new Map<string, Labels>();
  readonly #random: () => number;
  readonly #entries = new Map<string, NodeEntry>();
  /** The existing nodes in random order, so that any contiguous range is a fair sample. */
  readonly #nodes: NodeEntry[] = [];
  readonly #placed = new Map<string, Placed>();
  readonly #nodesByClass = new Map<PodClass, Map<NodeEntry, number>>();
  /** The classes of `#nodesByClass` with required anti-affinity terms, and those with any pod affinity term. */
  readonly #withRequiredAntiAffinity = new Map<PodClass, PodCountByNode>();
  readonly #withAffinity = new Map<PodClass, PodCountByNode>();
  readonly #volumeClaimUsers = new Map<string, number>();
  #generation = 0;

  /** `random` gives numbers in [0, 1). */
  constructor(names: ResourceNames, random: () => number) {
    this.names = names;
    this.#random = random;
  }

  /** A number that changes with every change of the snapshot. */
  get generation(): number {
    return this.#generation + this.storage.generation;
  }

  get nodes(): readonly NodeEntry[] {
    return this.#nodes;
  }

  /** The classes that have pods on nodes, with the number of pods on each node. */
  get nodesByClass(): ReadonlyMap<PodClass, PodCountByNode> {
    return this.#nodesByClass;
  }

  /** The classes of `nodesByClass` with required anti-affinity terms. */
  get withRequiredAntiAffinity(): ReadonlyMap<PodClass, PodCountByNode> {
    return this.#withRequiredAntiAffinity;
  }

  /** The classes of `nodesByClass` with any affinity or anti-affinity term. */
  get withAffinity(): ReadonlyMap<PodClass, PodCountByNode> {
    return this.#withAffinity;
  }

  findNode(name: string): NodeEntry | undefined {
    const entry = this.#entries.get(name);
    return entry?.isThere ? entry : undefined;
  }

  findPlaced(podKey: string): Placed | undefined {
    return this.#placed.get(podKey);
  }

  isVolumeClaimUsed(volumeClaimKey: string): boolean {
    return this.#volumeClaimUsers.has(volumeClaimKey);
  }

  /** Adds or updates a node. Returns its entry if it is new or changed in a way that matters for scheduling. */
  setNode(node: Node): NodeEntry | undefined {
    const entry = this.#entryOf(node.metadata.name);
    const isNew = !entry.isThere;
    if (!entry.update(node)) return undefined;
    this.#generation++;
    if (isNew) this.#shuffleIn(entry);
    return entry;
  }

  removeNode(name: string): void {
    const entry = this.findNode(name);
    if (entry === undefined) return;
    entry.leave();
    this.#nodes.splice(this.#nodes.indexOf(entry), 1);
    this.#dropIfEmpty(entry);
    this.#generation++;
  }

  setNamespace(name: string, labels: Labels): void {
    this.namespaces.set(name, labels);
    this.#generation++;
  }

  removeNamespace(name: string): void {
    this.namespaces.delete(name);
    this.#generation++;
  }

  /** Puts the pod on this node, and removes it from any other. */
  place(podKey: string, pod: PodClass, nodeName: string, isConfirmed: boolean): Placed {
    const old = this.#placed.get(podKey);
    const isThere = old !== undefined && old.pod === pod && old.node.name === nodeName;
    if (!isThere) this.remove(podKey);
    const node = this.#entryOf(nodeName);
    const placed = { pod, node, isConfirmed };
    this.#placed.set(podKey, placed);
    if (isThere) return placed;
    node.add(pod);
    this.#count(pod, node, 1);
    return placed;
  }

  /** Removes the pod from its node. Returns where it was. */
  remove(podKey: string): Placed | undefined {
    const placed = this.#placed.get(podKey);
    if (placed === undefined) return undefined;
    this.#placed.delete(podKey);
    placed.node.remove(placed.pod);
    this.#count(placed.pod, placed.node, -1);
    this.#dropIfEmpty(placed.node);
    return placed;
  }

  #count(pod: PodClass, node: NodeEntry, by: 1 | -1): void {
    this.#generation++;
    const podCounts = this.#nodesByClass.get(pod) ?? this.#open(pod);
    addTo(podCounts, node, by);
    if (podCounts.size === 0) this.#close(pod);
    for (const { key } of pod.volumeClaims) addTo(this.#volumeClaimUsers, key, by);
  }

  #open(pod: PodClass): Map<NodeEntry, number> {
    const podCounts = new Map<NodeEntry, number>();
    const { affinity, preferredAffinity: preferred } = pod;
    this.#nodesByClass.set(pod, podCounts);
    if (affinity.antiAffinityTerms.length > 0) this.#withRequiredAntiAffinity.set(pod, podCounts);
    const terms =
      affinity.affinityTerms.length +
      affinity.antiAffinityTerms.length +
      preferred.affinityTerms.length +
      preferred.antiAffinityTerms.length;
    if (terms > 0) this.#withAffinity.set(pod, podCounts);
    return podCounts;
  }

  #close(pod: PodClass): void {
    for (const classes of [this.#nodesByClass, this.#withRequiredAntiAffinity, this.#withAffinity]) classes.delete(pod);
  }

  #entryOf(name: string): NodeEntry {
    let entry = this.#entries.get(name);
    if (entry === undefined) this.#entries.set(name, (entry = new NodeEntry(name, this.names)));
    return entry;
  }

  #dropIfEmpty(entry: NodeEntry): void {
    if (!entry.isThere && entry.podCount === 0) this.#entries.delete(entry.name);
  }

  /** Inserts a node at a random place, so that all orders stay equally likely (Fisher-Yates). */
  #shuffleIn(entry: NodeEntry): void {
    const at = Math.floor(this.#random() * (this.#nodes.length + 1));
    const moved = this.#nodes[at];
    this.#nodes[at] = entry;
    if (moved !== undefined) this.#nodes.push(moved);
  }
}

/** Changes a count, and deletes it at 0. */
function addTo<K>(counts: Map<K, number>, key: K, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
