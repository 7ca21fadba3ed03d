import type { FleetLaunchTemplateConfigRequest, FleetLaunchTemplateOverridesRequest } from '@aws-sdk/client-ec2';
import { type EC2NodeClass, MIN_VALUES_RELAXED, type NodeClaim, PRICE_OVERLAY_APPLIED } from '@karpenter-ts/apis';
import type { FleetRequest } from '../batching/create-fleet.ts';
import type { StatusSubnet } from '../network/subnet-address-book.ts';
import { ec2Tags, type Tags } from './launch-tags.ts';
import type { LaunchTerms } from './launch-terms.ts';
import { Matcher, zoneOf } from './matcher.ts';
import { isForTemplate, type TemplateGroup } from './template-groups.ts';

type InstanceTypeName = FleetLaunchTemplateOverridesRequest['InstanceType'];

/** A template and what may be launched with it. */
export type TemplateConfig = FleetLaunchTemplateConfigRequest & {
  readonly Overrides: FleetLaunchTemplateOverridesRequest[];
};

/**
 * One entry for each template, with one override for each type and zone that can be had; a template without any is left
 * out. Partitions do not make a difference here: the template names the one to launch into.
 */
export function templateConfigs(
  groups: readonly TemplateGroup[],
  terms: LaunchTerms,
  subnets: ReadonlyMap<string, StatusSubnet>,
): readonly TemplateConfig[] {
  const matcher = new Matcher(terms.requirements);
  return groups.flatMap((group) => {
    const Overrides = overridesOf(group, matcher, subnets);
    if (Overrides.length === 0) return [];
    return [{ LaunchTemplateSpecification: { LaunchTemplateName: group.name, Version: '$Latest' }, Overrides }];
  });
}

function overridesOf(
  { types, spec }: TemplateGroup,
  matcher: Matcher,
  subnets: ReadonlyMap<string, StatusSubnet>,
): FleetLaunchTemplateOverridesRequest[] {
  return types.flatMap((type) => {
    const offerings = matcher.available(type).filter((offering) => isForTemplate(offering, spec));
    const byZone = Map.groupBy(offerings, zoneOf);
    return [...byZone].flatMap(([zone, [offering]]) => {
      const subnet = subnets.get(zone);
      if (subnet === undefined) return [];
      return [
        {
          InstanceType: type.name as InstanceTypeName,
          SubnetId: subnet.id,
          ImageId: spec.amiId,
          AvailabilityZone: zone, // tells errors of zones apart
          Priority: offering!.pricePerHour, // counts where an overlay has changed prices
        },
      ];
    });
  });
}

/** What a request for an instance is made of. */
export interface FleetParts {
  readonly configs: readonly TemplateConfig[];
  readonly terms: LaunchTerms;
  readonly tags: Tags;
  readonly nodeClass: Pick<EC2NodeClass, 'spec'>;
  readonly nodeClaim: Pick<NodeClaim, 'metadata'>;
}

/** The request for one instance (spec 07 §15). */
export function fleetRequest({ configs, terms, tags, nodeClass, nodeClaim }: FleetParts): FleetRequest {
  const { annotations = {} } = nodeClaim.metadata;
  const context = annotations[MIN_VALUES_RELAXED] === 'true' ? undefined : nodeClass.spec?.context;
  return {
    Type: 'instant',
    ...(context !== undefined && { Context: context }),
    LaunchTemplateConfigs: [...configs],
    TargetCapacitySpecification: { DefaultTargetCapacityType: targetCapacityType(terms), TotalTargetCapacity: 1 },
    ...allocationOptions(terms, PRICE_OVERLAY_APPLIED in annotations),
    TagSpecifications: (['instance', 'volume', 'fleet'] as const).map((ResourceType) => ({
      ResourceType,
      Tags: ec2Tags(tags),
    })),
  };
}

/** EC2 calls a plain reservation on-demand: it is the template that names the reservation. */
function targetCapacityType({
  capacityType,
  reservationKind,
}: LaunchTerms): NonNullable<FleetRequest['TargetCapacitySpecification']>['DefaultTargetCapacityType'] {
  if (capacityType !== 'reserved') return capacityType;
  if (reservationKind?.type === 'capacity-block') return 'capacity-block';
  return reservationKind?.interruptible ? 'reserved-capacity' : 'on-demand';
}

/** With prices changed by an overlay, EC2 goes by the priorities of the overrides, which are those prices. */
function allocationOptions(
  { capacityType, reservationKind }: LaunchTerms,
  isOverlaid: boolean,
): Pick<FleetRequest, 'SpotOptions' | 'OnDemandOptions' | 'ReservedCapacityOptions'> {
  if (capacityType === 'spot') {
    const AllocationStrategy = isOverlaid ? 'capacity-optimized-prioritized' : 'price-capacity-optimized';
    return { SpotOptions: { AllocationStrategy } };
  }
  if (reservationKind?.interruptible) {
    return { ReservedCapacityOptions: { ReservationTypes: ['interruptible-capacity-reservation'] } };
  }
  if (reservationKind?.type === 'capacity-block') return {};
  return { OnDemandOptions: { AllocationStrategy: isOverlaid ? 'prioritized' : 'lowest-price' } };
}
