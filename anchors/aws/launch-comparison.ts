// One NodeClaim launched by the provider's real parts: what `launch` and `errors` have in common.
import type { EC2NodeClass, NodeClaim } from '@karpenter-ts/apis';
import { CreateError, InsufficientCapacityError, NodeClassNotReadyError } from '@karpenter-ts/cloudprovider';
import { type FakeFleets, launchEnvironment, type LaunchParts } from '@karpenter-ts/provider-aws/testing';
import { findCause } from '@karpenter-ts/runtime';
import { NEVER } from '@karpenter-ts/runtime/testing';

export interface LaunchInput {
  readonly instanceTypes: readonly string[];
  readonly spotPrices?: Readonly<Record<string, Readonly<Record<string, number>>>> | null;
  readonly reservedCapacityGate: boolean;
  readonly kubeDNSIP?: string | null;
  readonly clusterCIDR?: string | null;
  readonly nodeClass: EC2NodeClass;
  readonly subnetFreeIPs?: Readonly<Record<string, number>> | null;
  readonly reservationAvailable?: Readonly<Record<string, number>> | null;
  readonly placementGroup?: LaunchParts['placementGroup'] | null;
  readonly unavailableOfferings?:
    | readonly { readonly capacityType: string; readonly instanceType: string; readonly zone: string }[]
    | null;
  readonly nodeClaim: NodeClaim;
}

export type LaunchEnvironment = Awaited<ReturnType<typeof launchEnvironment>>;

/** The input of a line. A key whose value is null is unset. */
export function readLaunch<Input extends LaunchInput>(input: unknown): Input {
  return JSON.parse(JSON.stringify(input), (_key, member: unknown) => member ?? undefined) as Input;
}

/** A process in the state that the line names. */
export async function inputEnvironment(input: LaunchInput): Promise<LaunchEnvironment> {
  const environment = await launchEnvironment({
    types: input.instanceTypes,
    nodeClasses: [input.nodeClass],
    reservedCapacity: input.reservedCapacityGate,
    placementGroup: input.placementGroup ?? undefined,
    cluster: { kubeDnsIp: input.kubeDNSIP ?? undefined, cidr: input.clusterCIDR ?? undefined },
  });
  environment.fleets.nameInstance = () => 'i-0123456789abcdef0';
  await refreshSpotPrices(environment, input);
  for (const [id, free] of Object.entries(input.subnetFreeIPs ?? {})) environment.addresses.listed(id, free);
  for (const [id, left] of Object.entries(input.reservationAvailable ?? {})) environment.reservations.counted(id, left);
  for (const pool of input.unavailableOfferings ?? [])
    environment.unavailable.markUnavailable(pool, { reason: 'test' });
  return environment;
}

async function refreshSpotPrices({ ec2, prices }: LaunchEnvironment, { spotPrices }: LaunchInput): Promise<void> {
  if (!spotPrices) return;
  ec2.spot = Object.entries(spotPrices).flatMap(([type, zones]) =>
    Object.entries(zones).map(([AvailabilityZone, price]) => ({
      InstanceType: type as 'm5.large',
      AvailabilityZone,
      SpotPrice: String(price),
      Timestamp: new Date(0),
    })),
  );
  await prices.refreshSpot(NEVER);
}

/** The NodeClaim that comes of it, or the error. */
export async function launchOutcome(environment: LaunchEnvironment, { nodeClaim }: LaunchInput): Promise<object> {
  try {
    return { nodeClaim: visibleParts(await environment.create(nodeClaim)) };
  } catch (error) {
    return { error: visibleError(error) };
  }
}

function visibleParts({ metadata, status }: NodeClaim): object {
  const { providerID, imageID, capacity, allocatable } = status ?? {};
  return {
    labels: metadata.labels,
    annotations: metadata.annotations,
    providerID,
    imageID,
    capacity,
    allocatable,
  };
}

function visibleError(error: unknown): object {
  const text = (error as Error).message;
  if (findCause(error, InsufficientCapacityError)) return { class: 'InsufficientCapacity', text };
  if (findCause(error, NodeClassNotReadyError)) return { class: 'NodeClassNotReady', text };
  const created = findCause(error, CreateError);
  if (created === undefined) return { class: 'other', text };
  return { class: 'CreateError', text, reason: created.conditionReason, message: created.conditionMessage };
}

/** Bodies of templates by name, and requests in which the body stands in the place of the name. */
export function requestsOf(fleets: FakeFleets) {
  return {
    createLaunchTemplate: fleets.createdTemplates.map(({ ClientToken: _token, ...body }) => body),
    createFleet: fleets.fleets.map(({ ClientToken: _token, ...input }) => input),
    launchTemplateNames: fleets.createdTemplates.map(({ LaunchTemplateName }) => LaunchTemplateName),
  };
}
