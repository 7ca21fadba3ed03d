import { AWS_LABELS, CAPACITY_TYPE_LABEL, type CapacityType, operatorOf, type Requirements } from '@karpenter-ts/apis';
import type { InstanceType } from '@karpenter-ts/scheduling';
import type { PlacementGroup } from '../placement/placement-group.ts';
import { leavesOpen, withValue } from './demand.ts';
import { isReserved, Matcher, type ReservationKind, reservationKindOf } from './matcher.ts';

/** What all offerings of one launch have in common (spec 07 §13). */
export interface LaunchTerms {
  readonly capacityType: CapacityType;
  readonly tenancy: 'default' | 'dedicated';
  /** Set for reserved capacity. */
  readonly reservationKind: ReservationKind | undefined;
  /** The partition of the placement group to launch into; undefined if EC2 is to choose. */
  readonly partition: string | undefined;
  /** The requirements with what was chosen in the place of what was open. */
  readonly requirements: Requirements;
}

/** Chooses the terms of a launch with these types. There is no other choice later: a launch that fails, fails. */
export function chooseTerms(
  types: readonly InstanceType[],
  requirements: Requirements,
  placementGroup: PlacementGroup | undefined,
): LaunchTerms {
  const capacityType = chooseCapacityType(types, requirements);
  const asked = withValue(requirements, CAPACITY_TYPE_LABEL, capacityType);
  const partition = choosePartition(types, asked, placementGroup);
  return {
    capacityType,
    tenancy: chooseTenancy(requirements),
    reservationKind: capacityType === 'reserved' ? findReservationKind(types) : undefined,
    partition,
    requirements: partition === undefined ? asked : withValue(asked, AWS_LABELS.placementGroupPartition, partition),
  };
}

/** Reserved capacity is paid for already, and spot costs least; on-demand where neither can be had. */
function chooseCapacityType(types: readonly InstanceType[], requirements: Requirements): CapacityType {
  const preferred = (['reserved', 'spot'] as const).find((capacityType) => {
    if (!leavesOpen(requirements, CAPACITY_TYPE_LABEL, capacityType)) return false;
    const matcher = new Matcher(withValue(requirements, CAPACITY_TYPE_LABEL, capacityType));
    return types.some((type) => matcher.isAvailable(type));
  });
  return preferred ?? 'on-demand';
}

/** Hardware of one's own costs more, so it is used only if nothing else is allowed. */
function chooseTenancy(requirements: Requirements): 'default' | 'dedicated' {
  const isOpen = (tenancy: string) => leavesOpen(requirements, AWS_LABELS.instanceTenancy, tenancy);
  return !isOpen('default') && isOpen('dedicated') ? 'dedicated' : 'default';
}

/**
 * The partition to launch into, if the requirements name some: the first in the order of text that has capacity, so that
 * launches move on when a partition is full. Requirements that merely exclude partitions leave the choice to EC2; upstream
 * aims at the excluded ones (spec 07, weakness 4).
 */
function choosePartition(
  types: readonly InstanceType[],
  requirements: Requirements,
  placementGroup: PlacementGroup | undefined,
): string | undefined {
  const asked = requirements.get(AWS_LABELS.placementGroupPartition);
  if (placementGroup?.strategy !== 'partition' || asked === undefined || operatorOf(asked) !== 'In') return undefined;
  const partitions = [...asked.values].sort();
  const withCapacity = partitions.find((partition) => {
    const matcher = new Matcher(withValue(requirements, AWS_LABELS.placementGroupPartition, partition));
    return types.some((type) => matcher.isAvailable(type));
  });
  return withCapacity ?? partitions[0];
}

/** Filters have left one kind only. */
function findReservationKind(types: readonly InstanceType[]): ReservationKind | undefined {
  const offering = types.flatMap(({ offerings }) => offerings).find(isReserved);
  return offering && reservationKindOf(offering);
}

/** With fewer types than this, on-demand capacity may well be short, too. */
const ENOUGH_TYPES = 5;

/**
 * What is wrong with a launch of on-demand instances that could have been spot: it has fallen back because spot is short,
 * and few types make that likely for on-demand, too. Undefined if nothing is.
 */
export function findInflexibility(
  types: readonly InstanceType[],
  requirements: Requirements,
  { capacityType }: LaunchTerms,
): string | undefined {
  if (capacityType !== 'on-demand' || !leavesOpen(requirements, CAPACITY_TYPE_LABEL, 'spot')) return undefined;
  if (types.length >= ENOUGH_TYPES) return undefined;
  return (
    `at least ${ENOUGH_TYPES} instance types are recommended when flexible to spot but requesting on-demand, ` +
    `the current provisioning request only has ${types.length} instance type options`
  );
}
