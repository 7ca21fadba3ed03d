import {
  type ApiObject,
  apiVersionOf,
  type ObjectMeta,
  type OwnerReference,
  type ResourceType,
} from '@karpenter-ts/kubernetes';

export const FOREGROUND = 'foregroundDeletion';
export const ORPHAN = 'orphan';

/**
 * A node of the graph. Without `type` the object was never observed: other objects only reference it as their owner (a
 * virtual node).
 */
export interface GraphNode {
  readonly uid: string;
  readonly reference: Pick<OwnerReference, 'apiVersion' | 'kind' | 'name'>;
  readonly namespace: string;
  readonly type: ResourceType | undefined;
  readonly owners: readonly OwnerReference[];
  readonly isBeingDeleted: boolean;
  /** It waits until the dependents that block its deletion are gone. */
  readonly isForeground: boolean;
  /** It waits until its dependents no longer reference it. */
  readonly isOrphaning: boolean;
}

/**
 * The graph of owners and dependents by uid, updated with each event. `onWork` is called for nodes that need a
 * reconcile.
 */
export class OwnerGraph {
  readonly #nodes = new Map<string, GraphNode>();
  readonly #dependents = new Map<string, Set<string>>(); // also of owners that are in no node any more
  readonly #onWork: (uid: string) => void;

  constructor(onWork: (uid: string) => void) {
    this.#onWork = onWork;
  }

  get(uid: string): GraphNode | undefined {
    return this.#nodes.get(uid);
  }

  dependentsOf(uid: string): readonly GraphNode[] {
    return [...(this.#dependents.get(uid) ?? [])]
      .map((each) => this.#nodes.get(each))
      .filter((node) => node !== undefined);
  }

  /** Dependents that must be deleted before the node. */
  blockersOf(uid: string): readonly GraphNode[] {
    return this.dependentsOf(uid).filter(({ owners }) =>
      owners.some((owner) => owner.uid === uid && isBlocking(owner)),
    );
  }

  /** An object was added or updated. */
  put(type: ResourceType, { metadata }: ApiObject): void {
    const node = nodeOf(type, metadata);
    const before = this.#nodes.get(node.uid);
    this.#nodes.set(node.uid, node);
    this.#relink(node, before?.owners ?? []);
    const isFirstSight = before?.type === undefined || !before.isBeingDeleted;
    if (node.isForeground && (isFirstSight || !before.isForeground)) {
      for (const each of this.#dependents.get(node.uid) ?? []) this.#onWork(each);
      this.#onWork(node.uid);
    }
    if (node.isOrphaning && (isFirstSight || !before.isOrphaning)) this.#onWork(node.uid);
  }

  /** The object is gone, or never existed: its dependents have one owner less. */
  remove(uid: string): void {
    const node = this.#nodes.get(uid);
    this.#nodes.delete(uid);
    for (const owner of node?.owners ?? []) {
      this.#unlink(owner.uid, uid);
      if (this.#nodes.get(owner.uid)?.isForeground) this.#onWork(owner.uid);
    }
    for (const each of this.#dependents.get(uid) ?? []) this.#onWork(each);
  }

  #relink(node: GraphNode, before: readonly OwnerReference[]): void {
    const now = new Map(node.owners.map((owner) => [owner.uid, owner]));
    for (const owner of before) {
      const kept = now.get(owner.uid);
      if (kept === undefined) this.#unlink(owner.uid, node.uid);
      if (isBlocking(owner) && !(kept && isBlocking(kept))) this.#onWork(owner.uid);
    }
    for (const owner of node.owners) this.#link(owner, node);
  }

  #link(owner: OwnerReference, dependent: GraphNode): void {
    const dependents = this.#dependents.get(owner.uid) ?? new Set();
    if (dependents.has(dependent.uid)) return;
    this.#dependents.set(owner.uid, dependents.add(dependent.uid));
    const known = this.#nodes.get(owner.uid);
    if (known === undefined) {
      this.#nodes.set(owner.uid, unseen(owner, dependent.namespace));
      this.#onWork(owner.uid); // is it there at all?
    } else if (!isAt(known, owner, dependent.namespace)) this.#onWork(dependent.uid);
  }

  #unlink(owner: string, dependent: string): void {
    const dependents = this.#dependents.get(owner);
    dependents?.delete(dependent);
    if (dependents?.size !== 0) return;
    this.#dependents.delete(owner);
    if (this.#nodes.get(owner)?.type === undefined) this.#nodes.delete(owner);
  }
}

/** Whether a node is the object that a reference from this namespace means. */
export function isAt(node: GraphNode, { apiVersion, kind, name }: OwnerReference, namespace: string): boolean {
  const { reference } = node;
  const isSame = reference.apiVersion === apiVersion && reference.kind === kind && reference.name === name;
  return isSame && (node.namespace === '' || node.namespace === namespace);
}

export function isBlocking(owner: OwnerReference): boolean {
  return owner.blockOwnerDeletion === true;
}

function nodeOf(type: ResourceType, metadata: ObjectMeta): GraphNode {
  const isTerminating = metadata.deletionTimestamp !== undefined;
  const finalizers = metadata.finalizers ?? [];
  return {
    uid: metadata.uid ?? '',
    reference: { apiVersion: apiVersionOf(type), kind: type.kind, name: metadata.name },
    namespace: metadata.namespace ?? '',
    type,
    owners: metadata.ownerReferences ?? [],
    isBeingDeleted: isTerminating,
    isForeground: isTerminating && finalizers.includes(FOREGROUND),
    isOrphaning: isTerminating && finalizers.includes(ORPHAN),
  };
}

function unseen({ uid, apiVersion, kind, name }: OwnerReference, namespace: string): GraphNode {
  const reference = { apiVersion, kind, name };
  return {
    uid,
    reference,
    namespace,
    type: undefined,
    owners: [],
    isBeingDeleted: false,
    isForeground: false,
    isOrphaning: false,
  };
}
