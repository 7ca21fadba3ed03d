import type {
  LaunchTemplateInstanceNetworkInterfaceSpecificationRequest as InterfaceRequest,
  RequestLaunchTemplateData,
  Reservation,
  RunInstancesRequest,
} from '@aws-sdk/client-ec2';
import { ApiError } from '../../wire/api-error.ts';
import { described } from './describe-instances.ts';
import { launch } from './launch.ts';
import { type LaunchPlan, LaunchRefused, planLaunch } from './launch-plan.ts';
import { checkVersion, getLaunchTemplate } from './launch-template-calls.ts';
import { invalidValue, refuseDryRun } from './refusals.ts';
import type { Ec2Region } from './region.ts';
import { specifiedTags } from './tags.ts';

/** All or nothing below MinCount. */
export function runInstances(region: Ec2Region, input: RunInstancesRequest): Reservation {
  const { MinCount = 0, MaxCount = 0 } = input;
  if (MinCount < 1 || MaxCount < MinCount) throw invalidValue('MinCount must be at least 1 and at most MaxCount.');
  if (input.NetworkInterfaces?.length && (input.SubnetId !== undefined || input.SecurityGroupIds?.length)) {
    throw new ApiError(
      'InvalidParameterCombination',
      'Network interfaces and an instance-level subnet ID may not be specified on the same request',
    );
  }
  const plan = planOf(region, input);
  const tags = specifiedTags(input.TagSpecifications, 'instance');
  refuseDryRun(input);
  return region.idempotency.once('RunInstances', input, () => run(region, plan, { input, tags }));
}

function planOf(region: Ec2Region, input: RunInstancesRequest): LaunchPlan {
  const spec = specOf(region, input);
  const market = spec.InstanceMarketOptions?.MarketType;
  try {
    return planLaunch(region, spec, market ?? 'on-demand');
  } catch (error) {
    if (error instanceof LaunchRefused) throw new ApiError(error.refusal.code, error.refusal.message);
    throw error;
  }
}

/** What a request says of itself, not of its instances. */
const NOT_OF_INSTANCES: ReadonlySet<string> = new Set([
  'ClientToken',
  'DryRun',
  'LaunchTemplate',
  'MaxCount',
  'MinCount',
  'NetworkInterfaces',
  'SecurityGroupIds',
  'SubnetId',
  'TagSpecifications',
]);

/** What the launch template says, except where the request says something else. */
function specOf(region: Ec2Region, input: RunInstancesRequest): RequestLaunchTemplateData {
  const template = input.LaunchTemplate === undefined ? undefined : getLaunchTemplate(region, input.LaunchTemplate);
  if (template !== undefined) checkVersion(template, input.LaunchTemplate?.Version);
  const data = template?.data ?? {};
  const own = Object.entries(input).filter(([name, value]) => value !== undefined && !NOT_OF_INSTANCES.has(name));
  return {
    ...data,
    ...(Object.fromEntries(own) as RequestLaunchTemplateData),
    NetworkInterfaces: interfacesOf(data, input),
  };
}

/** Those of the request, each with what the template says of the interface at its place. */
function interfacesOf(
  data: RequestLaunchTemplateData,
  { NetworkInterfaces, SubnetId, SecurityGroupIds }: RunInstancesRequest,
): InterfaceRequest[] {
  const ofTemplate = data.NetworkInterfaces?.length
    ? data.NetworkInterfaces
    : [{ DeviceIndex: 0, Groups: data.SecurityGroupIds }];
  if (NetworkInterfaces?.length) {
    return NetworkInterfaces.map((own) => ({ ...ofTemplate.find((one) => isSamePlace(one, own)), ...defined(own) }));
  }
  return ofTemplate.map((one) => ({
    ...one,
    ...(SubnetId !== undefined && { SubnetId }),
    ...(SecurityGroupIds?.length && { Groups: SecurityGroupIds }),
  }));
}

function isSamePlace(a: InterfaceRequest, b: InterfaceRequest): boolean {
  return a.DeviceIndex === b.DeviceIndex && (a.NetworkCardIndex ?? 0) === (b.NetworkCardIndex ?? 0);
}

function defined(given: object): InterfaceRequest {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function run(
  region: Ec2Region,
  plan: LaunchPlan,
  { input, tags }: { readonly input: RunInstancesRequest; readonly tags: ReadonlyMap<string, string> },
): Reservation {
  const { MinCount = 1, MaxCount = 1, ClientToken: clientToken } = input;
  const asked = { count: MaxCount, atLeast: MinCount, context: { tags, clientToken } };
  const { instances, refusal } = launch(region, plan, asked);
  if (refusal !== undefined && instances.length === 0) {
    throw new ApiError(refusal.code, refusal.message, { status: refusal.code.startsWith('Insufficient') ? 500 : 400 });
  }
  return {
    ReservationId: instances[0]!.reservationId,
    OwnerId: region.place.account,
    Groups: [],
    Instances: instances.map((one) => described(region, one)),
  };
}
