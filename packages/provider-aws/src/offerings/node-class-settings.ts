import type { EC2NodeClass } from '@karpenter-ts/apis';
import { imageSet } from '../instance-types/discovered-memory.ts';
import { type SubnetZone, subnetZonesOf } from '../instance-types/subnet-zones.ts';
import {
  type CapacityReservationStatus,
  readTypeSettings,
  type TypeOptions,
  type TypeSettings,
} from '../instance-types/type-settings.ts';
import type { PlacementGroup } from '../placement/placement-group.ts';

/** Everything that a NodeClass says about instance types and their offerings. */
export interface NodeClassSettings {
  readonly types: TypeSettings;
  /** The images of the nodes, as `DiscoveredMemory` names them. */
  readonly images: string;
  /** The zones of the subnets, by name. */
  readonly subnetZones: ReadonlyMap<string, SubnetZone>;
  readonly nestedVirtualization: boolean;
  readonly connectionTracking: boolean;
  readonly placementGroup: PlacementGroup | undefined;
}

/** The settings of one NodeClass, and a text that is equal for equal settings. */
export interface IdentifiedSettings {
  readonly settings: NodeClassSettings;
  readonly key: string;
}

/**
 * Reads a NodeClass. The key names everything that resolving reads: what is added there must be added here (spec 07 §3.6).
 * Throws UnreadableSettingError.
 */
export function identifySettings(
  nodeClass: EC2NodeClass,
  placementGroup: PlacementGroup | undefined,
  options: TypeOptions,
): IdentifiedSettings {
  const { cpuOptions, connectionTracking } = nodeClass.spec ?? {};
  const types = readTypeSettings(nodeClass, options);
  const zones = subnetZonesOf(nodeClass);
  const settings: NodeClassSettings = {
    types,
    images: imageSet(nodeClass.status?.amis ?? []),
    subnetZones: new Map(zones.map((zone) => [zone.name, zone])),
    nestedVirtualization: cpuOptions?.nestedVirtualization === 'enabled',
    connectionTracking: connectionTracking !== undefined,
    placementGroup,
  };
  return { settings, key: keyOf(settings, zones) };
}

function keyOf(settings: NodeClassSettings, zones: readonly SubnetZone[]): string {
  const { types, images, nestedVirtualization, connectionTracking, placementGroup } = settings;
  const { networkInterfaces = 'unset', capacityReservations, ...rest } = types;
  return JSON.stringify(
    [
      { ...rest, networkInterfaces },
      capacityReservations.map(readOfReservation),
      zones.map(({ name, id, subnetIds }) => ({ name, id, subnetIds: subnetIds.toSorted() })),
      [images, nestedVirtualization, connectionTracking],
      placementGroup && [placementGroup.id, placementGroup.strategy, placementGroup.partitionCount],
    ],
    sortedMembers,
  );
}

/** What else the status says of a reservation, when it ends above all, changes no offering. */
function readOfReservation(reservation: CapacityReservationStatus): unknown {
  const { id, instanceType, availabilityZone, reservationType, interruptible, state } = reservation;
  return [id, instanceType, availabilityZone, reservationType, interruptible === true, state];
}

/** Maps say the same in any order. The order of lists may count: that of volumes does. */
function sortedMembers(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
