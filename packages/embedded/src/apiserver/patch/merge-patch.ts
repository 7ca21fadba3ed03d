import { type Json, type JsonObject, memberOf } from '@karpenter-ts/kubernetes';
import { parseJson } from '../json-syntax.ts';
import { isJsonArray, isJsonObject, jsonTypeOf, withoutNulls } from '../json-value.ts';
import { PatchError } from './patch-error.ts';

/**
 * The object after a JSON merge patch (RFC 7396), given as the request's body. Throws a PatchError. A lenient server
 * lets a list pass, which takes the place of the object; a strict one looks at the patch before it applies it.
 */
export function applyMergePatch(object: JsonObject, body: string, isLenient: boolean): Json {
  const patch = parseJson(body, (problem) => new PatchError(400, `error decoding patch: ${problem}`));
  if (isJsonObject(patch)) return merge(object, patch);
  if (isLenient && isJsonArray(patch)) return withoutNulls(patch);
  if (isLenient || patch === null) throw new PatchError(400, 'Invalid JSON Patch');
  const problem = `json: cannot unmarshal ${jsonTypeOf(patch)} into Go value of type map[string]interface {}`;
  throw new PatchError(400, `error decoding patch: ${problem}`);
}

function merge(object: JsonObject, patch: JsonObject): JsonObject {
  const members = new Map(Object.entries(object));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null || value === undefined) members.delete(key);
    else members.set(key, mergeValue(memberOf(object, key), value));
  }
  return Object.fromEntries(members);
}

/** What is new loses its nulls, inside lists too; only a list that replaces an object keeps them, as the server does it. */
function mergeValue(current: Json | undefined, patch: Json): Json {
  if (!isJsonObject(current)) return withoutNulls(patch);
  return isJsonObject(patch) ? merge(current, patch) : patch;
}
