import { deepFreeze, isJsonArray, isJsonObject, type Json, type JsonObject } from '@karpenter-ts/kubernetes';

/** Changes by path: `{ 'spec.weight': 5, 'spec.limits': undefined }`. `undefined` removes; numbers index lists. */
export type Changes = Readonly<Record<string, Json | undefined>>;

/** A frozen copy of the object with some fields set or removed. Steps of a path are separated by blanks or dots. */
export function variant(base: JsonObject, changes: Changes): JsonObject {
  let object: Json = base;
  for (const [path, value] of Object.entries(changes)) {
    object = set(object, path.includes(' ') ? path.split(' ') : path.split('.'), value);
  }
  return deepFreeze(object as JsonObject);
}

function set(at: Json | undefined, path: readonly string[], value: Json | undefined): Json {
  const [step, ...rest] = path;
  if (step === undefined) return value ?? null;
  if (isJsonArray(at)) return at.map((item, index) => (index === Number(step) ? set(item, rest, value) : item));
  const { [step]: before, ...others } = isJsonObject(at) ? at : {};
  if (rest.length === 0 && value === undefined) return others;
  return { ...others, [step]: set(before, rest, value) };
}
