import { type ProviderProfile, RESTRICTED_LABELS } from '../names/provider-profile.ts';
import {
  admitsAbsence,
  formatRequirement,
  intersect,
  overlaps,
  type Requirement,
  type RequirementSpec,
  toRequirement,
  toRequirementSpecs,
} from './requirement.ts';

/** Requirements by key: one for each key something is asked of. */
export type Requirements = ReadonlyMap<string, Requirement>;

/** The requirements of a NodePool, NodeClaim, NodeOverlay or affinity term; entries of one key are intersected. */
export function toRequirements(specs: readonly RequirementSpec[], profile: ProviderProfile): Requirements {
  return combineRequirements(specs.map((spec) => toRequirement(spec, profile)));
}

/** The requirements a set of labels or a nodeSelector stands for: each key In its one value. */
export function toLabelRequirements(labels: Readonly<Record<string, string>>, profile: ProviderProfile): Requirements {
  const specs = Object.entries(labels).map(([key, value]) => ({ key, operator: 'In', values: [value] }));
  return toRequirements(specs, profile);
}

/** All given requirements at once: those of one key are intersected. Takes the values of sets to merge these. */
export function combineRequirements(requirements: Iterable<Requirement>): Requirements {
  const combined = new Map<string, Requirement>();
  for (const requirement of requirements) {
    const present = combined.get(requirement.key);
    combined.set(requirement.key, present === undefined ? requirement : intersect(present, requirement));
  }
  return combined;
}

/** Why two sets of requirements cannot both hold. `incoming` is the side that asks, `existing` the one that offers. */
export type Incompatibility =
  | { readonly why: 'UndefinedLabel'; readonly key: string; readonly typoOf: string | undefined }
  | {
      readonly why: 'NoCommonValue';
      readonly key: string;
      readonly incoming: Requirement;
      readonly existing: Requirement;
    };

/**
 * What keeps `existing` from meeting `incoming`; empty when they are compatible (spec 01 §9.2).
 * A label that `existing` does not define must be in `allowUndefined` or be one the incoming side can do without; the
 * first that is not is the whole answer. Keys are taken in order of their names, so that equal input reads the same.
 */
export function findIncompatibilities(
  existing: Requirements,
  incoming: Requirements,
  allowUndefined: ReadonlySet<string> = new Set(),
): readonly Incompatibility[] {
  const keys = [...incoming.keys()].sort();
  const undefinedKey = keys.find(
    (key) => !allowUndefined.has(key) && !existing.has(key) && !admitsAbsence(incoming.get(key)!),
  );
  if (undefinedKey !== undefined) {
    const typoOf = findSimilarKey(undefinedKey, allowUndefined) ?? findSimilarKey(undefinedKey, existing.keys());
    return [{ why: 'UndefinedLabel', key: undefinedKey, typoOf }];
  }
  return keys.flatMap((key) => findConflict(existing.get(key), incoming.get(key)!) ?? []);
}

/** In upstream's words, which pod events show; several are joined by `; `. */
export function formatIncompatibility(incompatibility: Incompatibility): string {
  switch (incompatibility.why) {
    case 'UndefinedLabel': {
      const { key, typoOf } = incompatibility;
      const hint = typoOf === undefined ? '' : ` (typo of "${typoOf}"?)`;
      return `label "${key}" does not have known values${hint}`;
    }
    case 'NoCommonValue': {
      const { key, incoming, existing } = incompatibility;
      return `key ${key}, ${formatRequirement(incoming)} not in ${formatRequirement(existing)}`;
    }
    default:
      return incompatibility satisfies never;
  }
}

/** As messages print a set: sorted, and without the hostname, which is different for each Node. */
export function formatRequirements(requirements: Requirements): string {
  return [...requirements.values()]
    .filter((requirement) => !RESTRICTED_LABELS.has(requirement.key))
    .map(formatRequirement)
    .sort()
    .join(', ');
}

/** The entries that go into a NodeClaim, by key; upstream writes them in no fixed order. */
export function serializeRequirements(requirements: Requirements): readonly RequirementSpec[] {
  const keys = [...requirements.keys()].sort();
  return keys.flatMap((key) => toRequirementSpecs(requirements.get(key)!));
}

function findConflict(existing: Requirement | undefined, incoming: Requirement): Incompatibility | undefined {
  if (existing === undefined || overlaps(existing, incoming)) return undefined;
  if (admitsAbsence(existing) && admitsAbsence(incoming)) return undefined; // a Node without the label suits both
  return { why: 'NoCommonValue', key: incoming.key, incoming, existing };
}

/** A key that ends like the given one, else one that contains it. Upstream names whichever such key it meets first. */
function findSimilarKey(key: string, candidates: Iterable<string>): string | undefined {
  const sorted = [...candidates].sort();
  const name = key.slice(key.indexOf('/') + 1);
  return sorted.find((candidate) => candidate.endsWith(name)) ?? sorted.find((candidate) => candidate.includes(key));
}
