import {
  CAPACITY_TYPE_LABEL,
  INSTANCE_TYPE_LABEL,
  NODEPOOL_LABEL,
  type NodeClaim,
  ZONE_LABEL,
} from '@karpenter-ts/apis';
import type { InstanceType } from '@karpenter-ts/scheduling';
import type { Caches } from '../state/caches.ts';

/** What a NodeClaim was bought as. */
export interface Purchase {
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: string;
}

/** What the machines of NodePools cost an hour, at the prices their offerings had when last asked for. */
export class PoolCosts {
  readonly #nodeClaims: Pick<Caches['nodeClaims'], 'byIndex'>;
  readonly #prices = new Map<string, ReadonlyMap<string, number>>(); // by pool, then by purchase; in use only

  constructor({ nodeClaims }: { readonly nodeClaims: Pick<Caches['nodeClaims'], 'byIndex'> }) {
    this.#nodeClaims = nodeClaims;
  }

  /** 0 for a pool without machines; machines whose price is not known count for nothing. */
  of(nodePool: string): number {
    const prices = this.#prices.get(nodePool);
    if (prices === undefined) return 0;
    const purchases = this.#purchasesOf(nodePool);
    return purchases.reduce((sum, purchase) => sum + (prices.get(keyOf(purchase)) ?? 0), 0);
  }

  /** Whether the price of a NodeClaim's machine has never been looked up. Before it is bought there is none. */
  isUnpriced({ metadata }: NodeClaim): boolean {
    const purchase = findPurchase(metadata.labels);
    const nodePool = metadata.labels?.[NODEPOOL_LABEL];
    return Boolean(nodePool && purchase && !this.#prices.get(nodePool)?.has(keyOf(purchase)));
  }

  /**
   * Looks up the price of all a pool has bought, and hands back what is not on offer: that keeps the price it had, or
   * counts for nothing.
   */
  update(nodePool: string, instanceTypes: readonly InstanceType[]): readonly Purchase[] {
    const types = new Map(instanceTypes.map((type) => [type.name, type]));
    const before = this.#prices.get(nodePool);
    const prices = new Map<string, number>();
    const unknown: Purchase[] = [];
    for (const purchase of this.#purchasesOf(nodePool)) {
      const key = keyOf(purchase);
      if (prices.has(key)) continue;
      const price = findPrice(types.get(purchase.instanceType), purchase);
      if (price === undefined && before?.get(key) === undefined) unknown.push(purchase);
      prices.set(key, price ?? before?.get(key) ?? 0);
    }
    this.#prices.set(nodePool, prices);
    return unknown;
  }

  forget(nodePool: string): void {
    this.#prices.delete(nodePool);
  }

  #purchasesOf(nodePool: string): readonly Purchase[] {
    const claims = this.#nodeClaims.byIndex('nodePool', nodePool);
    return claims.map(({ metadata }) => findPurchase(metadata.labels)).filter((purchase) => purchase !== undefined);
  }
}

/** Complete only once the machine is launched. */
function findPurchase(labels: Readonly<Record<string, string>> = {}): Purchase | undefined {
  const [instanceType, zone, capacityType] = [INSTANCE_TYPE_LABEL, ZONE_LABEL, CAPACITY_TYPE_LABEL].map(
    (key) => labels[key],
  );
  if (instanceType === undefined || zone === undefined || capacityType === undefined) return undefined;
  return { instanceType, zone, capacityType };
}

function findPrice(type: InstanceType | undefined, { zone, capacityType }: Purchase): number | undefined {
  const isBought = ({ requirements }: InstanceType['offerings'][number]): boolean =>
    requirements.some(({ key, values }) => key === ZONE_LABEL && values?.[0] === zone) &&
    requirements.some(({ key, values }) => key === CAPACITY_TYPE_LABEL && values?.[0] === capacityType);
  return type?.offerings.find(isBought)?.pricePerHour;
}

function keyOf({ instanceType, zone, capacityType }: Purchase): string {
  return `${instanceType}/${zone}/${capacityType}`;
}
