import type { ProviderDeps } from '@karpenter-ts/cloudprovider';
import type { Controller } from '@karpenter-ts/runtime';
import type { Ec2Api, IamApi } from '../api/aws-apis.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { Amis } from '../images/amis.ts';
import { InstanceProfiles } from '../instance-profiles/instance-profiles.ts';
import { NodeClassProfiles } from '../instance-profiles/node-class-profiles.ts';
import type { ParameterSource } from '../images/ssm-parameters.ts';
import type { LaunchTemplates } from '../launch/launch-templates.ts';
import { SecurityGroups } from '../network/security-groups.ts';
import type { SubnetAddressBook } from '../network/subnet-address-book.ts';
import { Subnets } from '../network/subnets.ts';
import { EC2_NODE_CLASSES } from '../node-class/node-class-lookup.ts';
import { amiStep } from '../status/ami-step.ts';
import { instanceProfileCleanUp } from '../status/instance-profile-clean-up.ts';
import { instanceProfileStep } from '../status/instance-profile-step.ts';
import { securityGroupStep, subnetStep } from '../status/network-steps.ts';
import { nodeClassConditions } from '../node-class/node-class-parts.ts';
import { placementGroupStep } from '../status/placement-group-step.ts';
import { NO_RESERVATIONS, reservationStep } from '../status/reservation-step.ts';
import type { CleanUp, StatusStep } from '../status/status-step.ts';
import type { AwsOptions } from '../options/options.ts';
import type { InstanceTypes } from '../offerings/instance-types.ts';
import type { PlacementGroups } from '../placement/placement-groups.ts';
import type { CapacityReservations } from '../reservations/capacity-reservations.ts';
import { profileGarbageCollectionController } from './instance-profile-garbage-collection.ts';
import { Validation } from '../validation/validation.ts';
import { nodeClassController } from './nodeclass.ts';
import { nodeClassHashController } from './nodeclass-hash.ts';

export interface NodeClassControllerDeps
  extends Pick<ProviderDeps, 'client' | 'caches' | 'clock' | 'logger' | 'events' | 'stopping'> {
  readonly ec2: Ec2Api;
  readonly iam: IamApi;
  readonly region: string;
  readonly options: AwsOptions;
  readonly reservedCapacity: boolean;
  readonly cluster: Cluster;
  readonly kubernetes: { readonly version: string };
  readonly parameters: ParameterSource;
  readonly addresses: SubnetAddressBook;
  readonly capacityReservations: CapacityReservations;
  readonly placementGroups: PlacementGroups;
  readonly templates: LaunchTemplates;
  readonly instanceTypes: InstanceTypes;
}

/** The controllers that look after EC2NodeClasses. */
export function nodeClassControllers(deps: NodeClassControllerDeps): readonly Controller[] {
  const { caches, options, region, reservedCapacity } = deps;
  const nodeClasses = caches.nodeClasses.of(EC2_NODE_CLASSES);
  const { clusterName, isolatedVpc } = options;
  const owner = { clusterName, region };
  const profiles = new InstanceProfiles(deps);
  const ofNodeClasses = new NodeClassProfiles({ ...deps, profiles, owner, isolatedVpc });
  return [
    nodeClassHashController(deps),
    nodeClassController({
      ...deps,
      ...caches,
      nodeClasses,
      rules: nodeClassConditions(reservedCapacity),
      steps: stepsOf(deps, ofNodeClasses),
      cleanUps: cleanUpsOf(deps, ofNodeClasses),
    }),
    ...(isolatedVpc ? [] : [profileGarbageCollectionController({ ...caches, profiles, owner, nodeClasses })]),
  ];
}

/** In upstream's order: each sees what those before it found. */
function stepsOf(deps: NodeClassControllerDeps, profiles: NodeClassProfiles): readonly StatusStep[] {
  const { options, reservedCapacity, capacityReservations, clock } = deps;
  return [
    amiStep(new Amis({ ...deps, refreshInterval: options.amiRefreshInterval })),
    reservedCapacity ? reservationStep({ reservations: capacityReservations, clock }) : NO_RESERVATIONS,
    placementGroupStep(deps),
    subnetStep(new Subnets({ ...deps, refreshInterval: options.subnetRefreshInterval })),
    securityGroupStep(new SecurityGroups(deps)),
    instanceProfileStep(profiles),
    new Validation({ ...deps, nodePools: deps.caches.nodePools, disableDryRun: options.disableDryRun }),
  ];
}

/** What goes with a NodeClass: its instance profiles come first. */
function cleanUpsOf(deps: NodeClassControllerDeps, profiles: NodeClassProfiles): readonly CleanUp[] {
  const { templates } = deps;
  return [
    instanceProfileCleanUp({ ...deps, profiles }),
    ({ metadata }, signal) => templates.deleteFor(metadata.name, signal),
  ];
}
