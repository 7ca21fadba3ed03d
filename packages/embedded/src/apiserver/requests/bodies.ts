import { goQuote, type Json, type JsonObject } from '@karpenter-ts/kubernetes';
import type { TransportRequest } from '@karpenter-ts/runtime';
import { parseJson } from '../json-syntax.ts';
import { asJson, isJsonObject, jsonTypeOf } from '../json-value.ts';
import { badRequest, unsupportedMediaType } from '../status.ts';
import type { DecodedBody } from '../strategy.ts';
import type { FieldValidation } from '../verbs/options.ts';

/** The text of a request's body. */
export function bodyText({ body }: TransportRequest): string {
  return body === undefined ? '' : body.toString();
}

/** The media type of a request's body, without parameters; JSON unless told. */
export function mediaType({ headers }: TransportRequest): string {
  return (headers['content-type'] ?? 'application/json').split(';')[0]!.trim().toLowerCase();
}

const UNKNOWN_FORMAT =
  'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf';

/** We take JSON only. Throws an ApiError for anything else. */
export function requireJson(request: TransportRequest): void {
  const type = mediaType(request);
  if (type !== 'application/json' && type !== '') throw unsupportedMediaType(UNKNOWN_FORMAT);
}

const TYPE_META =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** The object a request sends, to be read as this kind. Throws an ApiError for what is no object at all. */
export function parseObject(request: TransportRequest, kind: string): JsonObject {
  requireJson(request);
  if (request.value !== undefined) return asJson(request.value as Json) as JsonObject;
  const text = bodyText(request);
  const unrecognized = (problem: string, shown: string) =>
    badRequest(
      `the object provided is unrecognized (must be of type ${kind}): couldn't get version/kind; json parse error: ${problem} (${shown})`,
    );
  const value = parseJson(text, (problem) => unrecognized(problem, excerpt(text)));
  if (isJsonObject(value)) {
    const wrong = (['apiVersion', 'kind'] as const).find((field) => !isTextOrNothing(value[field]));
    if (wrong === undefined) return value;
    const problem = `json: cannot unmarshal ${jsonTypeOf(value[wrong]!)} into Go struct field .${wrong} of type string`;
    throw unrecognized(problem, excerpt(text));
  }
  if (value === null) return {};
  throw unrecognized(
    `json: cannot unmarshal ${jsonTypeOf(value)} into Go value of type ${TYPE_META}`,
    Buffer.from(text).toString('hex').slice(0, 60),
  );
}

/** The options a deletion sends as its body, if it sends any. Throws an ApiError for what is no JSON. */
export function parseOptionsBody(request: TransportRequest): Json | undefined {
  if (request.value !== undefined) return asJson(request.value as Json);
  const text = bodyText(request);
  if (text === '') return undefined;
  requireJson(request);
  return parseJson(text, (problem) => badRequest(`couldn't get version/kind; json parse error: ${problem}`)) ?? {};
}

const isTextOrNothing = (value: Json | undefined): boolean =>
  value === undefined || value === null || typeof value === 'string';

function excerpt(text: string): string {
  if (text === '') return '<empty>';
  return text.length > 30 ? `${text.slice(0, 30)} ...` : text;
}

/** What strict decoding complains of is refused, told in a header, or passed over. Throws an ApiError. */
export function warningsOf(
  { complaints }: DecodedBody,
  fieldValidation: FieldValidation,
  { kind, version }: { readonly kind: string; readonly version: string },
): Readonly<Record<string, string>> {
  if (complaints.length === 0 || fieldValidation === 'Ignore') return {};
  if (fieldValidation === 'Strict') {
    const problem = `strict decoding error: ${complaints.join(', ')}`;
    throw badRequest(`${kind} in version ${goQuote(version)} cannot be handled as a ${kind}: ${problem}`);
  }
  return { warning: complaints.map((complaint) => `299 - ${goQuote(complaint)}`).join(', ') };
}
