// Parts of pod specs that tests put together.
import type {
  Affinity,
  LabelSelectorSpec,
  NodeSelectorRequirement,
  PodAffinityTerm,
  TopologySpreadConstraint,
} from '@karpenter-ts/kubernetes';

type Labels = Readonly<Record<string, string>>;

/** What most test pods are labelled, and rules select. */
export const APP: Labels = { app: 'test' };

/** A spread over a key, by default strict, of skew 1 and over pods labelled `APP`. */
export function spreadOver(
  topologyKey: string,
  rest: Partial<TopologySpreadConstraint> = {},
): TopologySpreadConstraint {
  return {
    topologyKey,
    maxSkew: 1,
    whenUnsatisfiable: 'DoNotSchedule',
    labelSelector: { matchLabels: APP },
    ...rest,
  };
}

/** A term about pods with these labels. */
export function podsWith(
  topologyKey: string,
  labels: Labels | LabelSelectorSpec | undefined = APP,
  rest: Partial<PodAffinityTerm> = {},
): PodAffinityTerm {
  const isSpec = labels !== undefined && ('matchLabels' in labels || 'matchExpressions' in labels);
  const labelSelector = isSpec ? (labels as LabelSelectorSpec) : { matchLabels: labels as Labels };
  return { topologyKey, ...(labels && { labelSelector }), ...rest };
}

export function near(...terms: readonly PodAffinityTerm[]): Affinity {
  return { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } };
}

export function away(...terms: readonly PodAffinityTerm[]): Affinity {
  return { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } };
}

export function preferNear(term: PodAffinityTerm, weight = 1): Affinity {
  return { podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight, podAffinityTerm: term }] } };
}

export function preferAway(term: PodAffinityTerm, weight = 1): Affinity {
  return { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight, podAffinityTerm: term }] } };
}

/** Node affinity: one of the terms must hold, each a list of expressions. */
export function onNodes(...terms: readonly (readonly NodeSelectorRequirement[])[]): Affinity {
  const nodeSelectorTerms = terms.map((matchExpressions) => ({ matchExpressions }));
  return { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } };
}

/** Preferred node affinity: the terms with their weights. */
export function preferNodes(...terms: readonly (readonly [weight: number, ...NodeSelectorRequirement[]])[]): Affinity {
  const preferred = terms.map(([weight, ...matchExpressions]) => ({ weight, preference: { matchExpressions } }));
  return { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } };
}

export function where(key: string, operator: string, ...values: readonly string[]): NodeSelectorRequirement {
  return { key, operator, values };
}
