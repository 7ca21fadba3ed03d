import type { Node } from '../kinds/node.ts';
import type { Labels } from '../kinds/pod.ts';
import { NodeEntry } from './node-entry.ts';
import type { PodClass } from './pod-class.ts';
import type { ResourceNames } from './resource-names.ts';
import { StorageModel } from './storage-model.ts';

/** A pod on a node: bound to it, or about to be. */
export interface Placed {
  readonly pod: PodClass;
  readonly node: NodeEntry;
  /** False until the API server shows the binding. */
  readonly isConfirmed: boolean;
}

/** How many pods of a class are on each node that has any. */
export type Residence = ReadonlyMap<NodeEntry, number>;

/**
 * The cluster as filters and scores see it, kept up to date one change at a time. Pods are placed here before the API
 * server knows of it, so that the next decision counts with them.
 */
export class Snapshot {
  readonly names: ResourceNames;
  readonly storage = new StorageModel();
  readonly namespaces = new Map<string, Labels>();
  readonly #random: () => number;
  readonly #entries = new Map<string, NodeEntry>();
  /** Those that are there, in random order: any stretch of them is a fair sample. */
  readonly #nodes: NodeEntry[] = [];
  readonly #placed = new Map<string, Placed>();
  readonly #residences = new Map<PodClass, Map<NodeEntry, number>>();
  /** Those of `#residences` whose pods keep others away, and those whose pods have any word on others. */
  readonly #repelling = new Map<PodClass, Residence>();
  readonly #opinionated = new Map<PodClass, Residence>();
  readonly #volumeClaimUsers = new Map<string, number>();
  #generation = 0;

  /** `random` gives numbers in [0, 1). */
  constructor(names: ResourceNames, random: () => number) {
    this.names = names;
    this.#random = random;
  }

  /** Differs whenever anything here has changed. */
  get generation(): number {
    return this.#generation + this.storage.generation;
  }

  get nodes(): readonly NodeEntry[] {
    return this.#nodes;
  }

  /** The classes that have pods on nodes, and where these are. */
  get residences(): ReadonlyMap<PodClass, Residence> {
    return this.#residences;
  }

  /** Of `residences`, the classes with required anti-affinity. */
  get repelling(): ReadonlyMap<PodClass, Residence> {
    return this.#repelling;
  }

  /** Of `residences`, the classes with any pod affinity or anti-affinity. */
  get opinionated(): ReadonlyMap<PodClass, Residence> {
    return this.#opinionated;
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

  /** The node's entry if it is new or something about it changed that matters. */
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

  /** The pod is on this node, and nowhere else. */
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

  /** The pod is on no node. Returns where it was. */
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
    const residence = this.#residences.get(pod) ?? this.#open(pod);
    addTo(residence, node, by);
    if (residence.size === 0) this.#close(pod);
    for (const { key } of pod.claims) addTo(this.#volumeClaimUsers, key, by);
  }

  #open(pod: PodClass): Map<NodeEntry, number> {
    const residence = new Map<NodeEntry, number>();
    const { affinity, preferredAffinity: preferred } = pod;
    this.#residences.set(pod, residence);
    if (affinity.away.length > 0) this.#repelling.set(pod, residence);
    const terms = affinity.near.length + affinity.away.length + preferred.near.length + preferred.away.length;
    if (terms > 0) this.#opinionated.set(pod, residence);
    return residence;
  }

  #close(pod: PodClass): void {
    for (const classes of [this.#residences, this.#repelling, this.#opinionated]) classes.delete(pod);
  }

  #entryOf(name: string): NodeEntry {
    let entry = this.#entries.get(name);
    if (entry === undefined) this.#entries.set(name, (entry = new NodeEntry(name, this.names)));
    return entry;
  }

  #dropIfEmpty(entry: NodeEntry): void {
    if (!entry.isThere && entry.podCount === 0) this.#entries.delete(entry.name);
  }

  /** Every order stays as likely as any other. */
  #shuffleIn(entry: NodeEntry): void {
    const at = Math.floor(this.#random() * (this.#nodes.length + 1));
    const moved = this.#nodes[at];
    this.#nodes[at] = entry;
    if (moved !== undefined) this.#nodes.push(moved);
  }
}

/** Changes a count; one of 0 is not kept. */
function addTo<K>(counts: Map<K, number>, key: K, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
