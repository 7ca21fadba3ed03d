import type { UnavailableOfferings } from './unavailable-offerings.ts';
import { BaseOfferings, type BaseOfferingsDeps } from './base-offerings.ts';
import { InstanceTypes, type InstanceTypesDeps } from './instance-types.ts';
import type { OfferingResolver } from './offering-resolver.ts';
import { PartitionOfferings } from './partition-offerings.ts';
import { ReservedOfferings, type ReservedOfferingsDeps } from './reserved-offerings.ts';

export interface CatalogueDeps extends BaseOfferingsDeps, ReservedOfferingsDeps, Omit<InstanceTypesDeps, 'resolvers'> {
  readonly unavailable: UnavailableOfferings;
  /** Whether reservations are used (gate ReservedCapacity). */
  readonly reservedCapacity: boolean;
  /** Further offerings, of whoever builds the provider into something of their own. */
  readonly furtherResolvers?: readonly OfferingResolver[] | undefined;
}

/** The instance types of all NodeClasses, with the offerings of spec 07 §8. */
export function createInstanceTypes(deps: CatalogueDeps): InstanceTypes {
  const resolvers = [
    new BaseOfferings(deps),
    ...(deps.reservedCapacity ? [new ReservedOfferings(deps)] : []),
    new PartitionOfferings(deps),
    ...(deps.furtherResolvers ?? []),
  ];
  return new InstanceTypes({ ...deps, resolvers });
}
