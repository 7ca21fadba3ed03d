import { NEVER } from '@karpenter-ts/runtime/testing';
import { DiscoveredMemory } from '../instance-types/discovered-memory.ts';
import { DiscoveredTypes } from '../instance-types/discovered-types.ts';
import { createInstanceTypes } from '../offerings/create-instance-types.ts';
import type { InstanceTypes } from '../offerings/instance-types.ts';
import { NO_OVERLAY_PRICES } from '../offerings/overlay-prices.ts';
import { UnavailableOfferings } from '../offerings/unavailable-offerings.ts';
import { Prices } from '../pricing/prices.ts';
import { ReservationCounts } from '../reservations/reservation-counts.ts';
import { NO_ZONAL_SHIFTS } from '../zonal-shift/zonal-shifts.ts';
import type { EmulatedAws } from './emulated-aws.ts';

const REGION = 'us-east-1';

/** The types that the emulator has, as the start of the process finds them. */
export async function discoverEmulatedTypes(aws: EmulatedAws): Promise<DiscoveredTypes> {
  const discovered = new DiscoveredTypes({ ...aws, ec2: aws.apis.ec2 });
  await aws.settle(discovered.refreshTypes(NEVER));
  await aws.settle(discovered.refreshOfferings(NEVER));
  return discovered;
}

/** The instance types of NodeClasses, at the prices that are shipped. */
export function emulatedInstanceTypes(aws: EmulatedAws, discovered: DiscoveredTypes): InstanceTypes {
  const { apis, clock, logger, metrics } = aws;
  const deps = { ...apis, clock, logger, metrics, region: REGION };
  return createInstanceTypes({
    ...deps,
    discovered,
    options: { region: REGION, vmMemoryOverheadPercent: 0.075, reservedEnis: 0 },
    reservedCapacity: true,
    prices: new Prices({ ...deps, isolatedVpc: true }),
    overlayPrices: NO_OVERLAY_PRICES,
    unavailable: new UnavailableOfferings(deps),
    memory: new DiscoveredMemory(deps),
    reservations: new ReservationCounts(clock),
    zonalShift: NO_ZONAL_SHIFTS,
  });
}
