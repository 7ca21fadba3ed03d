import type { Ec2NodeClassCondition } from '@karpenter-ts/apis';
import type { ProviderDeps } from '@karpenter-ts/cloudprovider';
import type { ConditionRules } from '@karpenter-ts/kubernetes';
import type { Controller } from '@karpenter-ts/runtime';
import type { Ec2Api, IamApi } from '../api/aws-apis.ts';
import type { ClusterFacts } from '../cluster/cluster-facts.ts';
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
import type { PlacementGroups } from '../placement/placement-groups.ts';
import type { CapacityReservations } from '../reservations/capacity-reservations.ts';
import { profileGarbageCollectionController } from './instance-profile-garbage-collection.ts';
import { nodeClassController } from './nodeclass.ts';
import { nodeClassHashController } from './nodeclass-hash.ts';

export interface NodeClassControllerDeps
  extends Pick<ProviderDeps, 'client' | 'caches' | 'clock' | 'logger' | 'events' | 'stopping'> {
  readonly ec2: Ec2Api;
  readonly iam: IamApi;
  readonly region: string;
  readonly options: AwsOptions;
  readonly reservedCapacity: boolean;
  readonly cluster: ClusterFacts;
  readonly kubernetes: { readonly version: string };
  readonly parameters: ParameterSource;
  readonly addresses: SubnetAddressBook;
  readonly capacityReservations: CapacityReservations;
  readonly placementGroups: PlacementGroups;
  readonly templates: LaunchTemplates;
}

/** The controllers that look after EC2NodeClasses. */
export function nodeClassControllers(deps: NodeClassControllerDeps): readonly Controller[] {
  const { caches, options, region } = deps;
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
      rules: rulesOf(deps),
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
    // The step of the validation comes here.
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

/** Conditions whose steps are not among those above. */
const UNFILLED: ReadonlySet<Ec2NodeClassCondition> = new Set(['ValidationSucceeded']);

function rulesOf({ reservedCapacity }: NodeClassControllerDeps): ConditionRules<Ec2NodeClassCondition> {
  const { dependents } = nodeClassConditions(reservedCapacity);
  return { dependents: dependents.filter((type) => !UNFILLED.has(type)) };
}
