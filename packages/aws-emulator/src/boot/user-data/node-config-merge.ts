import { isJsonObject, type Json, type JsonObject } from '@karpenter-ts/kubernetes';

/**
 * Merges NodeConfigs as nodeadm does: later values win, objects are merged member by member, lists are replaced, and a
 * value that is empty replaces nothing. The kubelet's flags alone are appended, because there the order decides.
 */
export function mergeNodeConfigs(configs: readonly JsonObject[]): JsonObject {
  return configs.reduce((merged, next) => mergeObjects(merged, next, []), {});
}

function mergeObjects(below: JsonObject, above: JsonObject, path: readonly string[]): JsonObject {
  const merged: Record<string, Json | undefined> = { ...below };
  for (const [key, value] of Object.entries(above)) {
    const at = [...path, key];
    const before = merged[key];
    if (at.join('.') === 'spec.kubelet.flags' && Array.isArray(before) && Array.isArray(value)) {
      merged[key] = [...before, ...value];
    } else if (isJsonObject(before) && isJsonObject(value)) {
      merged[key] = mergeObjects(before, value, at);
    } else if (before === undefined || !isEmpty(value)) {
      merged[key] = value;
    }
  }
  return merged;
}

function isEmpty(value: Json | undefined): boolean {
  if (value === undefined || value === null || value === 0 || value === '' || value === false) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isJsonObject(value) && Object.keys(value).length === 0;
}
