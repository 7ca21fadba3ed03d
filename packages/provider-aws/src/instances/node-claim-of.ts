import {
  AWS_LABELS,
  CAPACITY_TYPE_LABEL,
  type EC2NodeClass,
  EC2NODECLASS_TAG,
  type NodeClaim,
  NODEPOOL_LABEL,
  NODEPOOL_TAG,
  ZONE_LABEL,
} from '@karpenter-ts/apis';
import { timestamp } from '@karpenter-ts/kubernetes';
import type { Instant } from '@karpenter-ts/runtime';
import { EC2_NODE_CLASSES } from '../node-class/node-class-lookup.ts';
import type { PlacementGroup } from '../placement/placement-group.ts';
import type { Instance } from './instance.ts';
import type { TypeData } from './type-data.ts';

/** An instance, and what is known of it beside. */
export interface KnownInstance {
  readonly instance: Instance;
  /** Undefined if its type cannot be looked up any more: then the NodeClaim says less. */
  readonly type?: TypeData | undefined;
  readonly nodeClass?: EC2NodeClass | undefined;
  /** The group that the NodeClass selects. */
  readonly placementGroup?: PlacementGroup | undefined;
  /** The partition that the launch asked for. Without one, the registration hook finds out which it is. */
  readonly partition?: string | undefined;
}

/** The instance as the NodeClaim that a provider answers with (spec 07 §18). */
export function nodeClaimOf(known: KnownInstance, now: Instant): NodeClaim {
  const { instance, type } = known;
  const { group, kind } = EC2_NODE_CLASSES;
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: {
      name: instance.id,
      labels: labelsOf(known),
      annotations: {},
      creationTimestamp: timestamp(instance.launchTime.getTime()),
      ...(isTerminating(instance) && { deletionTimestamp: timestamp(now) }),
    },
    spec: {
      nodeClassRef: { group, kind, name: instance.tags[EC2NODECLASS_TAG] ?? '' },
      requirements: [],
      expireAfter: 'Never',
    },
    status: {
      providerID: providerIdOf(instance),
      imageID: instance.imageId,
      ...type?.resources(instance),
    },
  };
}

/** The id that the Node of an instance has. */
export function providerIdOf({ zone, id }: Pick<Instance, 'zone' | 'id'>): string {
  return `aws:///${zone}/${id}`;
}

/** Whether the instance is going away, or gone. */
function isTerminating({ state }: Pick<Instance, 'state'>): boolean {
  return state === 'shutting-down' || state === 'terminated';
}

function labelsOf({ instance, type, nodeClass, ...placement }: KnownInstance): Readonly<Record<string, string>> {
  const { zone, capacityType, tenancy, reservation, tags } = instance;
  const zoneId = nodeClass?.status?.subnets?.find((subnet) => subnet.zone === zone)?.zoneID;
  const nodePool = tags[NODEPOOL_TAG];
  return {
    ...type?.labels,
    [ZONE_LABEL]: zone,
    ...(zoneId && { [AWS_LABELS.zoneId]: zoneId }),
    [CAPACITY_TYPE_LABEL]: capacityType,
    [AWS_LABELS.instanceTenancy]: tenancy,
    ...(capacityType === 'reserved' &&
      reservation !== undefined && {
        [AWS_LABELS.capacityReservationId]: reservation.id,
        [AWS_LABELS.capacityReservationType]: reservation.type,
        [AWS_LABELS.capacityReservationInterruptible]: String(reservation.interruptible),
      }),
    ...placementLabels(placement),
    ...(nodePool !== undefined && { [NODEPOOL_LABEL]: nodePool }),
  };
}

/** An empty partition stands for one that EC2 chose and has not told yet. */
function placementLabels({
  placementGroup,
  partition = '',
}: Pick<KnownInstance, 'placementGroup' | 'partition'>): Readonly<Record<string, string>> {
  if (placementGroup === undefined) return {};
  return {
    [AWS_LABELS.placementGroupId]: placementGroup.id,
    ...(placementGroup.strategy === 'partition' && { [AWS_LABELS.placementGroupPartition]: partition }),
  };
}
