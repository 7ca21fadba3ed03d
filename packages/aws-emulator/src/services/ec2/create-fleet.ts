import type {
  CreateFleetError,
  CreateFleetInstance,
  CreateFleetRequest,
  CreateFleetResult,
  FleetLaunchTemplateConfigRequest,
  FleetLaunchTemplateOverridesRequest,
  LaunchTemplateAndOverridesResponse,
  RequestLaunchTemplateData,
} from '@aws-sdk/client-ec2';
import { ApiError } from '../../wire/api-error.ts';
import { type Candidate, inOrder, type Strategy } from './allocation.ts';
import { isAlive, type Lifecycle, type MutableInstance } from './instance.ts';
import { launch, type LaunchContext } from './launch.ts';
import { type LaunchPlan, LaunchRefused, planLaunch } from './launch-plan.ts';
import { checkVersion, getLaunchTemplate } from './launch-template-calls.ts';
import type { LaunchTemplate } from './launch-templates.ts';
import { invalidValue, type Refusal, refuseDryRun } from './refusals.ts';
import type { Ec2Region } from './region.ts';
import { specifiedTags, type Tags } from './tags.ts';

/** An override of a launch template, which EC2 may or may not be able to launch. */
interface Override extends Candidate {
  readonly template: LaunchTemplate;
  readonly request: FleetLaunchTemplateOverridesRequest;
  readonly lifecycle: Lifecycle;
  readonly plan: LaunchPlan | LaunchRefused;
}

/** A number of instances to be bought in one way. */
interface Target {
  readonly lifecycle: Lifecycle;
  readonly count: number;
  readonly strategy: Strategy;
}

/** Only fleets of the type `instant`: they launch what they can at once, and say why not the rest. */
export function createFleet(region: Ec2Region, input: CreateFleetRequest): CreateFleetResult {
  if (input.Type !== 'instant') throw invalidValue(`The emulator has no fleets of the type '${input.Type}'.`);
  const configs = input.LaunchTemplateConfigs ?? [];
  if (configs.length === 0) throw invalidValue('At least one launch template configuration is needed.');
  const templates = configs.map((config) => templateOf(region, config));
  const targets = targetsOf(input);
  const tags = specifiedTags(input.TagSpecifications, 'instance');
  specifiedTags(input.TagSpecifications, 'volume');
  const fleetTags = specifiedTags(input.TagSpecifications, 'fleet');
  refuseDryRun(input);
  return region.idempotency.once('CreateFleet', input, () =>
    runFleet(region, input, { templates, targets, tags, fleetTags }),
  );
}

function templateOf(
  region: Ec2Region,
  { LaunchTemplateSpecification }: FleetLaunchTemplateConfigRequest,
): LaunchTemplate {
  if (LaunchTemplateSpecification?.Version === undefined) {
    throw new ApiError(
      'MissingParameter',
      'The request must contain the parameter LaunchTemplateSpecification.Version',
    );
  }
  const template = getLaunchTemplate(region, LaunchTemplateSpecification);
  checkVersion(template, LaunchTemplateSpecification.Version);
  return template;
}

/** The capacity that no kind is named for is of the default kind. */
function targetsOf(input: CreateFleetRequest): readonly Target[] {
  const {
    TotalTargetCapacity: total = 0,
    DefaultTargetCapacityType: kind = 'on-demand',
    SpotTargetCapacity = 0,
    OnDemandTargetCapacity = 0,
  } = input.TargetCapacitySpecification ?? {};
  if (!Number.isInteger(total) || total < 1) throw invalidValue('TotalTargetCapacity must be a positive whole number.');
  const left = total - SpotTargetCapacity - OnDemandTargetCapacity;
  if (left < 0) throw invalidValue('The target capacities are more than TotalTargetCapacity.');
  const counts = new Map<Lifecycle, number>([
    ['on-demand', OnDemandTargetCapacity],
    ['spot', SpotTargetCapacity],
  ]);
  const rest = lifecycleOf(kind, input);
  counts.set(rest, (counts.get(rest) ?? 0) + left);
  return [...counts]
    .filter(([, count]) => count > 0)
    .map(([lifecycle, count]) => ({ lifecycle, count, strategy: strategyOf(lifecycle, input) }));
}

function lifecycleOf(kind: string, { ReservedCapacityOptions }: CreateFleetRequest): Lifecycle {
  switch (kind) {
    case 'on-demand':
    case 'spot':
    case 'capacity-block':
      return kind;
    case 'reserved-capacity':
      if (ReservedCapacityOptions?.ReservationTypes?.includes('interruptible-capacity-reservation') !== true) {
        throw invalidValue('ReservationTypes must name the interruptible capacity reservation.');
      }
      return 'interruptible-capacity-reservation';
    default:
      throw invalidValue(`'${kind}' is not a target capacity type.`);
  }
}

const STRATEGIES: Readonly<Record<'on-demand' | 'spot', ReadonlySet<string>>> = {
  'on-demand': new Set(['lowest-price', 'prioritized']),
  spot: new Set(['lowest-price', 'price-capacity-optimized', 'capacity-optimized', 'capacity-optimized-prioritized']),
};

function strategyOf(lifecycle: Lifecycle, { SpotOptions, OnDemandOptions }: CreateFleetRequest): Strategy {
  const kind = lifecycle === 'spot' ? 'spot' : 'on-demand';
  const asked = (kind === 'spot' ? SpotOptions : OnDemandOptions)?.AllocationStrategy ?? 'lowest-price';
  if (!STRATEGIES[kind].has(asked)) throw invalidValue(`The emulator has no ${kind} allocation strategy '${asked}'.`);
  return asked as Strategy;
}

interface Fleet {
  readonly templates: readonly LaunchTemplate[];
  readonly targets: readonly Target[];
  readonly tags: Tags;
  readonly fleetTags: Tags;
}

function runFleet(region: Ec2Region, input: CreateFleetRequest, fleet: Fleet): CreateFleetResult {
  const context: LaunchContext = {
    tags: fleet.tags,
    fleetId: `fleet-${region.deps.random.uuid()}`,
    clientToken: input.ClientToken,
  };
  const errors: CreateFleetError[] = [];
  const instances: CreateFleetInstance[] = [];
  for (const target of fleet.targets) {
    const overrides = overridesOf(region, input.LaunchTemplateConfigs ?? [], { fleet, target });
    const result = fill(region, overrides, { target, context });
    errors.push(...result.errors);
    instances.push(...result.instances);
  }
  return { FleetId: context.fleetId, Errors: errors, Instances: instances };
}

function overridesOf(
  region: Ec2Region,
  configs: readonly FleetLaunchTemplateConfigRequest[],
  { fleet, target }: { readonly fleet: Fleet; readonly target: Target },
): readonly Override[] {
  const overrides = configs.flatMap(({ Overrides }, index) => {
    const template = fleet.templates[index]!;
    return (Overrides?.length ? Overrides : [{}]).map((request) => overrideOf(region, { template, request, target }));
  });
  return inOrder(overrides, target.strategy);
}

interface OverrideRequest {
  readonly template: LaunchTemplate;
  readonly request: FleetLaunchTemplateOverridesRequest;
  readonly target: Target;
}

function overrideOf(region: Ec2Region, { template, request, target }: OverrideRequest): Override {
  const { lifecycle } = target;
  const spec = overridden(template.data, request);
  const plan = planOrRefusal(region, spec, lifecycle);
  const zone = plan instanceof LaunchRefused ? spec.Placement?.AvailabilityZone : plan.subnet.zone.name;
  const [type, now] = [spec.InstanceType ?? '', region.now()];
  const isSpot = lifecycle === 'spot';
  const price = isSpot ? region.market.priceAt(type, zone ?? '', now) : region.catalogue.onDemandPrice(type);
  return {
    template,
    request,
    lifecycle,
    plan,
    price: price ?? Infinity,
    priority: request.Priority ?? Infinity,
    depth: region.market.depthAt(type, zone ?? '', now),
  };
}

function planOrRefusal(
  region: Ec2Region,
  spec: RequestLaunchTemplateData,
  lifecycle: Lifecycle,
): LaunchPlan | LaunchRefused {
  try {
    return planLaunch(region, spec, lifecycle);
  } catch (error) {
    if (error instanceof LaunchRefused) return inFleet(error);
    throw error;
  }
}

/** A fleet says this in its own way. */
function inFleet(refused: LaunchRefused): LaunchRefused {
  const { code, message } = refused.refusal;
  return code === 'Unsupported' ? new LaunchRefused('InvalidFleetConfiguration', message) : refused;
}

/** What a launch template says, except where the override says something else. */
function overridden(
  data: RequestLaunchTemplateData,
  request: FleetLaunchTemplateOverridesRequest,
): RequestLaunchTemplateData {
  const { InstanceType, ImageId, SubnetId, AvailabilityZone, Placement } = request;
  const interfaces = data.NetworkInterfaces?.length
    ? data.NetworkInterfaces
    : [{ DeviceIndex: 0, Groups: data.SecurityGroupIds }];
  return {
    ...data,
    ...(InstanceType !== undefined && { InstanceType }),
    ...(ImageId !== undefined && { ImageId }),
    ...(SubnetId !== undefined && { NetworkInterfaces: interfaces.map((one) => ({ ...one, SubnetId })) }),
    Placement: { ...data.Placement, ...Placement, ...(AvailabilityZone !== undefined && { AvailabilityZone }) },
  };
}

interface Filling {
  readonly target: Target;
  readonly context: LaunchContext;
}

/** Tries the pools in their order until there is what was asked for, and keeps what each that failed has said. */
function fill(
  region: Ec2Region,
  overrides: readonly Override[],
  { target, context }: Filling,
): { errors: readonly CreateFleetError[]; instances: readonly CreateFleetInstance[] } {
  const errors: CreateFleetError[] = [];
  const instances: CreateFleetInstance[] = [];
  let left = target.count;
  for (const override of overrides) {
    if (left === 0) break;
    const outcome = tryOverride(region, override, { count: left, context });
    left -= outcome.instances.length;
    if (outcome.instances.length > 0) instances.push(launched(override, outcome.instances));
    if (outcome.refusal !== undefined) errors.push(failed(override, outcome.refusal));
  }
  return { errors, instances };
}

function tryOverride(
  region: Ec2Region,
  { template, plan, request, price, lifecycle }: Override,
  { count, context }: { readonly count: number; readonly context: LaunchContext },
): { readonly instances: readonly MutableInstance[]; readonly refusal: Refusal | undefined } {
  if (plan instanceof LaunchRefused) return { instances: [], refusal: plan.refusal };
  const refusal = fleetQuotaRefusal(region, context.fleetId!) ?? maxPriceRefusal(request, { price, lifecycle });
  if (refusal !== undefined) return { instances: [], refusal };
  return launch(region, plan, { count, atLeast: 0, context: { ...context, templateId: template.id } });
}

/** A fleet counts as long as an instance of it lives. */
function fleetQuotaRefusal({ mostFleets, instances }: Ec2Region, fleetId: string): Refusal | undefined {
  if (mostFleets === Infinity) return undefined;
  const fleets = new Set([...instances.all()].filter(isAlive).map((one) => one.fleetId));
  fleets.delete(undefined);
  fleets.delete(fleetId);
  if (fleets.size < mostFleets) return undefined;
  return { code: 'MaxFleetCountExceeded', message: 'The request would exceed your fleet request quota.' };
}

function maxPriceRefusal(
  { MaxPrice }: FleetLaunchTemplateOverridesRequest,
  { price, lifecycle }: Pick<Override, 'price' | 'lifecycle'>,
): Refusal | undefined {
  if (lifecycle !== 'spot' || MaxPrice === undefined || Number(MaxPrice) >= price) return undefined;
  const message =
    `Your Spot request price of ${MaxPrice} is lower than the minimum required Spot request fulfillment price of ` +
    `${price.toFixed(4)}.`;
  return { code: 'SpotMaxPriceTooLow', message };
}

function launched(override: Override, instances: readonly MutableInstance[]): CreateFleetInstance {
  const { type, zone, subnetId, platform } = instances[0]!;
  return {
    LaunchTemplateAndOverrides: echoed(override),
    Lifecycle: override.lifecycle,
    InstanceIds: instances.map(({ id }) => id),
    InstanceType: type.InstanceType,
    AvailabilityZone: zone.name,
    AvailabilityZoneId: zone.id,
    SubnetId: subnetId,
    ...(platform === 'windows' && { Platform: 'windows' as 'Windows' }),
  };
}

function failed(override: Override, { code, message }: Refusal): CreateFleetError {
  return {
    LaunchTemplateAndOverrides: echoed(override),
    Lifecycle: override.lifecycle,
    ErrorCode: code,
    ErrorMessage: message,
  };
}

function echoed({ template, request }: Override): LaunchTemplateAndOverridesResponse {
  return {
    LaunchTemplateSpecification: { LaunchTemplateId: template.id, Version: '1' },
    Overrides: request,
  };
}
