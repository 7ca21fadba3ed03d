import {
  type LabelSelector,
  type LabelSelectorSpec,
  matchesLabels,
  type Pod,
  type PodAffinity,
  type PodAffinityTerm,
  type TopologySpreadConstraint,
} from '@karpenter-ts/kubernetes';
import { normalizeLabelKey } from '@karpenter-ts/apis';
import type { Identity } from '../model/pods/pod-class.ts';
import type { Preferences } from '../model/pods/relaxation.ts';
import { bothScopes, type Namespaces, type NamespaceScope } from '../model/pods/namespaces.ts';
import { type FilterTables, type NodeFilter, nodeFilterOf } from './node-filter.ts';
import { bothSelectors, selectorFrom, selectorText } from '../model/pods/selector.ts';

/** A rule about how pods are spread over the domains of a topology key. Pods with equal rules share their counts. */
export interface TopologyRule {
  readonly kind: 'spread' | 'affinity' | 'anti-affinity';
  /** By its present name: upstream looks for the old one, which only nodes have, and never on a node to be bought. */
  readonly key: string;
  readonly namespaces: NamespaceScope;
  readonly selector: LabelSelector;
  readonly maxSkew: number;
  readonly minDomains: number | undefined;
  readonly filter: NodeFilter | undefined;
  /** Domains only of pools whose taints this tolerates; `undefined` for those of all pools. */
  readonly tolerations: number | undefined;
  /** Equal for rules that are one: the first of them decides what is not part of it (spec 02 §16.1). */
  readonly identity: string;
  /** What it says, by which ties are decided. Without numbers of tables, which differ with the order of a snapshot. */
  readonly text: string;
}

/** What the rules of a pod are made from. */
export interface RuleOwner {
  /** Any pod with these constraints. */
  readonly pod: Pod;
  readonly identity: Identity;
  readonly preferences: Preferences;
  readonly tolerations: number;
}

export interface RuleTables extends FilterTables {
  readonly namespaces: Namespaces;
}

/** The rules a pod is placed by: spread, affinity, anti-affinity, in that order. */
export function rulesOf(owner: RuleOwner, tables: RuleTables): readonly TopologyRule[] {
  const { preferences } = owner;
  const { podAffinity, podAntiAffinity } = owner.pod.spec.affinity ?? {};
  const required = requiredTerms(podAffinity);
  const anti = [
    ...requiredTerms(podAntiAffinity),
    ...preferences.preferredAntiAffinity.map((term) => term.podAffinityTerm),
  ];
  return [
    ...preferences.spread.map((constraint) => spreadRule(owner, constraint, tables)),
    ...required.map((term) => affinityRule('affinity', owner, term, tables, required)),
    ...preferences.preferredAffinity.map((term) => affinityRule('affinity', owner, term.podAffinityTerm, tables)),
    ...anti.map((term) => affinityRule('anti-affinity', owner, term, tables)),
  ];
}

/** The rules by which a pod keeps others away: its required anti-affinity, seen from the other side. */
export function inverseRulesOf(owner: RuleOwner, tables: RuleTables): readonly TopologyRule[] {
  const terms = requiredTerms(owner.pod.spec.affinity?.podAntiAffinity);
  return terms.map((term) => affinityRule('anti-affinity', owner, term, tables));
}

/** Whether a pod counts for a rule, wherever it runs. */
export function selects(rule: TopologyRule, { namespace, labels }: Identity): boolean {
  return rule.namespaces.has(namespace) && matchesLabels(rule.selector, labels);
}

function requiredTerms(affinity: PodAffinity | undefined): readonly PodAffinityTerm[] {
  return affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
}

function spreadRule(owner: RuleOwner, constraint: TopologySpreadConstraint, tables: RuleTables): TopologyRule {
  const filter = nodeFilterOf(owner.pod, constraint, tables);
  const spec = withMatchLabelKeys(constraint, owner.identity.labels);
  const namespaces = tables.namespaces.only(owner.identity.namespace);
  const key = normalizeLabelKey(constraint.topologyKey, tables.profile);
  const text = identityOf('spread', key, namespaces, spec, [constraint.maxSkew, constraint.minDomains ?? null]);
  return {
    kind: 'spread',
    key,
    namespaces,
    selector: selectorFrom(spec),
    maxSkew: constraint.maxSkew,
    minDomains: constraint.minDomains,
    filter,
    tolerations: filter.tolerations,
    identity: `${text} ${filter.identity}`,
    text,
  };
}

/** The rule of one term. It counts the pods that all of `terms` select: required affinity wants one pod to match each. */
function affinityRule(
  kind: 'affinity' | 'anti-affinity',
  owner: RuleOwner,
  term: PodAffinityTerm,
  tables: RuleTables,
  terms: readonly PodAffinityTerm[] = [term],
): TopologyRule {
  const { namespaces, labelSelector } = commonSelection(terms, owner, tables);
  const key = normalizeLabelKey(term.topologyKey, tables.profile);
  const text = identityOf(kind, key, namespaces, labelSelector, []);
  return {
    kind,
    key,
    namespaces,
    selector: selectorFrom(labelSelector),
    maxSkew: Number.POSITIVE_INFINITY,
    minDomains: undefined,
    filter: undefined,
    tolerations: owner.tolerations,
    identity: text,
    text,
  };
}

/** Whom all of these terms select. Terms that differ in their topology key only select as one of them does. */
function commonSelection(terms: readonly PodAffinityTerm[], { identity }: RuleOwner, tables: RuleTables) {
  const selections = new Map(
    terms.map(({ labelSelector, namespaces: listed = [], namespaceSelector }) => {
      const namespaces = tables.namespaces.of(identity.namespace, listed, namespaceSelector);
      return [identityOf('', '', namespaces, labelSelector, []), { namespaces, labelSelector }];
    }),
  );
  return [...selections.values()].reduce((a, b) => ({
    namespaces: bothScopes(a.namespaces, b.namespaces),
    labelSelector: bothSelectors(a.labelSelector, b.labelSelector),
  }));
}

/** Selecting by `matchLabelKeys` is selecting the pod's own values of those labels. */
function withMatchLabelKeys(
  { labelSelector, matchLabelKeys = [] }: TopologySpreadConstraint,
  labels: Readonly<Record<string, string>>,
): LabelSelectorSpec | undefined {
  const own = matchLabelKeys.filter((key) => Object.hasOwn(labels, key));
  if (labelSelector === undefined || own.length === 0) return labelSelector;
  const added = own.map((key) => ({ key, operator: 'In', values: [labels[key]!] }));
  return { ...labelSelector, matchExpressions: [...(labelSelector.matchExpressions ?? []), ...added] };
}

function identityOf(
  kind: string,
  key: string,
  namespaces: NamespaceScope,
  spec: LabelSelectorSpec | undefined,
  more: readonly unknown[],
): string {
  return JSON.stringify([kind, key, namespaces.text, selectorText(spec), ...more]);
}
