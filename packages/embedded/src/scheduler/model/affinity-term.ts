import {
  type LabelRequirement,
  type Labels,
  type LabelSelector,
  labelSelectorFrom,
  matchesLabels,
  type PodAffinity,
  type PodAffinityTerm,
} from '@karpenter-ts/kubernetes';

/** A pod affinity term: label selector, namespaces and topology key. */
export interface AffinityTerm {
  readonly topologyKey: string;
  readonly selector: LabelSelector;
  readonly namespaces: ReadonlySet<string>;
  readonly namespaceSelector: LabelSelector;
}

export interface WeightedTerm extends AffinityTerm {
  readonly weight: number;
}

/** The pod a term is matched against. */
export interface LabelledPod {
  readonly namespace: string;
  readonly labels: Labels;
}

/** Labels of namespaces by name. */
export type NamespaceLabels = ReadonlyMap<string, Labels>;

export function requiredTerms(affinity: PodAffinity | undefined, pod: LabelledPod): readonly AffinityTerm[] {
  return (affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map((term) => termOf(term, pod));
}

export function preferredTerms(affinity: PodAffinity | undefined, pod: LabelledPod): readonly WeightedTerm[] {
  return (affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ weight, podAffinityTerm }) => ({
    ...termOf(podAffinityTerm, pod),
    weight,
  }));
}

/** Whether the term matches this pod. */
export function isMeant(term: AffinityTerm, pod: LabelledPod, namespaces: NamespaceLabels): boolean {
  return (
    (term.namespaces.has(pod.namespace) || matchesLabels(term.namespaceSelector, namespaces.get(pod.namespace))) &&
    matchesLabels(term.selector, pod.labels)
  );
}

/** Adds matchLabelKeys: the selector then also requires the pod's own values of these labels, as far as it has them. */
export function withLabelKeys(
  selector: LabelSelector,
  labels: Labels,
  keys: { readonly same?: readonly string[]; readonly other?: readonly string[] },
): LabelSelector {
  if (selector.kind === 'nothing') return selector;
  const more = (names: readonly string[], operator: 'in' | 'notin'): LabelRequirement[] =>
    names.filter((key) => Object.hasOwn(labels, key)).map((key) => ({ key, operator, values: [labels[key]!] }));
  const added = [...more(keys.same ?? [], 'in'), ...more(keys.other ?? [], 'notin')];
  return added.length === 0 ? selector : { ...selector, requirements: [...selector.requirements, ...added] };
}

/** Reads a term of `pod`. Without namespaces it means those of the pod's own namespace. */
function termOf(term: PodAffinityTerm, pod: LabelledPod): AffinityTerm {
  const { namespaces = [], namespaceSelector, topologyKey, labelSelector } = term;
  const isLocal = namespaces.length === 0 && namespaceSelector === undefined;
  return {
    topologyKey,
    selector: withLabelKeys(labelSelectorFrom(labelSelector), pod.labels, {
      same: term.matchLabelKeys ?? [],
      other: term.mismatchLabelKeys ?? [],
    }),
    namespaces: new Set(isLocal ? [pod.namespace] : namespaces),
    namespaceSelector: labelSelectorFrom(namespaceSelector),
  };
}
