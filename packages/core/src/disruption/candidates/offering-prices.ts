import { CAPACITY_TYPE_LABEL, ZONE_LABEL } from '@karpenter-ts/apis';
import type { InstanceType } from '@karpenter-ts/scheduling';

/** Where and how an instance was bought. */
export interface Purchase {
  readonly zone: string;
  readonly capacityType: string;
}

/**
 * What running instances cost. The offerings of an instance type are indexed once, because a pass asks for the price of
 * every node.
 */
export class OfferingPrices {
  readonly #byType = new WeakMap<InstanceType, ReadonlyMap<string, number>>();

  /**
   * The hourly price of the first offering in this zone and of this capacity type, available or not: what can no longer
   * be bought still runs. Undefined without such an offering, or if its price is not a number.
   */
  find(instanceType: InstanceType | undefined, purchase: Purchase): number | undefined {
    if (instanceType === undefined) return undefined;
    let prices = this.#byType.get(instanceType);
    if (prices === undefined) this.#byType.set(instanceType, (prices = indexPrices(instanceType)));
    const price = prices.get(keyOf(purchase));
    return price === undefined || Number.isNaN(price) ? undefined : price;
  }
}

function indexPrices({ offerings }: InstanceType): ReadonlyMap<string, number> {
  const prices = new Map<string, number>();
  for (const { requirements, pricePerHour } of offerings) {
    const valueOf = (label: string) => requirements.find(({ key }) => key === label)?.values?.[0] ?? '';
    const key = keyOf({ zone: valueOf(ZONE_LABEL), capacityType: valueOf(CAPACITY_TYPE_LABEL) });
    if (!prices.has(key)) prices.set(key, pricePerHour);
  }
  return prices;
}

function keyOf({ zone, capacityType }: Purchase): string {
  return `${capacityType}/${zone}`;
}
