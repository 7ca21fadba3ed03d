import {
  CAPACITY_TYPE_LABEL,
  INSTANCE_TYPE_LABEL,
  NODEPOOL_LABEL,
  type NodeClaim,
  ZONE_LABEL,
} from '@karpenter-ts/apis';
import type { InstanceType } from '@karpenter-ts/scheduling';
import type { Caches } from './caches.ts';

/** The NodeClaim's instance type, capacity type and zone. */
export interface Purchase {
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: string;
}

/**
 * The hourly prices of the NodeClaims' instances, as their offerings were priced when last asked for. Kept per NodePool,
 * because overlays may price one offering differently for each.
 */
export class NodePrices {
  readonly #nodeClaims: Pick<Caches['nodeClaims'], 'byIndex'>;
  /** By NodePool, then by purchase; only those in use. Undefined for purchases that were not offered when looked up. */
  readonly #prices = new Map<string, ReadonlyMap<string, number | undefined>>();

  constructor({ nodeClaims }: { readonly nodeClaims: Pick<Caches['nodeClaims'], 'byIndex'> }) {
    this.#nodeClaims = nodeClaims;
  }

  /** The price of a NodeClaim's instance; undefined before the launch, and while its price is not known. */
  priceOf({ metadata }: NodeClaim): number | undefined {
    const purchase = findPurchase(metadata.labels);
    return purchase && this.#prices.get(metadata.labels?.[NODEPOOL_LABEL] ?? '')?.get(keyOf(purchase));
  }

  /** What a NodePool's instances cost together. 0 without instances. Instances of unknown price do not count. */
  costOf(nodePool: string): number {
    const prices = this.#prices.get(nodePool);
    if (prices === undefined) return 0;
    const purchases = this.#purchasesOf(nodePool);
    return purchases.reduce((sum, purchase) => sum + (prices.get(keyOf(purchase)) ?? 0), 0);
  }

  /** Whether the price of a NodeClaim's instance was never looked up. Before the launch there is none. */
  isUnpriced({ metadata }: NodeClaim): boolean {
    const purchase = findPurchase(metadata.labels);
    const nodePool = metadata.labels?.[NODEPOOL_LABEL];
    return Boolean(nodePool && purchase && !this.#prices.get(nodePool)?.has(keyOf(purchase)));
  }

  /**
   * Updates the prices of a NodePool's purchases. Those that are no longer offered keep their last price. Returns those
   * whose price is found to be unknown for the first time: they do not count.
   */
  update(nodePool: string, instanceTypes: readonly InstanceType[]): readonly Purchase[] {
    const types = new Map(instanceTypes.map((type) => [type.name, type]));
    const before = this.#prices.get(nodePool);
    const prices = new Map<string, number | undefined>();
    const unknown: Purchase[] = [];
    for (const purchase of this.#purchasesOf(nodePool)) {
      const key = keyOf(purchase);
      if (prices.has(key)) continue;
      const price = findPrice(types.get(purchase.instanceType), purchase) ?? before?.get(key);
      if (price === undefined && before?.has(key) !== true) unknown.push(purchase);
      prices.set(key, price);
    }
    this.#prices.set(nodePool, prices);
    return unknown;
  }

  forget(nodePool: string): void {
    this.#prices.delete(nodePool);
  }

  #purchasesOf(nodePool: string): readonly Purchase[] {
    const nodeClaims = this.#nodeClaims.byIndex('nodePool', nodePool);
    return nodeClaims.map(({ metadata }) => findPurchase(metadata.labels)).filter((purchase) => purchase !== undefined);
  }
}

/** Complete only after the launch. */
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
