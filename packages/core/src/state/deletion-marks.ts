/** Whoever marks nodes for deletion, for example one disruption command. Owners are compared by identity. */
export type MarkOwner = object;

/**
 * Which state nodes are marked for deletion, and by whom. A node is marked as long as one owner marks it, so rolling
 * back one command leaves the marks of another in place. Marks are kept by provider id, not in the state node: a state
 * node that disappears and comes back, as in a relist or when the provider id of its NodeClaim changes back, is still
 * marked.
 */
export class DeletionMarks {
  readonly #owners = new Map<string, Set<MarkOwner>>(); // by provider id
  readonly #marked = new Map<MarkOwner, Set<string>>(); // the same, by owner
  readonly #completed = new WeakSet<MarkOwner>();

  has(providerId: string): boolean {
    return this.#owners.has(providerId);
  }

  add(providerId: string, owner: MarkOwner): void {
    getOrCreate(this.#owners, providerId).add(owner);
    getOrCreate(this.#marked, owner).add(providerId);
  }

  remove(providerId: string, owner: MarkOwner): void {
    removeMember(this.#owners, providerId, owner);
    removeMember(this.#marked, owner, providerId);
  }

  /**
   * The owner will take no mark back: each goes with its node. `exists` tells which nodes still exist, because for the
   * others nobody would ever remove the mark.
   */
  complete(owner: MarkOwner, exists: (providerId: string) => boolean): void {
    this.#completed.add(owner);
    for (const id of this.#marked.get(owner) ?? []) if (!exists(id)) this.remove(id, owner);
  }

  /** The state node is gone: marks of completed owners go with it, others wait for it to come back. */
  nodeGone(providerId: string): void {
    for (const owner of this.#owners.get(providerId) ?? []) {
      if (this.#completed.has(owner)) this.remove(providerId, owner);
    }
  }
}

function getOrCreate<K, V>(sets: Map<K, Set<V>>, key: K): Set<V> {
  let set = sets.get(key);
  if (set === undefined) {
    set = new Set();
    sets.set(key, set);
  }
  return set;
}

function removeMember<K, V>(sets: Map<K, Set<V>>, key: K, member: V): void {
  const set = sets.get(key);
  set?.delete(member);
  if (set?.size === 0) sets.delete(key);
}
