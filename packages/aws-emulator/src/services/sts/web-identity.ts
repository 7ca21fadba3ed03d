import { SECOND } from '../../clock.ts';
import { ApiError } from '../../wire/api-error.ts';

/** Whom the token of a service account speaks for. */
export interface WebIdentity {
  readonly subject: string;
  readonly audience: string;
  readonly issuer: string;
}

/** Reads a JSON Web Token. Its signature is not verified. Throws an ApiError for one that STS would not take. */
export function readWebIdentity(token: string, now: number): WebIdentity {
  const claims = claimsOf(token);
  const { sub, aud, iss, exp } = claims;
  const audience = Array.isArray(aud) ? (aud[0] as unknown) : aud;
  if (typeof sub !== 'string' || typeof audience !== 'string' || typeof iss !== 'string') {
    throw invalidToken('Missing a required claim');
  }
  if (typeof exp === 'number' && exp * SECOND <= now) {
    throw new ApiError(
      'ExpiredTokenException',
      `Token expired: current date/time ${Math.floor(now / SECOND)} must be before the expiration date/time ${exp}`,
    );
  }
  return { subject: sub, audience, issuer: iss };
}

const NO_JWT = 'The ID Token provided is not a valid JWT. (You may see this error if you sent an Access Token)';

function claimsOf(token: string): Readonly<Record<string, unknown>> {
  const parts = token.split('.');
  if (parts.length !== 3) throw invalidToken(NO_JWT);
  try {
    return JSON.parse(Buffer.from(parts[1]!, 'base64url').toString()) as Readonly<Record<string, unknown>>;
  } catch {
    throw invalidToken(NO_JWT);
  }
}

function invalidToken(message: string): ApiError {
  return new ApiError('InvalidIdentityToken', message);
}
