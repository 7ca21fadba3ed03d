import { isMeant, type WeightedTerm } from '../model/affinity-term.ts';
import type { PodClass } from '../model/pod-class.ts';
import type { Residence, Snapshot } from '../model/snapshot.ts';
import { TopologyDomains } from '../model/topology-domains.ts';
import { BEST, largestOf, type Score, smallestOf } from './score.ts';

/** What it is worth to a placed pod that the one it requires to be near comes near. */
const REQUIRED_WEIGHT = 1;

/** What the pod prefers of those placed, and they of it: near is better, away is worse. */
export const preferredPods: Score = {
  weight: 2,
  rate(pod, nodes, snapshot) {
    const domains = new TopologyDomains();
    addOwnWishes(domains, pod, snapshot);
    addWishesOfOthers(domains, pod, snapshot);
    if (domains.isEmpty) return undefined;
    const sums = nodes.map((node) => domains.sum(node.labels));
    const least = smallestOf(sums);
    const range = largestOf(sums) - least;
    return range === 0 ? undefined : sums.map((sum) => Math.floor((BEST * (sum - least)) / range));
  },
};

function addOwnWishes(domains: TopologyDomains, pod: PodClass, { residences, namespaces }: Snapshot): void {
  const { near, away } = pod.preferredAffinity;
  if (near.length + away.length === 0) return;
  for (const [other, residence] of residences) {
    for (const term of near) if (isMeant(term, other, namespaces)) add(domains, term, residence, 1);
    for (const term of away) if (isMeant(term, other, namespaces)) add(domains, term, residence, -1);
  }
}

function addWishesOfOthers(domains: TopologyDomains, pod: PodClass, { opinionated, namespaces }: Snapshot): void {
  for (const [other, residence] of opinionated) {
    const { near, away } = other.preferredAffinity;
    const required = other.affinity.near.map((term): WeightedTerm => ({ ...term, weight: REQUIRED_WEIGHT }));
    for (const term of [...required, ...near]) if (isMeant(term, pod, namespaces)) add(domains, term, residence, 1);
    for (const term of away) if (isMeant(term, pod, namespaces)) add(domains, term, residence, -1);
  }
}

function add(
  domains: TopologyDomains,
  { topologyKey, weight }: WeightedTerm,
  residence: Residence,
  sign: 1 | -1,
): void {
  for (const [node, count] of residence) {
    if (node.isThere) domains.add(topologyKey, node.labels, sign * weight * count);
  }
}
