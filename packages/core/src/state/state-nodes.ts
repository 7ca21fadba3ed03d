import { INITIALIZED_LABEL, INSTANCE_TYPE_LABEL, type NodeClaim, NODEPOOL_LABEL } from '@karpenter-ts/apis';
import type { ResourceList } from '@karpenter-ts/kubernetes';
import type { Node } from '../kinds/node.ts';
import { StateNodeEntry, type NodeSummary, type PodsAndLimits } from './state-node-entry.ts';
import { PoolUsage } from './pool-usage.ts';
import type { StateNode } from './state-node.ts';

/** Whether a change may let consolidation find something it did not find before (spec 04 §15). */
type MattersToConsolidation = boolean;

/**
 * Every machine there is: Nodes and NodeClaims, joined by provider id (spec 03 §12). Each change costs what it changes,
 * however many machines there are.
 */
export class StateNodes {
  readonly usage = new PoolUsage();
  readonly #podsAndLimits: PodsAndLimits;
  readonly #entries = new Map<string, StateNodeEntry>(); // by provider id
  readonly #idOfNode = new Map<string, string>(); // by name
  readonly #idOfNodeClaim = new Map<string, string>(); // by name; '' until it is launched
  readonly #unlaunched = new Set<string>();
  readonly #unidentified = new Set<string>();
  #revision = 0;

  constructor(podsAndLimits: PodsAndLimits) {
    this.#podsAndLimits = podsAndLimits;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** A number that is another after every change of what `states` gives. */
  get revision(): number {
    return this.#revision;
  }

  /**
   * Whether the machines of all NodeClaims are known: until then nobody knows what they will hold. One that is deleted
   * before its launch will hold nothing, and is not waited for: a finalizer of somebody else may keep it for ever.
   */
  get areAllLaunched(): boolean {
    return this.#unlaunched.size === 0;
  }

  /** Whether all Nodes are among the machines, but for those that are deleted: nothing is planned onto them. */
  get areAllIdentified(): boolean {
    return this.#unidentified.size === 0;
  }

  *states(): Iterable<StateNode> {
    for (const entry of this.#entries.values()) yield entry.state;
  }

  find(providerId: string): StateNode | undefined {
    return this.#entries.get(providerId)?.state;
  }

  isUnlaunched(nodeClaim: string): boolean {
    return this.#unlaunched.has(nodeClaim);
  }

  /** Takes a Node in, or its new state. One that cannot be told apart yet has to wait. */
  putNode(node: Node): MattersToConsolidation {
    const { name } = node.metadata;
    const id = findId(node);
    const oldId = this.#idOfNode.get(name);
    if (id === undefined) {
      if (oldId === undefined) setMember(this.#unidentified, name, !isDeleted(node));
      return false;
    }
    const hasMoved = oldId !== undefined && oldId !== id && this.removeNode(name);
    this.#unidentified.delete(name);
    this.#idOfNode.set(name, id);
    return this.#change(this.#getOrCreate(id), (entry) => entry.putNode(node)) || hasMoved;
  }

  removeNode(name: string): MattersToConsolidation {
    this.#unidentified.delete(name);
    const entry = this.#entries.get(this.#idOfNode.get(name) ?? '');
    this.#idOfNode.delete(name);
    if (entry === undefined) return false;
    this.#change(entry, () => entry.removeNode(name));
    return true;
  }

  /** Takes a NodeClaim in, or its new state. */
  putNodeClaim(nodeClaim: NodeClaim): MattersToConsolidation {
    const { name } = nodeClaim.metadata;
    const id = nodeClaim.status?.providerID ?? '';
    const oldId = this.#idOfNodeClaim.get(name);
    const hasMoved = oldId !== undefined && oldId !== id && this.removeNodeClaim(name);
    this.#idOfNodeClaim.set(name, id);
    if (id === '') {
      setMember(this.#unlaunched, name, !isDeleted(nodeClaim));
      return hasMoved;
    }
    return this.#change(this.#getOrCreate(id), (entry) => (entry.nodeClaim = nodeClaim)) || hasMoved;
  }

  removeNodeClaim(name: string): MattersToConsolidation {
    this.#unlaunched.delete(name);
    const entry = this.#entries.get(this.#idOfNodeClaim.get(name) ?? '');
    this.#idOfNodeClaim.delete(name);
    if (entry?.nodeClaim?.metadata.name !== name) return false;
    this.#change(entry, () => (entry.nodeClaim = undefined));
    return true;
  }

  /** Marks a machine as leaving, or takes the mark back; does nothing if there is none. */
  mark(providerId: string, isMarked: boolean): void {
    const entry = this.#entries.get(providerId);
    if (entry !== undefined) this.#change(entry, () => (entry.isMarked = isMarked));
  }

  nominate(providerId: string, until: number): void {
    const entry = this.#entries.get(providerId);
    if (entry === undefined) return;
    this.#revision++;
    entry.nominatedUntil = until;
  }

  /** Pods or volume limits of a Node have changed. */
  podsOrLimitsChanged(node: string): void {
    const entry = this.#entries.get(this.#idOfNode.get(node) ?? '');
    if (entry === undefined) return;
    this.#revision++;
    entry.podsOrLimitsChanged();
  }

  #getOrCreate(id: string): StateNodeEntry {
    let entry = this.#entries.get(id);
    if (entry === undefined) {
      entry = new StateNodeEntry(id, this.#podsAndLimits);
      this.#entries.set(id, entry);
    }
    return entry;
  }

  /** Changes an entry and what its pool holds with it. */
  #change(entry: StateNodeEntry, change: (entry: StateNodeEntry) => void): MattersToConsolidation {
    const before = entry.summary;
    this.#revision++;
    change(entry);
    const after = entry.summary;
    if (isCounted(before)) this.usage.subtract(before.nodePool, usageOf(before));
    if (isCounted(after)) this.usage.add(after.nodePool, usageOf(after));
    if (after === undefined) this.#entries.delete(entry.providerId);
    return before?.initialized !== after?.initialized || before?.isDeleting !== after?.isDeleting;
  }
}

function setMember(set: Set<string>, name: string, isMember: boolean): void {
  if (isMember) set.add(name);
  else set.delete(name);
}

function isDeleted({ metadata }: Node | NodeClaim): boolean {
  return metadata.deletionTimestamp !== undefined;
}

function isCounted(summary: NodeSummary | undefined): summary is NodeSummary {
  return summary !== undefined && !summary.isDeleting && summary.nodePool !== '';
}

/** All of a machine and, for limits on their number, the machine itself. */
function usageOf({ capacity }: NodeSummary): ResourceList {
  return { ...capacity, nodes: '1' };
}

/**
 * What a Node is known by. One of a NodePool waits for its provider id, which joins it to its NodeClaim, and until it is
 * initialised for the label that tells its type; any other without an id goes by its name.
 */
function findId({ metadata, spec }: Node): string | undefined {
  const { name, labels = {} } = metadata;
  const isOfPool = Boolean(labels[NODEPOOL_LABEL]);
  if (isOfPool && !labels[INSTANCE_TYPE_LABEL] && !labels[INITIALIZED_LABEL]) return undefined;
  return spec?.providerID || (isOfPool ? undefined : name);
}
