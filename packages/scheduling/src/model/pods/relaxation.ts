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
export interface Wishes {
  /** Alternatives, of which the first is in force. */
  readonly requiredNodeTerms: readonly NodeSelectorTerm[];
  readonly preferredNodeTerms: readonly PreferredSchedulingTerm[];
  readonly preferredAffinity: readonly WeightedPodAffinityTerm[];
  readonly preferredAntiAffinity: readonly WeightedPodAffinityTerm[];
  readonly spread: readonly TopologySpreadConstraint[];
  readonly tolerations: readonly Toleration[];
}

/** All a pod asks for. Under `Ignore` only what it insists on. */
export function wishesOf({ spec }: Pod, policy: 'Respect' | 'Ignore'): Wishes {
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

/** One wish fewer, and which; `undefined` when only what is insisted on is left. The order is upstream's (spec 02 §18). */
export function relax(wishes: Wishes): { readonly wishes: Wishes; readonly relaxation: Relaxation } | undefined {
  const { requiredNodeTerms, preferredNodeTerms, preferredAffinity, preferredAntiAffinity, spread } = wishes;
  if (requiredNodeTerms.length > 1) {
    const [term, ...rest] = requiredNodeTerms;
    return gaveUp(wishes, { requiredNodeTerms: rest }, { gaveUp: 'RequiredNodeTerm', term: term! });
  }
  if (preferredAffinity.length > 0) {
    const [term, ...rest] = preferredAffinity;
    return gaveUp(wishes, { preferredAffinity: rest }, { gaveUp: 'PreferredPodAffinity', term: term! });
  }
  if (preferredAntiAffinity.length > 0) {
    const [term, ...rest] = preferredAntiAffinity;
    return gaveUp(wishes, { preferredAntiAffinity: rest }, { gaveUp: 'PreferredPodAntiAffinity', term: term! });
  }
  if (preferredNodeTerms.length > 0) {
    const [term, ...rest] = preferredNodeTerms;
    return gaveUp(wishes, { preferredNodeTerms: rest }, { gaveUp: 'PreferredNodeTerm', term: term! });
  }
  const soft = spread.findIndex(({ whenUnsatisfiable }) => whenUnsatisfiable === 'ScheduleAnyway');
  if (soft >= 0) {
    return gaveUp(
      wishes,
      { spread: withLastAt(spread, soft) },
      { gaveUp: 'ScheduleAnyway', constraint: spread[soft]! },
    );
  }
  if (hasToleration(wishes.tolerations, TOLERATE_PREFER_NO_SCHEDULE)) return undefined;
  const tolerations = [...wishes.tolerations, TOLERATE_PREFER_NO_SCHEDULE];
  return gaveUp(wishes, { tolerations }, { gaveUp: 'PreferNoSchedule' });
}

function gaveUp(wishes: Wishes, change: Partial<Wishes>, relaxation: Relaxation) {
  return { wishes: { ...wishes, ...change }, relaxation };
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
