import type { Instant } from '@karpenter-ts/runtime';

/** What types cost an hour: the last answers of AWS, or the shipped tables where there are none yet. */
export interface PriceSource {
  /** Rises whenever a price has changed, and stays when a refresh has brought nothing new. */
  readonly version: number;
  onDemand(instanceType: string): number | undefined;
  spot(instanceType: string, zone: string): number | undefined;
}

/** How old the prices of a capacity type are. */
export interface PriceTableAge {
  /** Whether they are still those that came with the program. */
  readonly isShipped: boolean;
  /** When AWS last named them. */
  readonly updatedAt: Instant;
}
