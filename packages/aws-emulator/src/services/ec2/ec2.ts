import { PerPlace, type Place } from '../../state/place.ts';
import type { AnyHandler, Call, Handlers } from '../../wire/operation.ts';
import { ec2QueryProtocol } from '../../wire/query-protocol.ts';
import { readShapes } from '../../wire/shapes.ts';
import type { Service } from '../service.ts';
import { createFleet } from './create-fleet.ts';
import {
  createPlacementGroupCall,
  createSecurityGroupCall,
  createSubnetCall,
  createVpcCall,
  registerImageCall,
} from './creation-calls.ts';
import {
  describeAvailabilityZones,
  describeInstanceTypeOfferings,
  describeInstanceTypes,
  describeSpotPriceHistory,
} from './describe-catalogue.ts';
import { describeImages } from './describe-images.ts';
import { describeInstances, terminateInstances } from './describe-instances.ts';
import { describeSecurityGroups, describeSubnets, describeVpcs } from './describe-network.ts';
import { describeCapacityReservations, describePlacementGroups } from './describe-reservations.ts';
import { describeInstanceStatus } from './instance-status.ts';
import { ec2Permissions } from './ec2-permissions.ts';
import type { InstanceListener } from './instances.ts';
import {
  createLaunchTemplate,
  deleteLaunchTemplate,
  describeLaunchTemplates,
  describeLaunchTemplateVersions,
} from './launch-template-calls.ts';
import { Ec2Levers } from './levers.ts';
import { refuseDryRun } from './refusals.ts';
import { type Ec2Deps, Ec2Region } from './region.ts';
import { runInstances } from './run-instances.ts';
import { createTags, deleteTags, describeTags } from './tag-calls.ts';

/** EC2 of all accounts and regions. */
export class Ec2 {
  readonly service: Service;
  readonly #regions: PerPlace<Ec2Region>;
  readonly #listeners = new Set<InstanceListener>();

  constructor(deps: Ec2Deps) {
    const seed = deps.random.next();
    this.#regions = new PerPlace((place) => new Ec2Region({ ...deps, place, seed, listeners: this.#listeners }));
    this.service = {
      name: 'ec2',
      protocol: ec2QueryProtocol(readShapes('ec2')),
      handlers: handlersOf(this.#regions),
      permissions: (operation, input, place) => ec2Permissions(this.#regions.of(place), operation, input),
      admit: (operation, input, place) => this.#regions.of(place).buckets.admit(operation, input),
    };
  }

  /** What tests and `karpenter up` do to an account and region that no call of ours does. */
  levers(place: Place): Ec2Levers {
    return new Ec2Levers(this.#regions.of(place), this.#listeners);
  }
}

/** A call that changes nothing: a dry run of it is checked like the call and then refused. */
type Reading<Input, Output> = (region: Ec2Region, input: Input) => Output;

const READING = {
  DescribeAvailabilityZones: describeAvailabilityZones,
  DescribeCapacityReservations: describeCapacityReservations,
  DescribeImages: describeImages,
  DescribeInstanceStatus: describeInstanceStatus,
  DescribeInstanceTypeOfferings: describeInstanceTypeOfferings,
  DescribeInstanceTypes: describeInstanceTypes,
  DescribeInstances: describeInstances,
  DescribeLaunchTemplateVersions: describeLaunchTemplateVersions,
  DescribeLaunchTemplates: describeLaunchTemplates,
  DescribePlacementGroups: describePlacementGroups,
  DescribeSecurityGroups: describeSecurityGroups,
  DescribeSpotPriceHistory: describeSpotPriceHistory,
  DescribeSubnets: describeSubnets,
  DescribeTags: describeTags,
  DescribeVpcs: describeVpcs,
} as const satisfies Record<string, Reading<never, object>>;

const WRITING = {
  CreateFleet: createFleet,
  CreateLaunchTemplate: createLaunchTemplate,
  CreatePlacementGroup: createPlacementGroupCall,
  CreateSecurityGroup: createSecurityGroupCall,
  CreateSubnet: createSubnetCall,
  CreateTags: createTags,
  CreateVpc: createVpcCall,
  DeleteLaunchTemplate: deleteLaunchTemplate,
  DeleteTags: deleteTags,
  RegisterImage: registerImageCall,
  RunInstances: runInstances,
  TerminateInstances: terminateInstances,
} as const satisfies Record<string, Reading<never, object>>;

function handlersOf(regions: PerPlace<Ec2Region>): Handlers {
  const handlers: Record<string, AnyHandler> = {};
  for (const [operation, read] of Object.entries(READING)) {
    handlers[operation] = (input: never, { place }: Call) => {
      const output = read(regions.of(place), input);
      refuseDryRun(input);
      return output;
    };
  }
  for (const [operation, write] of Object.entries(WRITING)) {
    handlers[operation] = (input: never, { place }: Call) => write(regions.of(place), input);
  }
  return handlers;
}
