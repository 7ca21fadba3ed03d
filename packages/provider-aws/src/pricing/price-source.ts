/** What types cost an hour: the last answers of AWS, or the shipped tables where there are none yet. */
export interface PriceSource {
  /** Rises whenever a price may have changed. */
  readonly version: number;
  onDemand(instanceType: string): number | undefined;
  spot(instanceType: string, zone: string): number | undefined;
}
