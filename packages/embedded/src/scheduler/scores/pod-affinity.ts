import { isMeant, type WeightedTerm } from '../model/affinity-term.ts';
import type { PodClass } from '../model/pod-class.ts';
import type { PodCountByNode, Snapshot } from '../model/snapshot.ts';
import { TopologyDomains } from '../model/topology-domains.ts';
import { BEST, largestOf, type Score, smallestOf } from './score.ts';

/** The weight of required affinity of a placed pod towards the incoming one. */
const REQUIRED_WEIGHT = 1;

/**
 * InterPodAffinity: preferred terms of the incoming pod, and of placed pods towards it. Anti-affinity counts
 * negatively.
 */
export const preferredPods: Score = {
  weight: 2,
  rate(pod, nodes, snapshot) {
    const domains = new TopologyDomains();
    addOwnPreferences(domains, pod, snapshot);
    addPreferencesOfOthers(domains, pod, snapshot);
    if (domains.isEmpty) return undefined;
    const sums = nodes.map((node) => domains.sum(node.labels));
    const least = smallestOf(sums);
    const range = largestOf(sums) - least;
    return range === 0 ? undefined : sums.map((sum) => Math.floor((BEST * (sum - least)) / range));
  },
};

function addOwnPreferences(domains: TopologyDomains, pod: PodClass, { nodesByClass, namespaces }: Snapshot): void {
  const { affinityTerms, antiAffinityTerms } = pod.preferredAffinity;
  if (affinityTerms.length + antiAffinityTerms.length === 0) return;
  for (const [other, podCounts] of nodesByClass) {
    for (const term of affinityTerms) if (isMeant(term, other, namespaces)) add(domains, term, podCounts, 1);
    for (const term of antiAffinityTerms) if (isMeant(term, other, namespaces)) add(domains, term, podCounts, -1);
  }
}

function addPreferencesOfOthers(domains: TopologyDomains, pod: PodClass, { withAffinity, namespaces }: Snapshot): void {
  for (const [other, podCounts] of withAffinity) {
    const { affinityTerms, antiAffinityTerms } = other.preferredAffinity;
    const required = other.affinity.affinityTerms.map((term): WeightedTerm => ({ ...term, weight: REQUIRED_WEIGHT }));
    for (const term of [...required, ...affinityTerms])
      if (isMeant(term, pod, namespaces)) add(domains, term, podCounts, 1);
    for (const term of antiAffinityTerms) if (isMeant(term, pod, namespaces)) add(domains, term, podCounts, -1);
  }
}

function add(
  domains: TopologyDomains,
  { topologyKey, weight }: WeightedTerm,
  podCounts: PodCountByNode,
  sign: 1 | -1,
): void {
  for (const [node, count] of podCounts) {
    if (node.isThere) domains.add(topologyKey, node.labels, sign * weight * count);
  }
}
