import type { CreateFleetInstance } from '@aws-sdk/client-ec2';
import type { EC2NodeClass, NodeClaim } from '@karpenter-ts/apis';
import { CreateError } from '@karpenter-ts/cloudprovider';
import { type Clock, runParallel, StructuredError } from '@karpenter-ts/runtime';
import type { InstanceType } from '@karpenter-ts/scheduling';
import { isLaunchTemplateNotFound } from '../api/aws-error.ts';
import type { BatchedEc2 } from '../batching/batched-ec2.ts';
import type { FleetAnswer } from '../batching/create-fleet.ts';
import type { JoinedCluster } from '../cluster/cluster-facts.ts';
import type { Instance } from '../instances/instance.ts';
import type { PlacementGroup } from '../placement/placement-group.ts';
import { type AddressHold, holdAddresses } from './address-hold.ts';
import type { Demand } from './demand.ts';
import { classifyFailure } from './failure-reasons.ts';
import { type FleetErrorDeps, recordFleetErrors } from './fleet-error-recorder.ts';
import { fleetFailure, readFleetError } from './fleet-errors.ts';
import { fleetRequest, type TemplateConfig, templateConfigs } from './fleet-request.ts';
import type { Tags } from './launch-tags.ts';
import type { LaunchTemplates, TemplateUse } from './launch-templates.ts';
import { findInflexibility, type LaunchTerms } from './launch-terms.ts';
import { findPlace, type InstancePlace, launchedInstance } from './launched-instance.ts';
import { groupByTemplate, type TemplateGroup } from './template-groups.ts';
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

/** One attempt at a launch. */
interface LaunchAttempt extends Launch {
  readonly subnets: AddressHold['subnets'];
  readonly templates: TemplateUse;
}

export interface LauncherDeps extends FleetErrorDeps {
  readonly templates: LaunchTemplates;
  readonly ec2: Pick<BatchedEc2, 'createFleet' | 'describeInstance'>;
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
    const templates = this.#deps.templates.startUse();
    let usedSubnetId: string | undefined;
    try {
      const configs = await this.#prepare({ ...launch, subnets: hold.subnets, templates }, signal);
      const answer = await this.#request(launch, configs, signal);
      usedSubnetId = answer.Instances?.[0]?.LaunchTemplateAndOverrides?.Overrides?.SubnetId;
      const launched = this.#read(answer, launch, hold);
      return await this.#instance(launched, launch, { subnets: hold.subnets, signal });
    } finally {
      templates.end();
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

  async #prepare(launch: LaunchAttempt, signal: AbortSignal): Promise<readonly TemplateConfig[]> {
    const configs = await this.#findConfigs(launch, signal);
    const problem = findInflexibility(launch.types, launch.demand.requirements, launch.terms);
    if (problem !== undefined) {
      this.#deps.logger.error('failed while checking on-demand fallback', new Error(problem));
    }
    return configs;
  }

  async #findConfigs(launch: LaunchAttempt, signal: AbortSignal): Promise<readonly TemplateConfig[]> {
    try {
      return await this.#templateConfigs(launch, signal);
    } catch (error) {
      signal.throwIfAborted();
      throw createError('getting launch template configs', 'Error getting launch template configs', error);
    }
  }

  async #templateConfigs(launch: LaunchAttempt, signal: AbortSignal): Promise<readonly TemplateConfig[]> {
    const groups = await this.#ensureTemplates(launch, signal);
    const configs = templateConfigs(groups, launch.terms, launch.subnets);
    if (configs.length === 0) {
      throw new Error('no capacity offerings are currently available given the constraints');
    }
    return configs;
  }

  async #ensureTemplates(
    { templates, ...launch }: LaunchAttempt,
    signal: AbortSignal,
  ): Promise<readonly TemplateGroup[]> {
    const { cluster, region, reservedCapacity } = this.#deps;
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
  #read(answer: FleetAnswer, launch: Launch, { subnets }: AddressHold): CreateFleetInstance {
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
    return instance;
  }

  /**
   * Reads where the instance is. If the answer leaves that out, EC2 is asked: a launch that fails now would be repeated, and
   * the instance would run until garbage collection finds it.
   */
  async #instance(
    launched: CreateFleetInstance,
    launch: Launch,
    { subnets, signal }: { readonly subnets: AddressHold['subnets']; readonly signal: AbortSignal },
  ): Promise<Instance> {
    const id = launched.InstanceIds![0]!;
    const place = findPlace(launched, subnets) ?? (await this.#askPlace(id, signal));
    return launchedInstance(id, place, { ...launch, subnets, now: this.#deps.clock.now() });
  }

  async #askPlace(id: string, signal: AbortSignal): Promise<InstancePlace> {
    const described = await this.#deps.ec2.describeInstance(id, signal);
    const { InstanceType: type, SubnetId: subnetId = '', ImageId: imageId = '', Placement } = described ?? {};
    const zone = Placement?.AvailabilityZone;
    if (!type || !zone) throw new StructuredError('EC2 does not tell where the instance is', { 'instance-id': id });
    return { type, zone, subnetId, imageId };
  }
}

/** A failure that may pass: the NodeClaim's condition tells it. */
function createError(context: string, told: string, error: unknown): CreateError {
  const cause = wrapError(context, error);
  const { reason, message } = classifyFailure(cause.message);
  return new CreateError(cause, reason, `${told}: ${message}`);
}
