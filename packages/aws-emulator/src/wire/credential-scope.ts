import { ApiError } from './api-error.ts';
import type { WireRequest } from './message.ts';

/** Who signed a request, for which region and service. */
export interface CredentialScope {
  readonly accessKeyId: string;
  readonly region: string;
  /** The signing name: `ec2`, `sqs`, `arc-zonal-shift` … */
  readonly service: string;
  /** When the request was signed; undefined if it does not say. */
  readonly signedAt: number | undefined;
}

const SCOPE = /Credential=([^/,\s]+)\/\d{8}\/([^/]+)\/([^/]+)\/aws4_request/;
const BASIC_DATE = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;

/**
 * Reads the Authorization header of Signature Version 4. The signature itself is not verified: the emulator knows no
 * secret keys, and what we want to hear of is who calls what in which region.
 */
export function credentialScopeOf({ headers }: WireRequest): CredentialScope {
  const match = SCOPE.exec(headers['authorization'] ?? '');
  if (match === null)
    throw new ApiError('MissingAuthenticationToken', 'Request is missing Authentication Token', { status: 403 });
  const [, accessKeyId = '', region = '', service = ''] = match;
  return { accessKeyId, region, service, signedAt: instantOf(headers['x-amz-date']) };
}

function instantOf(date: string | undefined): number | undefined {
  const match = BASIC_DATE.exec(date ?? '');
  if (match === null) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1).map(Number);
  return Date.UTC(year!, month! - 1, day, hour, minute, second);
}
