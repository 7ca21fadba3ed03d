import { ApiError } from '../status.ts';

/** The form in which a client wants objects: as they are, as rows of a table, or their metadata alone. */
export type Form = 'object' | 'table' | 'metadata';

const FORMS: Readonly<Record<string, Form>> = {
  Table: 'table',
  PartialObjectMetadata: 'metadata',
  PartialObjectMetadataList: 'metadata',
};

/** Throws an ApiError when the Accept header names no JSON: then nothing can be said, not even what is wrong. */
export function requireAcceptable(accept: string | undefined): void {
  if (
    accept &&
    accept !== 'application/json' &&
    !accept.split(',').some((range) => isJson(range.split(';')[0]!.trim()))
  )
    throw notAcceptable();
}

/** The first form of the Accept header that we can give. Throws an ApiError when there is none. */
export function acceptedForm(accept: string | undefined): Form {
  if (!accept || accept === 'application/json') return 'object';
  for (const range of accept.split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
    if (!isJson(type)) continue;
    const as = parameters.find((parameter) => parameter.startsWith('as='))?.slice(3);
    if (as === undefined) return 'object';
    const form = Object.hasOwn(FORMS, as) ? FORMS[as] : undefined;
    if (form !== undefined && isServed(parameters)) return form;
  }
  throw notAcceptable();
}

function isJson(type: string): boolean {
  return type === 'application/json' || type === '*/*' || type === 'application/*';
}

/** Of the forms there are older versions, which nobody asks for any more. */
function isServed(parameters: readonly string[]): boolean {
  return parameters.includes('g=meta.k8s.io') && parameters.includes('v=v1');
}

const notAcceptable = (): ApiError => new ApiError(406, 'NotAcceptable', NOT_ACCEPTABLE, {});

const NOT_ACCEPTABLE =
  '406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf, application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch';
