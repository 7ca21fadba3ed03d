import type { Amounts, Quantity } from '@karpenter-ts/kubernetes';
import type { Catalogue } from '../model/instance-types/catalogue.ts';
import type { BitSet } from '../model/interning/bit-set.ts';

/** Each node is one of these. */
const NODES = 'nodes';
const ONE = 1_000_000_000n;

/** What a node of a variant counts against a limit, in nanos. */
export function countOf(limit: string, variant: number, catalogue: Catalogue): bigint {
  return limit === NODES ? ONE : (catalogue.capacity(variant).get(limit)?.nanos ?? 0n);
}

/** What a pool may still grow by of each limited resource. Resources without a limit are free. */
export class PoolLimits {
  readonly #remaining: Map<string, Quantity>;

  constructor(limits: Amounts) {
    this.#remaining = new Map(limits);
  }

  /** Independent of this one. */
  clone(): PoolLimits {
    return new PoolLimits(this.#remaining);
  }

  /** As it is now, below zero where more is in use than there may be. */
  get remaining(): Amounts {
    return this.#remaining;
  }

  /** Counts an existing node, or stops counting it. */
  countNode(capacity: Amounts, times: 1 | -1): void {
    this.#take((name) => BigInt(times) * (name === NODES ? ONE : (capacity.get(name)?.nanos ?? 0n)));
  }

  /** Whether there are as many nodes as there may be. */
  hasReachedNodes(): boolean {
    return this.#remaining.get(NODES)?.nanos === 0n;
  }

  /** How many nodes there may be yet; Infinity without such a limit. */
  nodesLeft(): number {
    const left = this.#remaining.get(NODES)?.nanos;
    return left === undefined ? Number.POSITIVE_INFINITY : Number(left / ONE);
  }

  /** Drops variants whose type would breach a limit. False when nothing is left. */
  restrict(variants: BitSet, catalogue: Catalogue): boolean {
    for (const [name, { nanos }] of this.#remaining) variants.intersect(catalogue.capacityLevels(name).atMost(nanos));
    return !variants.isEmpty();
  }

  /** Counts a planned node as the largest of what it may become, since nobody knows which it will be. */
  countPlanned(variants: BitSet, catalogue: Catalogue): void {
    this.#take((name) => (name === NODES ? ONE : (catalogue.capacityLevels(name).largest(variants) ?? 0n)));
  }

  #take(amountOf: (name: string) => bigint): void {
    for (const [name, { nanos, format }] of this.#remaining) {
      this.#remaining.set(name, { nanos: nanos - amountOf(name), format });
    }
  }
}
