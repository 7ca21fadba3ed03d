import { CAPACITY_TYPE_LABEL, INSTANCE_TYPE_LABEL, type NodeClaim, ZONE_LABEL } from '@karpenter-ts/apis';
import type { InstanceType } from '@karpenter-ts/scheduling';

/** What an operator may take something to cost an hour. */
export interface PriceRange {
  readonly least: number;
  readonly most: number;
}

/** What the instance of a NodeClaim costs; undefined for what is not in the catalogue. */
export type PriceOf = (nodeClaim: NodeClaim) => PriceRange | undefined;

/** The prices of a catalogue, whether or not there is any capacity left. */
export function priceList(types: readonly InstanceType[]): PriceOf {
  const prices = new Map<string, number>();
  for (const { name, offerings } of types) {
    for (const { requirements, pricePerHour } of offerings) {
      const valueOf = (key: string) => requirements.find((one) => one.key === key)?.values?.[0];
      prices.set([name, valueOf(ZONE_LABEL), valueOf(CAPACITY_TYPE_LABEL)].join(), pricePerHour);
    }
  }
  return ({ metadata: { labels = {} } }) => {
    const price = prices.get([labels[INSTANCE_TYPE_LABEL], labels[ZONE_LABEL], labels[CAPACITY_TYPE_LABEL]].join());
    return price === undefined ? undefined : { least: price, most: price };
  };
}
