import type { Fields } from '@karpenter-ts/runtime';

/** What AWS answers a request with that it refuses or fails. */
export class AwsError extends Error {
  override readonly name = 'AwsError';
  /** AWS' own word, such as `InvalidInstanceID.NotFound`. */
  readonly code: string;
  /** AWS' own text, without the code. */
  readonly detail: string;
  /** Whose fault it is, as far as AWS says. */
  readonly fault: 'client' | 'server' | undefined;
  readonly statusCode: number | undefined;
  readonly requestId: string | undefined;
  /** What was asked, where it was asked, and the answer's numbers: fields of the log line, with upstream's keys. */
  readonly values: Fields;

  constructor(code: string, detail: string, parts: AwsErrorParts = {}) {
    const { fault, statusCode, requestId, service, operation, cause } = parts;
    super(`api error ${code}: ${detail}`, { cause });
    this.code = code;
    this.detail = detail;
    this.fault = fault;
    this.statusCode = statusCode;
    this.requestId = requestId;
    this.values = service === undefined ? {} : awsErrorValues({ code, service, operation, statusCode, requestId });
  }
}

/** What is known of a failure besides its code and text. */
export interface AwsErrorParts {
  readonly fault?: 'client' | 'server' | undefined;
  readonly statusCode?: number | undefined;
  readonly requestId?: string | undefined;
  /** The service's name in the SDK, such as `EC2`. */
  readonly service?: string | undefined;
  /** The call, such as `CreateFleet`. */
  readonly operation?: string | undefined;
  readonly cause?: unknown;
}

/** The fields that upstream gives the log line of a failed call (spec 05 §6.1). */
export function awsErrorValues(parts: Omit<AwsErrorParts, 'fault' | 'cause'> & { readonly code?: string }): Fields {
  const { code, service, operation, statusCode, requestId } = parts;
  return {
    ...(code !== undefined && { 'aws-error-code': code }),
    'aws-operation-name': operation,
    'aws-request-id': requestId,
    'aws-service-name': service,
    'aws-status-code': statusCode,
  };
}

/** Codes that say that something does not exist (spec 07 §16.1). */
const NOT_FOUND: ReadonlySet<string> = new Set([
  'InvalidCapacityReservationId.NotFound',
  'InvalidInstanceID.NotFound',
  'InvalidLaunchTemplateName.NotFoundException',
  'InvalidLaunchTemplateId.NotFound',
  'QueueDoesNotExist',
  'NoSuchEntity',
  'ParameterNotFound',
]);

/** Codes that say that the caller may not do this: EC2's, IAM's and that of the services that speak JSON. */
const DENIED: ReadonlySet<string> = new Set(['UnauthorizedOperation', 'AccessDenied', 'AccessDeniedException']);

/** Codes that say that this capacity cannot be had now (spec 07 §16.1). */
const UNFULFILLABLE: ReadonlySet<string> = new Set([
  'InsufficientInstanceCapacity',
  'MaxSpotInstanceCountExceeded',
  'VcpuLimitExceeded',
  'UnfulfillableCapacity',
  'Unsupported',
  'InsufficientFreeAddressesInSubnet',
  'MaxFleetCountExceeded',
  'ReservationCapacityExceeded',
]);

/** The code of the AwsError among the causes; undefined for any other error. */
export function findAwsError(error: unknown): AwsError | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    if (at instanceof AwsError) return at;
  }
  return undefined;
}

const hasCode = (error: unknown, code: string): boolean => findAwsError(error)?.code === code;

export const isAwsNotFound = (error: unknown): boolean => NOT_FOUND.has(findAwsError(error)?.code ?? '');

export const isAwsAlreadyExists = (error: unknown): boolean => hasCode(error, 'EntityAlreadyExists');

/** A dry run that would have succeeded is answered with an error. */
export const isDryRunSuccess = (error: unknown): boolean => hasCode(error, 'DryRunOperation');

export const isUnauthorizedOperation = (error: unknown): boolean => hasCode(error, 'UnauthorizedOperation');

/** Whether a permission is missing, in the words of any service. */
export const isAccessDenied = (error: unknown): boolean => DENIED.has(findAwsError(error)?.code ?? '');

export const isRateLimited = (error: unknown): boolean => hasCode(error, 'RequestLimitExceeded');

/** EC2 does not say whose fault an error is, so the status of the answer counts as well. */
export function isServerFault(error: unknown): boolean {
  const found = findAwsError(error);
  return found?.fault === 'server' || (found?.statusCode ?? 0) >= 500;
}

/** Codes by which services ask for fewer requests, beside EC2's RequestLimitExceeded. */
const THROTTLING: ReadonlySet<string> = new Set([
  'EC2ThrottledException',
  'RequestThrottled',
  'RequestThrottledException',
  'SlowDown',
  'Throttling',
  'ThrottlingException',
  'ThrottledException',
  'TooManyRequestsException',
]);

/** Whether AWS could not answer now, and may later. */
export function isTransient(error: unknown): boolean {
  return isRateLimited(error) || isServerFault(error) || THROTTLING.has(findAwsError(error)?.code ?? '');
}

/** Whether a fleet error of this code means that the capacity cannot be had now. */
export const isUnfulfillable = (code: string): boolean => UNFULFILLABLE.has(code);

export const isLaunchTemplateNotFound = (error: unknown): boolean =>
  hasCode(error, 'InvalidLaunchTemplateName.NotFoundException');

export const isPlacementGroupNotFound = (error: unknown): boolean => hasCode(error, 'InvalidPlacementGroup.Unknown');

export const isInstanceProfileNotFound = (error: unknown): boolean =>
  hasCode(error, 'InvalidParameterValue') && findAwsError(error)!.message.includes('Invalid IAM Instance Profile name');

/** Whether a resource has as many tags as it may have. */
export const isTagLimitExceeded = (error: unknown): boolean => hasCode(error, 'TagLimitExceeded');

export const isUserDataTooLarge = (error: unknown): boolean =>
  hasCode(error, 'InvalidUserData.Malformed') && findAwsError(error)!.message.includes('User data is limited to');
