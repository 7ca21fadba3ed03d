// Which pods a topology rule is about (spec 02 §16.1).
import {
  type LabelSelector,
  LabelSelectorError,
  labelSelectorFrom,
  type LabelSelectorSpec,
  matchesLabels,
  type Pod,
  type PodAffinityTerm,
  type TopologySpreadConstraint,
} from '@karpenter-ts/kubernetes';
import type { Snapshot } from '../../snapshot.ts';

/** True for pods that a rule of one pod selects. */
export type Selects = (pod: Pod) => boolean;

export function spreadSelects(owner: Pod, { labelSelector, matchLabelKeys = [] }: TopologySpreadConstraint): Selects {
  const own = owner.metadata.labels ?? {};
  const added = matchLabelKeys
    .filter((key) => own[key] !== undefined)
    .map((key) => ({ key, operator: 'In', values: [own[key]!] }));
  const expressions = [...(labelSelector?.matchExpressions ?? []), ...added];
  const selector = toSelector(labelSelector && { ...labelSelector, matchExpressions: expressions });
  return (pod) => namespaceOf(pod) === namespaceOf(owner) && matchesLabels(selector, pod.metadata.labels);
}

export function termSelects(owner: Pod, term: PodAffinityTerm, snapshot: Snapshot): Selects {
  const selector = toSelector(term.labelSelector);
  const namespaces = namespacesOf(owner, term, snapshot);
  return (pod) => namespaces.has(namespaceOf(pod)) && matchesLabels(selector, pod.metadata.labels);
}

/** True for pods that all of these terms select. */
export function allSelect(
  owner: Pod,
  { terms }: { readonly terms: readonly PodAffinityTerm[] },
  snapshot: Snapshot,
): Selects {
  const each = terms.map((term) => termSelects(owner, term, snapshot));
  return (pod) => each.every((selects) => selects(pod));
}

function namespacesOf(
  owner: Pod,
  { namespaces = [], namespaceSelector }: PodAffinityTerm,
  snapshot: Snapshot,
): ReadonlySet<string> {
  if (namespaceSelector === undefined) return new Set(namespaces.length > 0 ? namespaces : [namespaceOf(owner)]);
  const selector = toSelector(namespaceSelector);
  const selected = snapshot.namespaces.filter(({ labels }) => matchesLabels(selector, labels));
  return new Set([...namespaces, ...selected.map(({ name }) => name)]);
}

function namespaceOf({ metadata }: Pod): string {
  return metadata.namespace ?? 'default';
}

/** One that is missing or wrong selects nothing. */
function toSelector(spec: LabelSelectorSpec | undefined): LabelSelector {
  try {
    return labelSelectorFrom(spec);
  } catch (error) {
    if (error instanceof LabelSelectorError) return { kind: 'nothing' };
    throw error;
  }
}
