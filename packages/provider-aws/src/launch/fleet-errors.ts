import type { CreateFleetError } from '@aws-sdk/client-ec2';
import type { CapacityType } from '@karpenter-ts/apis';
import { CreateError, InsufficientCapacityError } from '@karpenter-ts/cloudprovider';
import { StructuredError } from '@karpenter-ts/runtime';
import type { InstanceType } from '@karpenter-ts/scheduling';
import { awsErrorValues, isUnfulfillable } from '../api/aws-error.ts';
import type { CapacityPool } from '../offerings/unavailable-offerings.ts';
import { classifyFailure } from './failure-reasons.ts';
import { isReserved, zoneOf } from './matcher.ts';

/** EC2 refuses to make the role by which it buys spot instances, and so to buy any. */
export const NO_SPOT_ROLE = 'AuthFailure.ServiceLinkedRoleCreationNotPermitted';

/** A spread placement group takes seven instances in a zone, of whatever types. */
const SPREAD_LIMIT = 'limit of instances in this spread placement group';

/** What errors of a fleet are about. */
export interface FailedLaunch {
  readonly types: readonly InstanceType[];
  readonly capacityType: CapacityType;
  /** The group that was launched into, and the partition that was asked for. */
  readonly placementGroupId: string | undefined;
  readonly partition: string | undefined;
}

/** What is to be remembered because of an error. */
export type Mark =
  | { readonly unavailable: 'subnet'; readonly subnetId: string }
  | { readonly unavailable: 'offering'; readonly pool: CapacityPool; readonly reason: string }
  | { readonly unavailable: 'spread group'; readonly pools: readonly CapacityPool[]; readonly reason: string }
  | { readonly unavailable: 'spot' }
  | { readonly unavailable: 'reservation'; readonly reservationId: string; readonly error: ReadError };

/** An error of one type in one zone. What EC2 does not tell is empty. */
export interface ReadError {
  readonly code: string;
  readonly message: string;
  readonly instanceType: string;
  readonly zone: string;
  readonly subnetId: string;
}

/** An error of our own, for too few instances, has no override, and EC2 may leave it out; upstream panics then. */
export function readFleetError({ ErrorCode, ErrorMessage, LaunchTemplateAndOverrides }: CreateFleetError): ReadError {
  const { InstanceType, AvailabilityZone, SubnetId } = LaunchTemplateAndOverrides?.Overrides ?? {};
  return {
    code: ErrorCode ?? '',
    message: ErrorMessage ?? '',
    instanceType: InstanceType ?? '',
    zone: AvailabilityZone ?? '',
    subnetId: SubnetId ?? '',
  };
}

/** The reason that metrics count an error under. */
export function reasonOf({ code, message }: ReadError): string {
  return classifyFailure(`${code}: ${message}`).reason;
}

/** What one error says of capacity (spec 07 §16.2). */
export function marksOf(error: ReadError, launch: FailedLaunch): readonly Mark[] {
  const marks: Mark[] = [];
  if (error.code === 'InsufficientFreeAddressesInSubnet' && error.subnetId !== '') {
    marks.push({ unavailable: 'subnet', subnetId: error.subnetId });
  }
  if (launch.capacityType === 'reserved') return [...marks, ...reservationMarks(error, launch)];
  if (error.code === NO_SPOT_ROLE) marks.push({ unavailable: 'spot' });
  if (isUnfulfillable(error.code)) marks.push(...offeringMarks(error, launch));
  return marks;
}

function offeringMarks({ code, message, instanceType, zone }: ReadError, launch: FailedLaunch): readonly Mark[] {
  const { types, capacityType, placementGroupId, partition } = launch;
  if (zone === '') return [];
  if (placementGroupId !== undefined && message.includes(SPREAD_LIMIT)) {
    const pools = types.map(({ name }) => ({ instanceType: name, zone, capacityType, placementGroupId }));
    return [{ unavailable: 'spread group', pools, reason: code }];
  }
  if (instanceType === '') return [];
  const pool = { instanceType, zone, capacityType, placementGroupId, partition };
  return [{ unavailable: 'offering', pool, reason: code }];
}

/** A full placement group says nothing of the reservation. */
function reservationMarks(error: ReadError, { types }: FailedLaunch): readonly Mark[] {
  if (!isUnfulfillable(error.code) || error.message.includes(SPREAD_LIMIT)) return [];
  const reservationId = findReservationOffering(types, error)?.reservation?.id;
  return reservationId === undefined ? [] : [{ unavailable: 'reservation', reservationId, error }];
}

/** The reserved offering of a type in a zone. Filters have left one at most. */
export function findReservationOffering(
  types: readonly InstanceType[],
  { instanceType, zone }: { readonly instanceType: string; readonly zone: string },
): InstanceType['offerings'][number] | undefined {
  const type = types.find(({ name }) => name === instanceType);
  return type?.offerings.find((offering) => isReserved(offering) && zoneOf(offering) === zone);
}

/**
 * The error of a launch that got no instance: InsufficientCapacityError if that is all that was lacking, so that the
 * NodeClaim is replaced, or else CreateError.
 */
export function fleetFailure(errors: readonly ReadError[], requestId: string): Error {
  const texts = [...new Set(errors.map(({ code, message }) => `${code}: ${message}`))].sort();
  const all = texts.join('; ');
  const isLackOfCapacity = errors.every(({ code }) => isUnfulfillable(code) || code === NO_SPOT_ROLE);
  const { reason, message } = classifyFailure(all);
  const failure = isLackOfCapacity
    ? new InsufficientCapacityError(new Error(`with fleet error(s), ${all}`))
    : new CreateError(new Error(all), reason, message);
  const values = awsErrorValues({
    code: 'UnfulfillableCapacity',
    service: 'EC2',
    operation: 'CreateFleet',
    statusCode: 200,
    requestId,
  });
  return new StructuredError(failure.message, values, { cause: failure });
}
