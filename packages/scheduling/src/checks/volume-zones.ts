import {
  combineRequirements,
  findIncompatibilities,
  HOSTNAME_LABEL,
  type ProviderProfile,
  type Requirements,
  toRequirements,
} from '@karpenter-ts/apis';
import type { MissingVolumeObject } from '../explanation/reason.ts';
import type { Pod } from '../objects/pod.ts';
import type { PersistentVolume, StorageClass } from '../objects/volume.ts';
import type { Backing, VolumeObjects } from './volume-objects.ts';

/** Where a pod's volumes let it run: any one of the alternatives, tried in order; none means anywhere. */
export type VolumeNeeds =
  | { readonly kind: 'alternatives'; readonly alternatives: readonly Requirements[] }
  | { readonly kind: 'missing'; readonly missing: MissingVolumeObject };

/** The alternatives that all volumes of a pod leave (spec 02 §15.2), or what must exist before they are known. */
export function findVolumeNeeds(pod: Pod, objects: VolumeObjects, profile: ProviderProfile): VolumeNeeds {
  let alternatives: readonly Requirements[] = [];
  for (const volume of pod.spec.volumes ?? []) {
    const backing = objects.findBacking(pod, volume);
    if (backing === undefined) continue;
    if (backing.kind === 'missing') return backing;
    const own = alternativesOf(backing, profile);
    if (own.length === 0) continue;
    alternatives = alternatives.length === 0 ? own : combine(alternatives, own);
  }
  return { kind: 'alternatives', alternatives };
}

function alternativesOf(backing: Exclude<Backing, { kind: 'missing' }>, profile: ProviderProfile): Requirements[] {
  if (backing.kind === 'bound') return termsOfVolume(backing.volume, profile);
  return backing.storageClass === undefined ? [] : termsOfClass(backing.storageClass, profile);
}

function termsOfClass({ allowedTopologies = [] }: StorageClass, profile: ProviderProfile): Requirements[] {
  return allowedTopologies
    .map(({ matchLabelExpressions = [] }) => matchLabelExpressions)
    .filter((expressions) => expressions.length > 0)
    .map((expressions) =>
      toRequirements(
        expressions.map(({ key, values }) => ({ key, operator: 'In', values })),
        profile,
      ),
    );
}

/** A volume on a node's own disk moves with its pod, so its hostname does not bind; the rest of the term does. */
function termsOfVolume({ spec }: PersistentVolume, profile: ProviderProfile): Requirements[] {
  const isLocal = spec.local !== undefined || spec.hostPath !== undefined;
  const terms = spec.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  return terms
    .map(({ matchExpressions = [] }) => matchExpressions)
    .filter((expressions) => expressions.length > 0)
    .map((expressions) =>
      toRequirements(isLocal ? expressions.filter(({ key }) => key !== HOSTNAME_LABEL) : expressions, profile),
    );
}

/** Every pair that can hold; if none can, every pair, so that the pod fails for what it is: unsatisfiable. */
function combine(left: readonly Requirements[], right: readonly Requirements[]): readonly Requirements[] {
  const pairs = left.flatMap((a) => right.map((b) => [a, b] as const));
  const possible = pairs.filter(([a, b]) => findIncompatibilities(a, b, new Set(b.keys())).length === 0);
  return (possible.length > 0 ? possible : pairs).map(([a, b]) => combineRequirements([...a.values(), ...b.values()]));
}
