import type { CreateFleetInstance } from '@aws-sdk/client-ec2';
import type { EC2NodeClass, NodeClaim } from '@karpenter-ts/apis';
import { CreateError } from '@karpenter-ts/cloudprovider';
import { type Clock, runParallel } from '@karpenter-ts/runtime';
import type { InstanceType } from '@karpenter-ts/scheduling';
import { isLaunchTemplateNotFound } from '../api/aws-error.ts';
import type { BatchedEc2 } from '../batching/batched-ec2.ts';
import type { FleetAnswer } from '../batching/create-fleet.ts';
import type { JoinedCluster } from '../cluster/cluster-facts.ts';
import { EFA_RESOURCE } from '../instances/node-claim-of.ts';
import type { Instance } from '../instances/instance.ts';
import type { PlacementGroup } from '../placement/placement-group.ts';
import { type AddressHold, holdAddresses } from './address-hold.ts';
import type { Demand } from './demand.ts';
import { classifyFailure } from './failure-reasons.ts';
import { type FleetErrorDeps, recordFleetErrors } from './fleet-error-recorder.ts';
import { fleetFailure, findReservationOffering, readFleetError } from './fleet-errors.ts';
import { fleetRequest, type TemplateConfig, templateConfigs } from './fleet-request.ts';
import type { Tags } from './launch-tags.ts';
import type { LaunchTemplates } from './launch-templates.ts';
import { findInflexibility, type LaunchTerms } from './launch-terms.ts';
import { reservationKindOf } from './matcher.ts';
import { amountOf, groupByTemplate, type TemplateGroup } from './template-groups.ts';
import { wrapError } from './wrap-error.ts';

/** A launch that is decided, except for what EC2 chooses. */
export interface Launch {
  readonly nodeClass: EC2NodeClass;
  readonly nodeClaim: NodeClaim;
  /** What the NodeClaim asks. */
  readonly demand: Demand;
  /** What filters have left, with the offerings that are left of each. */
  readonly types: readonly InstanceType[];
  readonly terms: LaunchTerms;
  readonly tags: Tags;
  readonly placementGroup: PlacementGroup | undefined;
}

export interface LauncherDeps extends FleetErrorDeps {
  readonly templates: LaunchTemplates;
  readonly ec2: Pick<BatchedEc2, 'createFleet'>;
  readonly clock: Clock;
  readonly cluster: JoinedCluster;
  readonly region: string;
  /** Whether capacity reservations are used. */
  readonly reservedCapacity: boolean;
}

/** How many templates of one launch are made at once. */
const TEMPLATES_AT_ONCE = 5;

/** Asks EC2 for instances. */
export class Launcher {
  readonly #deps: LauncherDeps;

  constructor(deps: LauncherDeps) {
    this.#deps = deps;
  }

  /**
   * Launches one instance. A template may have been deleted by somebody else while it was thought to be there, so what
   * fails for want of one is tried a second time, with templates made anew.
   */
  async launch(launch: Launch, signal: AbortSignal): Promise<Instance> {
    try {
      return await this.#attempt(launch, signal);
    } catch (error) {
      if (!isLaunchTemplateNotFound(error)) throw error;
      return await this.#attempt(launch, signal);
    }
  }

  async #attempt(launch: Launch, signal: AbortSignal): Promise<Instance> {
    const hold = this.#hold(launch);
    let usedSubnetId: string | undefined;
    try {
      const configs = await this.#prepare(launch, hold, signal);
      const answer = await this.#request(launch, configs, signal);
      usedSubnetId = answer.Instances?.[0]?.LaunchTemplateAndOverrides?.Overrides?.SubnetId;
      return this.#read(answer, launch, hold);
    } finally {
      hold.release(usedSubnetId);
    }
  }

  #hold({ nodeClass, types, terms }: Launch): AddressHold {
    const subnets = nodeClass.status?.subnets ?? [];
    if (subnets.length === 0) {
      const selector = JSON.stringify(nodeClass.spec?.subnetSelectorTerms ?? []);
      const cause = new Error(`getting subnets, no subnets matched selector ${selector}`);
      throw new CreateError(cause, 'SubnetResolutionFailed', 'Error getting subnets');
    }
    return holdAddresses(subnets, { types, capacityType: terms.capacityType }, this.#deps.addresses);
  }

  async #prepare(launch: Launch, hold: AddressHold, signal: AbortSignal): Promise<readonly TemplateConfig[]> {
    const configs = await this.#findConfigs(launch, hold, signal);
    const problem = findInflexibility(launch.types, launch.demand.requirements, launch.terms);
    if (problem !== undefined) {
      this.#deps.logger.error('failed while checking on-demand fallback', new Error(problem));
    }
    return configs;
  }

  async #findConfigs(launch: Launch, hold: AddressHold, signal: AbortSignal): Promise<readonly TemplateConfig[]> {
    try {
      return await this.#templateConfigs(launch, hold, signal);
    } catch (error) {
      signal.throwIfAborted();
      throw createError('getting launch template configs', 'Error getting launch template configs', error);
    }
  }

  async #templateConfigs(
    launch: Launch,
    { subnets }: AddressHold,
    signal: AbortSignal,
  ): Promise<readonly TemplateConfig[]> {
    const groups = await this.#ensureTemplates(launch, signal);
    const configs = templateConfigs(groups, launch.terms, subnets);
    if (configs.length === 0) {
      throw new Error('no capacity offerings are currently available given the constraints');
    }
    return configs;
  }

  async #ensureTemplates(launch: Launch, signal: AbortSignal): Promise<readonly TemplateGroup[]> {
    const { templates, cluster, region, reservedCapacity } = this.#deps;
    try {
      const groups = groupByTemplate({ ...launch, cluster, region, reservedCapacity });
      const [error] = await runParallel(groups, TEMPLATES_AT_ONCE, ({ name, spec }) =>
        templates.ensure(name, spec, signal),
      );
      if (error !== undefined) throw error;
      return groups;
    } catch (error) {
      signal.throwIfAborted();
      throw wrapError('getting launch templates', error);
    }
  }

  async #request(launch: Launch, configs: readonly TemplateConfig[], signal: AbortSignal): Promise<FleetAnswer> {
    try {
      return await this.#deps.ec2.createFleet(fleetRequest({ ...launch, configs }), signal);
    } catch (error) {
      signal.throwIfAborted();
      if (!isLaunchTemplateNotFound(error)) {
        throw createError('creating fleet request', 'Error creating fleet request', error);
      }
      for (const { LaunchTemplateSpecification } of configs) {
        this.#deps.templates.invalidate(LaunchTemplateSpecification?.LaunchTemplateName ?? '');
      }
      const context = 'launch templates not found when creating fleet request';
      throw createError(context, 'Launch templates not found when creating fleet request', error);
    }
  }

  /** Errors count although an instance was launched: what EC2 passed over is not to be asked for again at once. */
  #read(answer: FleetAnswer, launch: Launch, { subnets }: AddressHold): Instance {
    const errors = answer.Errors.map(readFleetError);
    const { types, terms, nodeClaim, placementGroup } = launch;
    const context = {
      types,
      nodeClaim,
      subnets,
      capacityType: terms.capacityType,
      partition: terms.partition,
      placementGroupId: placementGroup?.id,
      fleetId: answer.FleetId,
    };
    recordFleetErrors(errors, context, this.#deps);
    const instance = answer.Instances?.[0];
    if (instance?.InstanceIds?.[0] === undefined) throw fleetFailure(errors, answer.$metadata.requestId ?? '');
    return this.#instance(instance, launch, subnets);
  }

  #instance(launched: CreateFleetInstance, launch: Launch, subnets: AddressHold['subnets']): Instance {
    const { nodeClass, nodeClaim, types, terms, tags } = launch;
    const {
      ImageId = '',
      AvailabilityZone: zone = '',
      SubnetId = '',
    } = launched.LaunchTemplateAndOverrides?.Overrides ?? {};
    const typeName = launched.InstanceType ?? '';
    const reserved = findReservationOffering(types, { instanceType: typeName, zone });
    return {
      id: launched.InstanceIds![0]!,
      launchTime: new Date(this.#deps.clock.now()),
      state: 'pending',
      imageId: ImageId,
      type: typeName,
      zone,
      zoneId: subnets.get(zone)?.zoneID ?? '',
      capacityType: terms.capacityType,
      securityGroupIds: (nodeClass.status?.securityGroups ?? []).map(({ id }) => id),
      subnetId: SubnetId,
      tags,
      efaCount: efaCount(typeName, { nodeClass, nodeClaim, types }),
      reservation:
        terms.capacityType === 'reserved' && reserved?.reservation !== undefined
          ? { id: reserved.reservation.id, ...reservationKindOf(reserved) }
          : undefined,
      tenancy: terms.tenancy,
      partition: undefined, // EC2 does not tell
    };
  }
}

/** Interfaces for EFA are made if a pod asks for them, or if the NodeClass says which interfaces there are. */
function efaCount(
  typeName: string,
  { nodeClass, nodeClaim, types }: Pick<Launch, 'nodeClass' | 'nodeClaim' | 'types'>,
): number {
  const isAsked = EFA_RESOURCE in (nodeClaim.spec.resources?.requests ?? {});
  const type = types.find(({ name }) => name === typeName);
  if (type === undefined || (!isAsked && nodeClass.spec?.networkInterfaces === undefined)) return 0;
  return amountOf(type, EFA_RESOURCE);
}

/** A failure that may pass: the NodeClaim's condition tells it. */
function createError(context: string, told: string, error: unknown): CreateError {
  const cause = wrapError(context, error);
  const { reason, message } = classifyFailure(cause.message);
  return new CreateError(cause, reason, `${told}: ${message}`);
}
