import { HOSTNAME_LABEL, type ProviderProfile, type Requirement, toRequirement } from '@karpenter-ts/apis';
import type { MissingVolumeObject } from '../../failure.ts';
import type { PersistentVolume, Pod, StorageClass } from '@karpenter-ts/kubernetes';
import { findContradictions } from '../requirements/contradiction.ts';
import type { Backing, VolumeObjects } from './volume-objects.ts';

/** What must hold of a node all at once. */
type VolumeTerm = readonly Requirement[];

/** Where a pod's volumes let it run: any one of the alternatives, tried in order; none means anywhere. */
export type VolumeNeeds =
  | { readonly kind: 'alternatives'; readonly alternatives: readonly VolumeTerm[] }
  | { readonly kind: 'missing'; readonly missing: MissingVolumeObject };

/** The alternatives that all volumes of a pod leave (spec 02 §15.2), or what must exist before they are known. */
export function findVolumeNeeds(pod: Pod, objects: VolumeObjects, profile: ProviderProfile): VolumeNeeds {
  let alternatives: readonly VolumeTerm[] = [];
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

function alternativesOf(
  backing: Exclude<Backing, { kind: 'missing' }>,
  profile: ProviderProfile,
): readonly VolumeTerm[] {
  if (backing.kind === 'bound') return termsOfVolume(backing.volume, profile);
  return backing.storageClass === undefined ? [] : termsOfClass(backing.storageClass, profile);
}

function termsOfClass({ allowedTopologies = [] }: StorageClass, profile: ProviderProfile): readonly VolumeTerm[] {
  return allowedTopologies
    .map(({ matchLabelExpressions = [] }) => matchLabelExpressions)
    .filter((expressions) => expressions.length > 0)
    .map((expressions) =>
      expressions.map(({ key, values }) => toRequirement({ key, operator: 'In', values }, profile)),
    );
}

/** A volume on a node's own disk moves with its pod, so its hostname does not bind; the rest of the term does. */
function termsOfVolume({ spec }: PersistentVolume, profile: ProviderProfile): readonly VolumeTerm[] {
  const isLocal = spec.local !== undefined || spec.hostPath !== undefined;
  const terms = spec.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  return terms
    .map(({ matchExpressions = [] }) => matchExpressions)
    .filter((expressions) => expressions.length > 0)
    .map((expressions) => (isLocal ? expressions.filter(({ key }) => key !== HOSTNAME_LABEL) : expressions))
    .map((expressions) => expressions.map((expression) => toRequirement(expression, profile)));
}

/** Every pair that can hold; if none can, every pair, so that the pod fails for what it is: unsatisfiable. */
function combine(left: readonly VolumeTerm[], right: readonly VolumeTerm[]): readonly VolumeTerm[] {
  const pairs = left.flatMap((a) => right.map((b) => [...a, ...b]));
  const possible = pairs.filter((both) => findContradictions(both).length === 0);
  return possible.length > 0 ? possible : pairs;
}
