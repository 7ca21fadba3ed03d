import { goQuote, type JsonObject } from '@karpenter-ts/kubernetes';
import type { Problem } from './field-errors.ts';
import { qualifiedName, type ServedResource } from './resources.ts';

/** One reason of several for a refusal. */
export interface Cause {
  readonly reason?: string;
  readonly message: string;
  readonly field?: string;
}

/** What a refusal is about. */
export interface Details {
  readonly name?: string | undefined;
  readonly group?: string | undefined;
  readonly kind?: string | undefined;
  readonly uid?: string | undefined;
  readonly causes?: readonly Cause[] | undefined;
  readonly retryAfterSeconds?: number | undefined;
}

/** An error of the API, thrown where it is found; the server answers with its Status. Texts are the real server's. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: number;
  readonly reason: string;
  readonly details: Details | undefined;
  /** What the answer's metadata says, such as where an expired list may be continued. */
  readonly metadata: JsonObject;

  constructor(code: number, reason: string, message: string, details?: Details, metadata: JsonObject = {}) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.details = details;
    this.metadata = metadata;
  }

  /** The body of the answer. */
  status(): JsonObject {
    const { code, reason, message, details, metadata } = this;
    const body = { kind: 'Status', apiVersion: 'v1', metadata, status: 'Failure', message };
    return { ...body, ...(reason && { reason }), ...(details && { details: present(details) }), code };
  }
}

/** The Status that says that all went well, about an object that is gone. */
export function successStatus(details: Details): JsonObject {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details: present(details) };
}

/** Empty members are left out, as Go leaves them out. */
function present(details: Details): JsonObject {
  const entries = Object.entries(details as JsonObject).filter(([, value]) => value !== undefined && value !== '');
  return Object.fromEntries(entries);
}

type Named = Pick<ServedResource, 'group' | 'plural'>;

const about = ({ group, plural }: Named, name: string): Details => ({ name, group, kind: plural });

export const notFound = (resource: Named, name: string): ApiError =>
  new ApiError(404, 'NotFound', `${qualifiedName(resource)} ${goQuote(name)} not found`, about(resource, name));

/** Nothing is served under this path. */
export const unknownPath = (): ApiError =>
  new ApiError(404, 'NotFound', 'the server could not find the requested resource', {});

export const methodNotAllowed = (): ApiError =>
  new ApiError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});

export const alreadyExists = (resource: Named, name: string): ApiError =>
  new ApiError(
    409,
    'AlreadyExists',
    `${qualifiedName(resource)} ${goQuote(name)} already exists`,
    about(resource, name),
  );

/** The write met another state of the object than it was made for. */
export const conflict = (resource: Named, name: string, why: string): ApiError =>
  new ApiError(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${qualifiedName(resource)} ${goQuote(name)}: ${why}`,
    about(resource, name),
  );

/** Why a write with an old resourceVersion is refused. */
export const OBJECT_MODIFIED =
  'the object has been modified; please apply your changes to the latest version and try again';

export const badRequest = (message: string): ApiError => new ApiError(400, 'BadRequest', message);

/** A bad request that the real server answers with 500. Ours answers 400 with the same message. */
export const misjudged = (message: string): ApiError => badRequest(message);

export const forbidden = (resource: Named, name: string, why: string, causes?: readonly Cause[]): ApiError =>
  new ApiError(403, 'Forbidden', `${qualifiedName(resource)} ${goQuote(name)} is forbidden: ${why}`, {
    ...about(resource, name),
    causes,
  });

/** The version asked for is no longer known. */
export const expired = (message: string): ApiError => new ApiError(410, 'Expired', message);

export const unsupportedMediaType = (message: string): ApiError => new ApiError(415, 'UnsupportedMediaType', message);

/** Refused before the request was looked at. */
export const unknownMediaType = (): ApiError =>
  new ApiError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});

/** The version asked for is not reached yet. */
export function tooLargeVersion(asked: number, current: number): ApiError {
  return new ApiError(504, 'Timeout', `Timeout: Too large resource version: ${asked}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });
}

/** The object is invalid. All causes are listed, equal ones once. */
export function invalid(
  kind: { readonly group: string; readonly kind: string },
  name: string,
  problems: readonly Problem[],
): ApiError {
  const texts = [...new Set(problems.map(({ field, message }) => `${field}: ${message}`))];
  const list = texts.length === 1 ? texts[0]! : `[${texts.join(', ')}]`;
  const title = kind.group === '' ? kind.kind : `${kind.kind}.${kind.group}`;
  const causes = problems.map(({ reason, message, field }) => ({ reason, message, field }));
  return new ApiError(422, 'Invalid', `${title} ${goQuote(name)} is invalid: ${list}`, {
    name,
    group: kind.group,
    kind: kind.kind,
    causes,
  });
}
