import type {
  CapacityReservation as SdkReservation,
  DescribeCapacityReservationsRequest,
  DescribeCapacityReservationsResult,
  DescribePlacementGroupsRequest,
  DescribePlacementGroupsResult,
  PlacementGroup as SdkPlacementGroup,
} from '@aws-sdk/client-ec2';
import { partitionOf } from '../../state/place.ts';
import { ApiError } from '../../wire/api-error.ts';
import { named } from './describe-network.ts';
import { type Attributes, filterOf } from './filters.ts';
import { listPage, refusePagingThroughIds } from './listing.ts';
import type { PlacementGroup } from './placement-groups.ts';
import { missingIds } from './refusals.ts';
import type { Ec2Region } from './region.ts';
import { availableIn, type CapacityReservation } from './reservations.ts';
import { tagSet } from './tags.ts';

const RESERVATIONS: Attributes<CapacityReservation> = {
  'availability-zone': ({ zone }) => zone,
  'end-date-type': ({ endsAt }) => (endsAt === undefined ? 'unlimited' : 'limited'),
  'instance-match-criteria': ({ matchCriteria }) => matchCriteria,
  'instance-platform': ({ platform }) => platform,
  'instance-type': ({ instanceType }) => instanceType,
  'owner-id': ({ ownerId }) => ownerId,
  'reservation-type': ({ type }) => type,
  state: ({ state }) => state,
  tenancy: ({ tenancy }) => tenancy,
};

export function describeCapacityReservations(
  region: Ec2Region,
  input: DescribeCapacityReservationsRequest,
): DescribeCapacityReservationsResult {
  const ids = input.CapacityReservationIds;
  refusePagingThroughIds(ids, input, 'capacityReservationIds');
  const missing = (unknown: readonly string[]): Error =>
    missingIds('InvalidCapacityReservationId.NotFound', 'capacity reservation ID', unknown);
  const listing = {
    attributes: RESERVATIONS,
    tagsOf: ({ tags }: CapacityReservation) => tags,
    orderOf: ({ serial }: CapacityReservation) => serial,
    pageSize: { least: 1, most: 1000 },
  };
  const { items, ...next } = listPage(listing, named(region.reservations, ids, missing), input);
  return { CapacityReservations: items.map((one) => described(one, region)), ...next };
}

function described(one: CapacityReservation, { place, catalogue }: Ec2Region): SdkReservation {
  const { region } = place;
  return {
    CapacityReservationId: one.id,
    CapacityReservationArn: `arn:${partitionOf(region)}:ec2:${region}:${one.ownerId}:capacity-reservation/${one.id}`,
    OwnerId: one.ownerId,
    InstanceType: one.instanceType,
    InstancePlatform: one.platform as NonNullable<SdkReservation['InstancePlatform']>,
    AvailabilityZone: one.zone,
    AvailabilityZoneId: catalogue.zoneIdOf(one.zone),
    Tenancy: one.tenancy,
    TotalInstanceCount: one.total,
    AvailableInstanceCount: availableIn(one),
    State: one.state,
    CreateDate: new Date(one.createdAt),
    StartDate: new Date(one.startsAt),
    EndDate: one.endsAt === undefined ? undefined : new Date(one.endsAt),
    EndDateType: one.endsAt === undefined ? 'unlimited' : 'limited',
    InstanceMatchCriteria: one.matchCriteria,
    ReservationType: one.type,
    Interruptible: one.isInterruptible,
    Tags: tagSet(one.tags),
  };
}

const PLACEMENT_GROUPS: Attributes<PlacementGroup> = {
  'group-name': ({ name }) => name,
  'group-id': ({ id }) => id,
  state: ({ state }) => state,
  strategy: ({ strategy }) => strategy,
  'spread-level': ({ strategy, spreadLevel }) => (strategy === 'spread' ? spreadLevel : undefined),
};

export function describePlacementGroups(
  region: Ec2Region,
  { GroupIds = [], GroupNames = [], Filters }: DescribePlacementGroupsRequest,
): DescribePlacementGroupsResult {
  const groups = [...region.placementGroups.values()].filter(({ state }) => state !== 'deleted');
  for (const [asked, key] of [
    ...GroupIds.map((id) => [id, 'id'] as const),
    ...GroupNames.map((name) => [name, 'name'] as const),
  ]) {
    if (groups.some((group) => group[key] === asked)) continue;
    throw new ApiError('InvalidPlacementGroup.Unknown', `The Placement Group '${asked}' is unknown.`);
  }
  const passes = filterOf(Filters, PLACEMENT_GROUPS, ({ tags }) => tags);
  const found = groups.filter(
    (group) =>
      (GroupIds.length === 0 || GroupIds.includes(group.id)) &&
      (GroupNames.length === 0 || GroupNames.includes(group.name)) &&
      passes(group),
  );
  return { PlacementGroups: found.map((group) => describedGroup(region, group)) };
}

export function describedGroup({ place }: Ec2Region, group: PlacementGroup): SdkPlacementGroup {
  const { id, name, state, strategy, partitions, spreadLevel, tags } = group;
  const { account, region } = place;
  return {
    GroupId: id,
    GroupName: name,
    GroupArn: `arn:${partitionOf(region)}:ec2:${region}:${account}:placement-group/${name}`,
    State: state === 'deleted' ? 'deleting' : state,
    Strategy: strategy,
    PartitionCount: strategy === 'partition' ? partitions : undefined,
    SpreadLevel: strategy === 'spread' ? spreadLevel : undefined,
    Tags: tagSet(tags),
  };
}
