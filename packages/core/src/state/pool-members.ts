/** The state nodes and NodeClaims of one NodePool, by what becomes of them. */
export interface PoolMembers {
  /** Provider ids of state nodes that are neither deleted nor marked for deletion. */
  readonly active: ReadonlySet<string>;
  /** Provider ids of state nodes that are deleted or marked for deletion. */
  readonly deleting: ReadonlySet<string>;
  /** Names of NodeClaims that are not launched, and not deleted either. */
  readonly pending: ReadonlySet<string>;
}

const NONE: PoolMembers = { active: new Set(), deleting: new Set(), pending: new Set() };

interface Sets {
  readonly active: Set<string>;
  readonly deleting: Set<string>;
  readonly pending: Set<string>;
}

/** The members of every NodePool, updated with every change. A NodePool without members takes no memory. */
export class PoolMembership {
  readonly #pools = new Map<string, Sets>();

  of(nodePool: string): PoolMembers {
    return this.#pools.get(nodePool) ?? NONE;
  }

  add(nodePool: string, kind: keyof PoolMembers, member: string): void {
    let sets = this.#pools.get(nodePool);
    if (sets === undefined) {
      sets = { active: new Set(), deleting: new Set(), pending: new Set() };
      this.#pools.set(nodePool, sets);
    }
    sets[kind].add(member);
  }

  remove(nodePool: string, kind: keyof PoolMembers, member: string): void {
    const sets = this.#pools.get(nodePool);
    if (sets === undefined) return;
    sets[kind].delete(member);
    if (sets.active.size + sets.deleting.size + sets.pending.size === 0) this.#pools.delete(nodePool);
  }
}
