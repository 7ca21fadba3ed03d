import {
  addQuantities,
  formatQuantity,
  parseQuantity,
  type Quantity,
  type ResourceList,
  subtractQuantities,
  ZERO_QUANTITY,
} from '@karpenter-ts/kubernetes';

/** The summed capacity of each NodePool's state nodes, updated with every change. */
export class PoolUsage {
  readonly #sums = new Map<string, Map<string, Quantity>>();

  add(nodePool: string, held: ResourceList): void {
    this.#change(nodePool, held, addQuantities);
  }

  /** Subtracts what was added before. A NodePool whose sums are all zero is removed. */
  subtract(nodePool: string, held: ResourceList): void {
    this.#change(nodePool, held, subtractQuantities);
  }

  /** Empty for a NodePool without state nodes. */
  of(nodePool: string): ResourceList {
    const sums = this.#sums.get(nodePool) ?? [];
    return Object.fromEntries([...sums].map(([resource, sum]) => [resource, formatQuantity(sum)]));
  }

  #change(nodePool: string, held: ResourceList, change: (sum: Quantity, by: Quantity) => Quantity): void {
    const sums = this.#sums.get(nodePool) ?? new Map<string, Quantity>();
    for (const [resource, amount] of Object.entries(held)) {
      sums.set(resource, change(sums.get(resource) ?? ZERO_QUANTITY, parseQuantity(amount)));
    }
    if ([...sums.values()].some(({ nanos }) => nanos !== 0n)) this.#sums.set(nodePool, sums);
    else this.#sums.delete(nodePool);
  }
}
