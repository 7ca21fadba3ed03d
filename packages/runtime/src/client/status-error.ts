import { resourceNameOf, type ResourceType } from '@karpenter-ts/kubernetes';

/** The API's description of a failure (`kind: Status`). */
export interface Status {
  readonly status?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly code?: number;
  readonly details?: {
    readonly name?: string;
    readonly group?: string;
    readonly kind?: string;
    readonly uid?: string;
    readonly causes?: readonly StatusCause[];
    readonly retryAfterSeconds?: number;
  };
}

export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

/** The server refused, or a watch ended with an ERROR event. Contains the server's Status. */
export class StatusError extends Error {
  override readonly name = 'StatusError';
  readonly code: number;
  /** One word, such as `NotFound`; `Unknown` if the server named none. */
  readonly reason: string;
  readonly status: Status;
  /** How long the server asks clients to wait before they retry. */
  readonly retryAfterSeconds: number | undefined;

  /** Without a Retry-After header, the Status may name a time. There 0 means none, as in Go. */
  constructor(status: Status, retryAfterSeconds = status.details?.retryAfterSeconds || undefined) {
    super(status.message || `the server responded with the status code ${status.code ?? 0}`);
    this.code = status.code ?? 0;
    this.reason = status.reason || 'Unknown';
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Creates the error for an ERROR event of a watch, whose object should be a Status. */
export function statusErrorOfEvent(object: unknown): StatusError {
  if (isStatusShaped(object)) return new StatusError(object);
  const code = isObject(object) && typeof object['code'] === 'number' ? object['code'] : 0;
  return new StatusError({ code });
}

/** The request, for the message of an error whose answer has none. */
export interface Asked {
  readonly method: string;
  readonly type?: ResourceType | undefined;
  readonly name?: string | undefined;
}

/**
 * Builds the error for a response of 300 or more. A body that is not a Status, such as a page of a proxy, is described
 * by its code. The code of the response counts, not the one in the Status: whether a write may have taken effect is
 * derived from it.
 */
export function statusErrorOf(
  code: number,
  body: string,
  retryAfterSeconds: number | undefined,
  asked: Asked,
): StatusError {
  const status = findStatus(body) ?? genericStatus(code, body.trim().slice(0, MOST_QUOTED), asked);
  return new StatusError({ ...status, code }, retryAfterSeconds);
}

function findStatus(body: string): Status | undefined {
  try {
    const parsed: unknown = JSON.parse(body);
    return isStatusShaped(parsed) && parsed.kind === 'Status' ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** Whether every field that is read has the right type. */
function isStatusShaped(value: unknown): value is Status & { readonly kind?: unknown } {
  if (!isObject(value)) return false;
  const { message = '', reason = '', details } = value;
  if (typeof message !== 'string' || typeof reason !== 'string') return false;
  if (details === undefined || details === null) return true;
  if (!isObject(details)) return false;
  const { retryAfterSeconds = 0, causes } = details;
  if (typeof retryAfterSeconds !== 'number') return false;
  return causes === undefined || causes === null || (Array.isArray(causes) && causes.every(isObject));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** The number of characters that client-go quotes of a body that is no Status. */
const MOST_QUOTED = 2048;

/** Reasons and texts are client-go's: people search their logs for them. */
const GENERIC: Readonly<Record<number, readonly [reason: string, message: string]>> = {
  400: ['BadRequest', 'the server rejected our request for an unknown reason'],
  401: ['Unauthorized', 'the server has asked for the client to provide credentials'],
  404: ['NotFound', 'the server could not find the requested resource'],
  405: ['MethodNotAllowed', 'the server does not allow this method on the requested resource'],
  409: ['Conflict', 'the server reported a conflict'],
  410: ['Gone', 'the server responded with the status code 410 but did not return more information'],
  422: ['Invalid', 'the server rejected our request due to an error in our request'],
  429: ['TooManyRequests', 'the server has received too many requests and has asked us to try again later'],
  503: ['ServiceUnavailable', 'the server is currently unable to handle the request'],
  504: [
    'Timeout',
    'the server was unable to return a response in the time allotted, but may still be processing the request',
  ],
};

function genericStatus(code: number, body: string, asked: Asked): Status {
  const [reason, message] = GENERIC[code] ?? otherStatus(code, body);
  return {
    status: 'Failure',
    code,
    reason: code === 409 && asked.method === 'POST' ? 'AlreadyExists' : reason,
    message: message + askedFor(asked),
  };
}

function otherStatus(code: number, body: string): readonly [string, string] {
  if (code === 403) return ['Forbidden', body];
  if (code >= 500) {
    return [
      'InternalError',
      `an error on the server (${JSON.stringify(body)}) has prevented the request from succeeding`,
    ];
  }
  return ['Unknown', `the server responded with the status code ${code} but did not return more information`];
}

function askedFor({ method, type, name }: Asked): string {
  if (type === undefined) return '';
  return ` (${method.toLowerCase()} ${resourceNameOf(type)}${name === undefined ? '' : ` ${name}`})`;
}

function isStatus(error: unknown, reason: string, code: number): error is StatusError {
  return (
    error instanceof StatusError && (error.reason === reason || (error.reason === 'Unknown' && error.code === code))
  );
}

export const isNotFound = (error: unknown): error is StatusError => isStatus(error, 'NotFound', 404);

/** The object has changed since it was read. Read it again and repeat the write. */
export const isConflict = (error: unknown): error is StatusError => isStatus(error, 'Conflict', 409);

export const isAlreadyExists = (error: unknown): error is StatusError =>
  error instanceof StatusError && error.reason === 'AlreadyExists';

/** A resource version or continue token is too old. */
export const isGone = (error: unknown): error is StatusError => error instanceof StatusError && error.code === 410;

export const isTooManyRequests = (error: unknown): error is StatusError => isStatus(error, 'TooManyRequests', 429);

export const isInvalid = (error: unknown): error is StatusError => isStatus(error, 'Invalid', 422);

export const isForbidden = (error: unknown): error is StatusError => isStatus(error, 'Forbidden', 403);

export const isUnauthorized = (error: unknown): error is StatusError => isStatus(error, 'Unauthorized', 401);

/** The requested version is newer than the server's: it lags behind, or was restored from a backup. */
export function isVersionTooLarge(error: unknown): error is StatusError {
  if (!(error instanceof StatusError)) return false;
  const causes = error.status.details?.causes ?? [];
  return causes.some(
    (cause) => cause.reason === 'ResourceVersionTooLarge' || cause.message === 'Too large resource version',
  );
}
