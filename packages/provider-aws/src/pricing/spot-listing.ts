import type { Logger } from '@karpenter-ts/runtime';
import type { Ec2Api } from '../api/aws-apis.ts';
import { pages } from '../api/pages.ts';
import { readPrice } from './on-demand-listing.ts';

/** Prices by instance type, then by zone. */
export type SpotPrices = ReadonlyMap<string, ReadonlyMap<string, number>>;

export interface SpotListing {
  readonly ec2: Pick<Ec2Api, 'describeSpotPriceHistory'>;
  readonly now: Date;
  readonly logger: Logger;
}

/** EC2 names one product or the other, depending on how old the account is. */
const PRODUCTS = ['Linux/UNIX', 'Linux/UNIX (Amazon VPC)'];

/**
 * What spot instances cost now (spec 07 §10.3): a history that starts now has the price in force only. Later records
 * count more than earlier ones. Rejects if the listing fails or has no price.
 */
export async function listSpotPrices({ ec2, now, logger }: SpotListing, signal: AbortSignal): Promise<SpotPrices> {
  const request = { ProductDescriptions: PRODUCTS, StartTime: now, MaxResults: 2000 };
  const prices = new Map<string, Map<string, number>>();
  try {
    for await (const { SpotPriceHistory = [] } of pages(ec2.describeSpotPriceHistory, request, signal)) {
      for (const { InstanceType, AvailabilityZone, SpotPrice, Timestamp } of SpotPriceHistory) {
        const price = readPrice(SpotPrice);
        if (price === undefined) {
          logger.debug('unable to parse price record', { 'instance-type': InstanceType, price: SpotPrice });
          continue;
        }
        if (Timestamp === undefined || InstanceType === undefined || AvailabilityZone === undefined) continue;
        const zones = prices.get(InstanceType);
        if (zones === undefined) prices.set(InstanceType, new Map([[AvailabilityZone, price]]));
        else zones.set(AvailabilityZone, price);
      }
    }
  } catch (error) {
    throw new Error('retrieving spot pricing data', { cause: error });
  }
  if (prices.size === 0) throw new Error('no spot pricing found');
  return prices;
}
