import { onDemandPriceFacts } from '@karpenter-ts/ec2-facts';
import type { Instant } from '@karpenter-ts/runtime';

/** A table that came with the program. */
export interface ShippedPrices {
  /** What types cost an hour on demand. */
  readonly prices: ReadonlyMap<string, number>;
  /** When AWS named them. */
  readonly updatedAt: Instant;
}

const DEFAULT_TABLE = 'us-east-1';

/** The days of the tables, as the headers of upstream's generated files have them. */
const DAYS: Readonly<Record<string, Instant>> = {
  [DEFAULT_TABLE]: Date.UTC(2026, 6, 6),
  'us-gov-east-1': Date.UTC(2026, 5, 15),
  'us-gov-west-1': Date.UTC(2026, 5, 15),
  'cn-north-1': Date.UTC(2024, 10, 6),
};

/**
 * Regions that have no table of their own and are like another one. Upstream starts cn-northwest-1 from us-east-1, and so
 * takes dollars for yuan until a refresh has succeeded (spec 07, weakness 31).
 */
const ALIKE: Readonly<Record<string, string>> = { 'cn-northwest-1': 'cn-north-1' };

/** The prices to start with. A region that there is no table for has those of us-east-1 (spec 07 §10.1). */
export function shippedPrices(region: string): ShippedPrices {
  const tables = onDemandPriceFacts();
  const wanted = ALIKE[region] ?? region;
  const table = Object.hasOwn(tables, wanted) ? wanted : DEFAULT_TABLE;
  return { prices: new Map(Object.entries(tables[table]!)), updatedAt: DAYS[table]! };
}
