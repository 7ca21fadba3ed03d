import { CAPACITY_TYPE_LABEL, type CapacityType, ZONE_LABEL } from '@karpenter-ts/apis';
import type { InstanceType } from '@karpenter-ts/scheduling';
import { roomiestSubnets, type StatusSubnet, type SubnetAddressBook } from '../network/subnet-address-book.ts';
import { withValue } from './demand.ts';
import { Matcher } from './matcher.ts';
import { amountOf } from './template-groups.ts';

/** The subnets that a launch may use, with addresses taken in each of them. */
export interface AddressHold {
  /** One for each zone. */
  readonly subnets: ReadonlyMap<string, StatusSubnet>;
  /** Gives the addresses back, except those in the subnet of the instance. */
  release(usedSubnetId: string | undefined): void;
}

/**
 * Chooses the subnet with the most free addresses in each zone, and takes as many addresses as the smallest type that may
 * be launched there has room for pods. Nobody knows the zone before EC2 has chosen, so all of them are taken from.
 */
export function holdAddresses(
  statusSubnets: readonly StatusSubnet[],
  launch: { readonly types: readonly InstanceType[]; readonly capacityType: CapacityType },
  book: SubnetAddressBook,
): AddressHold {
  const subnets = roomiestSubnets(statusSubnets, book);
  const held = [...subnets].map(([zone, { id }]) => ({ id, giveBack: book.take(id, fewestPods(launch, zone)) }));
  return {
    subnets,
    release: (usedSubnetId) => {
      for (const { id, giveBack } of held) if (id !== usedSubnetId) giveBack();
    },
  };
}

function fewestPods(
  { types, capacityType }: { readonly types: readonly InstanceType[]; readonly capacityType: CapacityType },
  zone: string,
): number {
  const inZone = new Matcher(withValue(withValue(new Map(), CAPACITY_TYPE_LABEL, capacityType), ZONE_LABEL, zone));
  const pods = types.filter((type) => inZone.isAvailable(type)).map((type) => amountOf(type, 'pods'));
  return pods.length === 0 ? 0 : Math.min(...pods);
}
