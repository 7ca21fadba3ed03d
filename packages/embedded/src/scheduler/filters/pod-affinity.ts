import type { Labels } from '@karpenter-ts/kubernetes';
import { type AffinityTerm, isMeant, type NamespaceLabels } from '../model/affinity-term.ts';
import type { PodClass } from '../model/pod-class.ts';
import type { PodCountByNode, Snapshot } from '../model/snapshot.ts';
import { TopologyDomains } from '../model/topology-domains.ts';
import { type Filter, NOTHING_TO_CHECK, rejection } from './filter.ts';

const NOT_NEAR = rejection("node(s) didn't match pod affinity rules", false);
const NOT_AWAY = rejection("node(s) didn't match pod anti-affinity rules", true);
const NOT_WELCOME = rejection("node(s) didn't satisfy existing pods anti-affinity rules", true);

/** The pod's required affinity and anti-affinity, and the required anti-affinity of pods that are already placed. */
export const podAffinity: Filter = {
  name: 'InterPodAffinity',
  scope: 'cluster',
  helpedBy: ['node added', 'node changed', 'pod placed', 'pod removed', 'namespace changed'],
  concerns(pod, other, namespaces) {
    const { affinityTerms, antiAffinityTerms } = pod.affinity;
    return (
      affinityTerms.some((term) => isMeant(term, other, namespaces)) ||
      antiAffinityTerms.some((term) => isMeant(term, other, namespaces)) ||
      other.affinity.antiAffinityTerms.some((term) => isMeant(term, pod, namespaces))
    );
  },
  prepare(pod, snapshot) {
    const { affinityTerms, antiAffinityTerms } = pod.affinity;
    const unwelcome = domainsOfAvoidingPods(pod, snapshot);
    if (affinityTerms.length === 0 && antiAffinityTerms.length === 0 && unwelcome.isEmpty) return NOTHING_TO_CHECK;
    const wanted = domainsOfRequiredPods(pod, snapshot);
    const shunned = domainsOfAvoidedPods(pod, snapshot);
    // No pod matches the affinity yet, but this pod matches it itself: the first of a group may go anywhere.
    const isFirst = wanted.isEmpty && isMeantByAll(affinityTerms, pod, snapshot.namespaces);
    return {
      kind: 'check',
      check({ labels }) {
        if (!isNear(affinityTerms, labels, wanted, isFirst)) return NOT_NEAR;
        if (antiAffinityTerms.some(({ topologyKey }) => shunned.has(topologyKey, labels))) return NOT_AWAY;
        return unwelcome.hasAny(labels) ? NOT_WELCOME : undefined;
      },
    };
  },
};

/** The node must have the topology labels of all terms, even for the first pod of a group. */
function isNear(
  affinityTerms: readonly AffinityTerm[],
  labels: Labels,
  wanted: TopologyDomains,
  isFirst: boolean,
): boolean {
  return affinityTerms.every(({ topologyKey }) =>
    isFirst ? labels[topologyKey] !== undefined : wanted.has(topologyKey, labels),
  );
}

/** The domains of pods that match all terms, counted in the topology of each term. */
function domainsOfRequiredPods(
  { affinity: { affinityTerms } }: PodClass,
  { nodesByClass, namespaces }: Snapshot,
): TopologyDomains {
  const domains = new TopologyDomains();
  if (affinityTerms.length === 0) return domains;
  for (const [other, podCounts] of nodesByClass) {
    if (isMeantByAll(affinityTerms, other, namespaces))
      for (const { topologyKey } of affinityTerms) add(domains, topologyKey, podCounts);
  }
  return domains;
}

function domainsOfAvoidedPods(
  { affinity: { antiAffinityTerms } }: PodClass,
  { nodesByClass, namespaces }: Snapshot,
): TopologyDomains {
  const domains = new TopologyDomains();
  for (const term of antiAffinityTerms) {
    for (const [other, podCounts] of nodesByClass) {
      if (isMeant(term, other, namespaces)) add(domains, term.topologyKey, podCounts);
    }
  }
  return domains;
}

function domainsOfAvoidingPods(pod: PodClass, { withRequiredAntiAffinity, namespaces }: Snapshot): TopologyDomains {
  const domains = new TopologyDomains();
  for (const [other, podCounts] of withRequiredAntiAffinity) {
    for (const term of other.affinity.antiAffinityTerms) {
      if (isMeant(term, pod, namespaces)) add(domains, term.topologyKey, podCounts);
    }
  }
  return domains;
}

function add(domains: TopologyDomains, topologyKey: string, podCounts: PodCountByNode): void {
  for (const node of podCounts.keys()) if (node.isThere) domains.add(topologyKey, node.labels, 1);
}

function isMeantByAll(terms: readonly AffinityTerm[], pod: PodClass, namespaces: NamespaceLabels): boolean {
  return terms.length > 0 && terms.every((term) => isMeant(term, pod, namespaces));
}
