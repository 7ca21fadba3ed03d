import { hasToleration, TOLERATE_PREFER_NO_SCHEDULE } from './taints.ts';
import type {
  NodeSelectorTerm,
  Pod,
  PreferredSchedulingTerm,
  Toleration,
  TopologySpreadConstraint,
  WeightedPodAffinityTerm,
} from '@karpenter-ts/kubernetes';
import type { Relaxation } from '../../plan.ts';

/** The part of a pod that can be relaxed, preferences heaviest first. */
export interface Preferences {
  /** Alternatives, of which the first is in force. */
  readonly requiredNodeTerms: readonly NodeSelectorTerm[];
  readonly preferredNodeTerms: readonly PreferredSchedulingTerm[];
  readonly preferredAffinity: readonly WeightedPodAffinityTerm[];
  readonly preferredAntiAffinity: readonly WeightedPodAffinityTerm[];
  readonly spread: readonly TopologySpreadConstraint[];
  readonly tolerations: readonly Toleration[];
}

/** Everything that a pod asks for. Under the policy `Ignore` only what it requires. */
export function preferencesOf({ spec }: Pod, policy: 'Respect' | 'Ignore'): Preferences {
  const { nodeAffinity, podAffinity, podAntiAffinity } = spec.affinity ?? {};
  const spread = spec.topologySpreadConstraints ?? [];
  const required = {
    requiredNodeTerms: nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [],
    tolerations: spec.tolerations ?? [],
  };
  if (policy === 'Ignore') {
    const insisted = spread.filter(({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule');
    return { ...required, spread: insisted, preferredNodeTerms: [], preferredAffinity: [], preferredAntiAffinity: [] };
  }
  return {
    ...required,
    spread,
    preferredNodeTerms: heaviestFirst(nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution),
    preferredAffinity: heaviestFirst(podAffinity?.preferredDuringSchedulingIgnoredDuringExecution),
    preferredAntiAffinity: heaviestFirst(podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution),
  };
}

/**
 * The preferences without the one that is given up next, and which one that is; `undefined` when only requirements are left.
 * The order is upstream's (spec 02 §18).
 */
export function relax(
  preferences: Preferences,
): { readonly preferences: Preferences; readonly relaxation: Relaxation } | undefined {
  const { requiredNodeTerms, preferredNodeTerms, preferredAffinity, preferredAntiAffinity, spread } = preferences;
  if (requiredNodeTerms.length > 1) {
    const [term, ...rest] = requiredNodeTerms;
    return gaveUp(preferences, { requiredNodeTerms: rest }, { gaveUp: 'RequiredNodeTerm', term: term! });
  }
  if (preferredAffinity.length > 0) {
    const [term, ...rest] = preferredAffinity;
    return gaveUp(preferences, { preferredAffinity: rest }, { gaveUp: 'PreferredPodAffinity', term: term! });
  }
  if (preferredAntiAffinity.length > 0) {
    const [term, ...rest] = preferredAntiAffinity;
    return gaveUp(preferences, { preferredAntiAffinity: rest }, { gaveUp: 'PreferredPodAntiAffinity', term: term! });
  }
  if (preferredNodeTerms.length > 0) {
    const [term, ...rest] = preferredNodeTerms;
    return gaveUp(preferences, { preferredNodeTerms: rest }, { gaveUp: 'PreferredNodeTerm', term: term! });
  }
  const soft = spread.findIndex(({ whenUnsatisfiable }) => whenUnsatisfiable === 'ScheduleAnyway');
  if (soft >= 0) {
    return gaveUp(
      preferences,
      { spread: withLastAt(spread, soft) },
      { gaveUp: 'ScheduleAnyway', constraint: spread[soft]! },
    );
  }
  if (hasToleration(preferences.tolerations, TOLERATE_PREFER_NO_SCHEDULE)) return undefined;
  const tolerations = [...preferences.tolerations, TOLERATE_PREFER_NO_SCHEDULE];
  return gaveUp(preferences, { tolerations }, { gaveUp: 'PreferNoSchedule' });
}

function gaveUp(preferences: Preferences, change: Partial<Preferences>, relaxation: Relaxation) {
  return { preferences: { ...preferences, ...change }, relaxation };
}

/** Ties keep the order they are written in. */
function heaviestFirst<T extends { readonly weight: number }>(terms: readonly T[] = []): readonly T[] {
  return terms.toSorted((a, b) => b.weight - a.weight);
}

/** Without the one at `i`: the last takes its place, which decides the one to go next. */
function withLastAt<T>(list: readonly T[], i: number): readonly T[] {
  const rest = list.slice(0, -1);
  if (i < rest.length) rest[i] = list.at(-1)!;
  return rest;
}
