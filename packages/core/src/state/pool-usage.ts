import {
  addQuantities,
  formatQuantity,
  parseQuantity,
  type Quantity,
  type ResourceList,
  subtractQuantities,
  ZERO_QUANTITY,
} from '@karpenter-ts/kubernetes';

/** What the machines of each NodePool hold together, kept as they come and go. */
export class PoolUsage {
  readonly #sums = new Map<string, Map<string, Quantity>>();

  add(nodePool: string, held: ResourceList): void {
    this.#change(nodePool, held, addQuantities);
  }

  /** Takes away what was added. A pool of which nothing is left is forgotten. */
  subtract(nodePool: string, held: ResourceList): void {
    this.#change(nodePool, held, subtractQuantities);
  }

  /** Empty for a pool without machines. */
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
