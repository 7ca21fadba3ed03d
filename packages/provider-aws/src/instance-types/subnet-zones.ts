import type { EC2NodeClass } from '@karpenter-ts/apis';

/** A zone in which a NodeClass has subnets. */
export interface SubnetZone {
  readonly name: string;
  /** Empty where the status comes from a version that did not write it. */
  readonly id: string;
  readonly subnetIds: readonly string[];
}

/**
 * The zones of the subnets in the status, sorted by name. Upstream groups subnets by the id of their zone, and so takes
 * all that have none for one zone (spec 07, weakness 27); here they are grouped by name.
 */
export function subnetZonesOf({ status }: Pick<EC2NodeClass, 'status'>): readonly SubnetZone[] {
  const zones = Map.groupBy(status?.subnets ?? [], ({ zone }) => zone);
  const sorted = [...zones].sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([name, subnets]) => ({
    name,
    id: subnets.find(({ zoneID }) => zoneID)?.zoneID ?? '',
    subnetIds: subnets.map(({ id }) => id),
  }));
}
