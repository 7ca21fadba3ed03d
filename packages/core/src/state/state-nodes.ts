import { INITIALIZED_LABEL, INSTANCE_TYPE_LABEL, type NodeClaim, NODEPOOL_LABEL } from '@karpenter-ts/apis';
import type { Node, ResourceList } from '@karpenter-ts/kubernetes';
import { StateNodeEntry, type NodeSummary, type PodsAndLimits } from './state-node-entry.ts';
import { DeletionMarks, type MarkOwner } from './deletion-marks.ts';
import { PoolMembership } from './pool-members.ts';
import { PoolUsage } from './pool-usage.ts';
import type { StateNode } from './state-node.ts';

/** Whether a change may let consolidation find something new (spec 04 §15). */
type MattersToConsolidation = boolean;

/**
 * All state nodes: Nodes and NodeClaims joined by provider id (spec 03 §12). The cost of a change does not depend on
 * the number of nodes.
 */
export class StateNodes {
  readonly usage = new PoolUsage();
  readonly members = new PoolMembership();
  readonly #podsAndLimits: PodsAndLimits;
  readonly #entries = new Map<string, StateNodeEntry>(); // by provider id
  readonly #idOfNode = new Map<string, string>(); // by name
  readonly #idOfNodeClaim = new Map<string, string>(); // by name; '' until it is launched
  readonly #poolOfUnlaunched = new Map<string, string>(); // by name of the NodeClaim
  readonly #unidentified = new Set<string>();
  readonly #marks = new DeletionMarks();
  #revision = 0;

  constructor(podsAndLimits: PodsAndLimits) {
    this.#podsAndLimits = podsAndLimits;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Changes with every change of what `states` returns. */
  get revision(): number {
    return this.#revision;
  }

  /**
   * Whether all NodeClaims are launched. Until then their capacity is unknown. A NodeClaim that is deleted before its
   * launch is not waited for: it will never have capacity, and a foreign finalizer may keep it for ever.
   */
  get areAllLaunched(): boolean {
    return this.#poolOfUnlaunched.size === 0;
  }

  /** Whether every Node has a state node. Deleted Nodes need none, because nothing is planned onto them. */
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
    return this.#poolOfUnlaunched.has(nodeClaim);
  }

  /** Adds or updates a Node. A Node that cannot be joined to its NodeClaim yet is left out until it can. */
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

  /** Adds or updates a NodeClaim. */
  putNodeClaim(nodeClaim: NodeClaim): MattersToConsolidation {
    const { name } = nodeClaim.metadata;
    const id = nodeClaim.status?.providerID ?? '';
    const oldId = this.#idOfNodeClaim.get(name);
    const hasMoved = oldId !== undefined && oldId !== id && this.removeNodeClaim(name);
    this.#idOfNodeClaim.set(name, id);
    if (id === '') {
      this.#setUnlaunched(nodeClaim, !isDeleted(nodeClaim));
      return hasMoved;
    }
    this.#launchedOrGone(name);
    return this.#change(this.#getOrCreate(id), (entry) => (entry.nodeClaim = nodeClaim)) || hasMoved;
  }

  removeNodeClaim(name: string): MattersToConsolidation {
    this.#launchedOrGone(name);
    const entry = this.#entries.get(this.#idOfNodeClaim.get(name) ?? '');
    this.#idOfNodeClaim.delete(name);
    if (entry?.nodeClaim?.metadata.name !== name) return false;
    this.#change(entry, () => (entry.nodeClaim = undefined));
    return true;
  }

  /** Marks a state node for deletion. The mark is kept if there is no such state node, in case it appears again. */
  mark(providerId: string, owner: MarkOwner): void {
    this.#changeMark(providerId, () => this.#marks.add(providerId, owner));
  }

  /** Takes an owner's mark back. Marks of other owners stay. */
  unmark(providerId: string, owner: MarkOwner): void {
    this.#changeMark(providerId, () => this.#marks.remove(providerId, owner));
  }

  /** The owner will not take its marks back: each is forgotten with its state node. */
  completeMarks(owner: MarkOwner): void {
    this.#marks.complete(owner, (providerId) => this.#entries.has(providerId));
  }

  nominate(providerId: string, until: number): void {
    const entry = this.#entries.get(providerId);
    if (entry === undefined) return;
    this.#revision++;
    entry.nominatedUntil = until;
  }

  /** The pods on a Node or its volume limits have changed. */
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
      entry.isMarked = this.#marks.has(id);
      this.#entries.set(id, entry);
    }
    return entry;
  }

  #changeMark(providerId: string, change: () => void): void {
    change();
    const entry = this.#entries.get(providerId);
    if (entry !== undefined) this.#change(entry, () => (entry.isMarked = this.#marks.has(providerId)));
  }

  #setUnlaunched({ metadata }: NodeClaim, isUnlaunched: boolean): void {
    this.#launchedOrGone(metadata.name);
    if (!isUnlaunched) return;
    const nodePool = metadata.labels?.[NODEPOOL_LABEL] ?? '';
    this.#poolOfUnlaunched.set(metadata.name, nodePool);
    if (nodePool !== '') this.members.add(nodePool, 'pending', metadata.name);
  }

  #launchedOrGone(nodeClaim: string): void {
    const nodePool = this.#poolOfUnlaunched.get(nodeClaim);
    if (nodePool !== undefined) this.members.remove(nodePool, 'pending', nodeClaim);
    this.#poolOfUnlaunched.delete(nodeClaim);
  }

  /** Applies a change to an entry and updates the usage of its NodePool. */
  #change(entry: StateNodeEntry, change: (entry: StateNodeEntry) => void): MattersToConsolidation {
    const before = entry.summary;
    this.#revision++;
    change(entry);
    const after = entry.summary;
    this.#count(entry.providerId, before, after);
    if (after === undefined) {
      this.#entries.delete(entry.providerId);
      this.#marks.nodeGone(entry.providerId);
    }
    return before?.initialized !== after?.initialized || before?.isDeleting !== after?.isDeleting;
  }

  /** Updates the usage and the members of the NodePools that a state node belonged to and belongs to. */
  #count(providerId: string, before: NodeSummary | undefined, after: NodeSummary | undefined): void {
    if (isCounted(before)) this.usage.subtract(before.nodePool, usageOf(before));
    if (isCounted(after)) this.usage.add(after.nodePool, usageOf(after));
    if (before?.nodePool) this.members.remove(before.nodePool, memberKind(before), providerId);
    if (after?.nodePool) this.members.add(after.nodePool, memberKind(after), providerId);
  }
}

function memberKind({ isDeleting }: NodeSummary): 'active' | 'deleting' {
  return isDeleting ? 'deleting' : 'active';
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

/** Its capacity, and the node itself for limits on the number of nodes. */
function usageOf({ capacity }: NodeSummary): ResourceList {
  return { ...capacity, nodes: '1' };
}

/**
 * The key of a Node: its provider id. A Node of a NodePool has no key until it has a provider id, which joins it to its
 * NodeClaim, and, before it is initialised, an instance type label. Any other Node without a provider id goes by its
 * name.
 */
function findId({ metadata, spec }: Node): string | undefined {
  const { name, labels = {} } = metadata;
  const isOfPool = Boolean(labels[NODEPOOL_LABEL]);
  if (isOfPool && !labels[INSTANCE_TYPE_LABEL] && !labels[INITIALIZED_LABEL]) return undefined;
  return spec?.providerID || (isOfPool ? undefined : name);
}
