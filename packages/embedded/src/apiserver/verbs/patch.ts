import { goQuote, type Json, type JsonObject, parseExactJson } from '@karpenter-ts/kubernetes';
import { invalidValue } from '../field-errors.ts';
import { formatGoValue } from '../go-value.ts';
import { isJsonObject } from '../json-value.ts';
import type { GoStruct } from '../kinds/go-types.ts';
import type { KubeObject } from '../object.ts';
import { applyJsonPatch } from '../patch/json-patch.ts';
import { applyMergePatch } from '../patch/merge-patch.ts';
import { PatchError } from '../patch/patch-error.ts';
import { applyStrategicPatch } from '../patch/strategic-patch.ts';
import { ApiError, invalid, unknownMediaType, unsupportedMediaType } from '../status.ts';
import type { DecodedBody } from '../strategy.ts';
import type { FieldValidation } from './options.ts';

/** A patch as it was sent. */
export interface SentPatch {
  readonly contentType: string;
  readonly body: string;
  readonly fieldValidation: FieldValidation;
}

/** What a patch is applied to, and how the result is read. */
export interface Patched {
  /** Undefined where strategic patches mean nothing. */
  readonly type: GoStruct | undefined;
  /** Reads the result; parts of it are those of the object that was patched. */
  decode(body: JsonObject, old: KubeObject): DecodedBody;
}

const JSON_PATCH = 'application/json-patch+json';
const MERGE_PATCH = 'application/merge-patch+json';
const STRATEGIC_PATCH = 'application/strategic-merge-patch+json';
const APPLY_PATCHES = ['application/apply-patch+yaml', 'application/apply-patch+cbor'];

/** The object after the patch, read as what it is. Throws an ApiError. */
export function applyPatch(old: KubeObject, patch: SentPatch, target: Patched): DecodedBody {
  const result = translated(() => patchedJson(old, patch, target));
  const wrongResult = (why: string): ApiError => {
    const shown =
      patch.contentType === STRATEGIC_PATCH
        ? formatGoValue(parseExactJson(patch.body) as Json)
        : JSON.stringify(result);
    return invalid({ group: '', kind: '' }, '', [invalidValue(['patch'], shown, why)]);
  };
  if (!isJsonObject(result)) throw wrongResult(`couldn't get version/kind; json parse error: ${notAnObject(result)}`);
  let decoded: DecodedBody;
  try {
    decoded = target.decode(result, old);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 400) throw error;
    throw wrongResult(error.message.replace(/^.*? cannot be handled as a \w+: /, ''));
  }
  if (patch.fieldValidation !== 'Strict' || decoded.complaints.length === 0) return decoded;
  throw wrongResult(`strict decoding error: ${decoded.complaints.join(', ')}`);
}

/** Which patch types a resource takes. Throws an ApiError for others. */
export function checkPatchType(contentType: string, type: GoStruct | undefined): void {
  const known = type === undefined ? [JSON_PATCH, MERGE_PATCH] : [JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH];
  if (known.includes(contentType)) return;
  if (APPLY_PATCHES.includes(contentType)) {
    throw unsupportedMediaType(
      `server-side apply is not supported by this server - accepted media types include: ${known.join(', ')}`,
    );
  }
  if (contentType !== STRATEGIC_PATCH) throw unknownMediaType();
  const list = [...known, APPLY_PATCHES[0]].join(', ');
  throw unsupportedMediaType(
    `the body of the request was in an unknown format - accepted media types include: ${list}`,
  );
}

function patchedJson(old: KubeObject, { contentType, body, fieldValidation }: SentPatch, { type }: Patched): Json {
  if (contentType === JSON_PATCH) return applyJsonPatch(old, body);
  if (contentType === MERGE_PATCH) return applyMergePatch(old, body, fieldValidation === 'Ignore');
  const { kind, apiVersion } = old; // a strategic patch cannot change what it is about
  return { ...applyStrategicPatch(old, body, type!), kind, apiVersion };
}

const REASONS: Readonly<Record<PatchError['code'], string>> = {
  400: 'BadRequest',
  413: 'RequestEntityTooLarge',
  422: 'Invalid',
};

function translated<T>(apply: () => T): T {
  try {
    return apply();
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    throw new ApiError(error.code, REASONS[error.code], error.message, error.code === 422 ? {} : undefined);
  }
}

function notAnObject(value: Json): string {
  const type = Array.isArray(value) ? 'array' : typeof value;
  return `json: cannot unmarshal ${type} into Go value of type struct { APIVersion string ${goQuote('json:"apiVersion,omitempty"')}; Kind string ${goQuote('json:"kind,omitempty"')} }`;
}
