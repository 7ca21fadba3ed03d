import { ApiError } from '../wire/api-error.ts';
import type { CredentialScope } from '../wire/credential-scope.ts';

/** The services that speak the query protocol as IAM does. */
const QUERY: ReadonlySet<string> = new Set(['iam', 'sts']);
const REST: ReadonlySet<string> = new Set(['arc-zonal-shift', 'eks']);

/** What a service answers to credentials that have expired: each kind of service has its own word for it. */
export function credentialsExpired(service: string): ApiError {
  const message = 'The security token included in the request is expired';
  if (service === 'ec2') return new ApiError('RequestExpired', 'Request has expired.');
  if (QUERY.has(service)) return new ApiError('ExpiredToken', message, { status: 403 });
  return new ApiError('ExpiredTokenException', message, { status: REST.has(service) ? 403 : 400 });
}

const LARGEST_SKEW = 5 * 60 * 1000;

/** Throws what a service answers to a request whose date is more than five minutes from its own. */
export function checkSkew({ service, signedAt }: CredentialScope, serverTime: number): void {
  if (signedAt === undefined || Math.abs(serverTime - signedAt) <= LARGEST_SKEW) return;
  if (service === 'ec2') throw new ApiError('RequestExpired', 'Request has expired.');
  const [signed, now] = [basicDate(signedAt), basicDate(serverTime)];
  const message =
    signedAt < serverTime
      ? `Signature expired: ${signed} is now earlier than ${basicDate(serverTime - LARGEST_SKEW)} (${now} - 5 min.)`
      : `Signature not yet current: ${signed} is still later than ${basicDate(serverTime + LARGEST_SKEW)} (${now} + 5 min.)`;
  if (QUERY.has(service)) throw new ApiError('SignatureDoesNotMatch', message, { status: 403 });
  throw new ApiError('InvalidSignatureException', message, { status: REST.has(service) ? 403 : 400 });
}

/** As 20260101T000000Z. */
function basicDate(time: number): string {
  return new Date(time).toISOString().replace(/[-:]|\.\d+/g, '');
}
