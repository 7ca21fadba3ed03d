import type { Catalogue } from '../instance-types/catalogue.ts';
import type { BitSet } from '../interning/bit-set.ts';
import type { Amounts } from '../resources/amounts.ts';

/** Each node is one of these. */
const NODES = 'nodes';
const ONE = 1_000_000_000n;

/** What a pool may still grow by, in nanos of each limited resource. Resources without a limit are free. */
export class PoolLimits {
  readonly #remaining: Map<string, bigint>;

  constructor(remaining: Iterable<readonly [string, bigint]>) {
    this.#remaining = new Map(remaining);
  }

  static of(limits: Amounts): PoolLimits {
    return new PoolLimits([...limits].map(([name, { nanos }]) => [name, nanos]));
  }

  /** Independent of this one. */
  clone(): PoolLimits {
    return new PoolLimits(this.#remaining);
  }

  /** Counts an existing node, or stops counting it. */
  countNode(capacity: Amounts, times: 1 | -1): void {
    for (const [name, nanos] of this.#remaining) {
      const own = name === NODES ? ONE : (capacity.get(name)?.nanos ?? 0n);
      this.#remaining.set(name, nanos - BigInt(times) * own);
    }
  }

  /** Whether there are as many nodes as there may be. */
  hasReachedNodes(): boolean {
    return this.#remaining.get(NODES) === 0n;
  }

  /** Drops variants whose type would breach a limit. False when nothing is left. */
  restrict(variants: BitSet, catalogue: Catalogue): boolean {
    for (const [name, nanos] of this.#remaining) variants.intersect(catalogue.capacityLevels(name).atMost(nanos));
    return !variants.isEmpty();
  }

  /** Counts a planned node as the largest of what it may become, since nobody knows which it will be. */
  countPlanned(variants: BitSet, catalogue: Catalogue): void {
    for (const [name, nanos] of this.#remaining) {
      const own = name === NODES ? ONE : (catalogue.capacityLevels(name).largest(variants) ?? 0n);
      this.#remaining.set(name, nanos - own);
    }
  }
}
