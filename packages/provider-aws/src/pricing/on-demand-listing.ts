import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Filter } from '@aws-sdk/client-pricing';
import type { Logger } from '@karpenter-ts/runtime';
import type { PricingApi } from '../api/aws-apis.ts';
import { pages } from '../api/pages.ts';

/** What the two listings of the price list have in common, and where they differ (spec 07 §10.2). */
const COMMON = {
  serviceCode: 'AmazonEC2',
  preInstalledSw: 'NA',
  operatingSystem: 'Linux',
  capacitystatus: 'Used',
  marketoption: 'OnDemand',
};
const SHARED = { tenancy: 'Shared', productFamily: 'Compute Instance' };
const BARE_METAL = { tenancy: 'Dedicated', productFamily: 'Compute Instance (bare metal)' };

/** An entry is some 10 KB of JSON. */
const ENTRIES_IN_A_TURN = 25;

export interface OnDemandListing {
  readonly pricing: PricingApi;
  readonly region: string;
  readonly logger: Logger;
}

/**
 * The prices that AWS lists for a region, by instance type. Rejects if a listing fails, or has no prices of virtual
 * instances. Prices of bare metal may be missing, because there are regions without any; upstream fails there
 * (spec 07, weakness 15).
 */
export async function listOnDemandPrices(
  listing: OnDemandListing,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const [shared, bareMetal] = await Promise.all([
    listProducts(listing, SHARED, signal),
    listProducts(listing, BARE_METAL, signal),
  ]);
  if (shared.size === 0) throw new Error('no on-demand pricing found');
  return new Map([...shared, ...bareMetal]);
}

async function listProducts(
  { pricing, region, logger }: OnDemandListing,
  kind: typeof SHARED,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const fields = { regionCode: region, ...COMMON, ...kind };
  const filters: Filter[] = Object.entries(fields).map(([Field, Value]) => ({ Type: 'TERM_MATCH', Field, Value }));
  const request = { ServiceCode: 'AmazonEC2', Filters: filters, MaxResults: 100 };
  const currency = region.startsWith('cn-') ? 'CNY' : 'USD';
  const prices = new Map<string, number>();
  try {
    for await (const { PriceList = [] } of pages(pricing.getProducts, request, signal)) {
      for (const [index, entry] of PriceList.entries()) {
        if (index % ENTRIES_IN_A_TURN === 0) await nextTurn();
        readEntry(String(entry), { currency, logger, prices });
      }
    }
  } catch (error) {
    throw new Error('retreiving on-demand pricing data, getting pricing data', { cause: error }); // upstream's spelling
  }
  return prices;
}

/** The part of a price list entry that is read. Nothing in it is certain to be there. */
interface PriceListEntry {
  readonly product?: { readonly attributes?: { readonly instanceType?: unknown } | null } | null;
  readonly terms?: { readonly OnDemand?: Readonly<Record<string, Term | null>> | null } | null;
}

interface Term {
  readonly priceDimensions?: Readonly<Record<string, Dimension | null>> | null;
}

interface Dimension {
  readonly pricePerUnit?: Readonly<Record<string, unknown>> | null;
}

/** An entry names one type, and mostly one price. Of several the last counts, as upstream has it. */
function readEntry(
  text: string,
  {
    currency,
    logger,
    prices,
  }: { readonly currency: string; readonly logger: Logger; readonly prices: Map<string, number> },
): void {
  let entry: PriceListEntry | null;
  try {
    entry = JSON.parse(text) as PriceListEntry | null;
  } catch (error) {
    logger.error('failed unmarshaling pricing data', error);
    return;
  }
  const instanceType = entry?.product?.attributes?.instanceType;
  if (typeof instanceType !== 'string' || instanceType === '') return;
  for (const term of Object.values(entry?.terms?.OnDemand ?? {})) {
    for (const dimension of Object.values(term?.priceDimensions ?? {})) {
      const price = readPrice(dimension?.pricePerUnit?.[currency]);
      if (price !== undefined && price !== 0) prices.set(instanceType, price);
    }
  }
}

/** Undefined for anything but a number that something can cost. */
export function readPrice(text: unknown): number | undefined {
  if (typeof text !== 'string' || text.trim() === '') return undefined;
  const price = Number(text);
  return Number.isFinite(price) && price >= 0 ? price : undefined;
}
