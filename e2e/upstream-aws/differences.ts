import { isJsonArray, isJsonObject, type Json } from '@karpenter-ts/kubernetes';
import type { Recording } from './recording.ts';

/** One place in which two recordings of a guide are not the same. */
export interface Difference {
  readonly guide: string;
  /** What the list is of, and the way from there: `ec2 CreateFleet.TagSpecifications[0].Tags`. */
  readonly path: string;
  /** Undefined where one has nothing. */
  readonly upstream: Json | undefined;
  readonly ours: Json | undefined;
}

/** All of a guide. What is equal on both sides is paired first, the rest in its order. */
export function findDifferences(guide: string, upstream: Recording, ours: Recording): readonly Difference[] {
  const names = [...new Set([...Object.keys(upstream), ...Object.keys(ours)])].sort();
  return names.flatMap((name) =>
    differencesOf(name, upstream[name] ?? [], ours[name] ?? []).map((each) => ({ guide, ...each })),
  );
}

type Found = Omit<Difference, 'guide'>;

function differencesOf(path: string, upstream: Json | undefined, ours: Json | undefined): readonly Found[] {
  if (textOf(upstream) === textOf(ours)) return [];
  if (isJsonArray(upstream) && isJsonArray(ours)) return listDifferences(path, upstream, ours);
  if (isJsonObject(upstream) && isJsonObject(ours)) {
    const keys = [...new Set([...Object.keys(upstream), ...Object.keys(ours)])].sort();
    return keys.flatMap((key) => differencesOf(`${path}.${key}`, upstream[key], ours[key]));
  }
  return [{ path, upstream, ours }];
}

function listDifferences(path: string, upstream: readonly Json[], ours: readonly Json[]): readonly Found[] {
  const [onlyUpstream, onlyOurs] = [without(upstream, ours), without(ours, upstream)];
  const isNested = [...onlyUpstream, ...onlyOurs].every((item) => isJsonObject(item));
  if (!isNested) return [{ path: `${path}[]`, upstream: onlyUpstream, ours: onlyOurs }];
  const count = Math.max(onlyUpstream.length, onlyOurs.length);
  return Array.from({ length: count }, (_, i) => differencesOf(`${path}[]`, onlyUpstream[i], onlyOurs[i])).flat();
}

/** Each of the others takes one away. */
function without(items: readonly Json[], others: readonly Json[]): readonly Json[] {
  const left = others.map(textOf);
  return items.filter((item) => {
    const at = left.indexOf(textOf(item));
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

function textOf(value: Json | undefined): string {
  return JSON.stringify(value) ?? '';
}
