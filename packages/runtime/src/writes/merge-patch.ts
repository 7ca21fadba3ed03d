import { LargeInteger, memberOf } from '@karpenter-ts/kubernetes';
import { isDeepStrictEqual } from 'node:util';

/** A JSON merge patch (RFC 7396): members to set, and `null` for members to remove. */
export type MergePatch = { readonly [member: string]: unknown };

/**
 * The merge patch that turns `before` into `after`; undefined if they are equal. An object without members counts as
 * absent. A merge patch replaces lists whole, so a patch of a list that others write as well must carry the
 * resourceVersion.
 */
export function mergePatchOf(before: object | undefined, after: object | undefined): MergePatch | undefined {
  if (before === after) return undefined;
  const old = (before ?? {}) as Record<string, unknown>;
  const wanted = (after ?? {}) as Record<string, unknown>;
  const changes: [string, unknown][] = [];
  for (const member of new Set([...Object.keys(old), ...Object.keys(wanted)])) {
    const change = memberChange(memberOf(old, member), memberOf(wanted, member));
    if (change !== undefined) changes.push([member, change]);
  }
  return changes.length === 0 ? undefined : Object.fromEntries(changes);
}

function memberChange(before: unknown, after: unknown): unknown {
  if (after === undefined) return before === undefined ? undefined : null;
  if (isRecord(after) && (before === undefined || isRecord(before))) return mergePatchOf(before, after);
  return isDeepStrictEqual(before, after) ? undefined : after;
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof LargeInteger);
}
