import { HOSTNAME_LABEL, ZONE_LABEL } from '@karpenter-ts/apis';
import { countDomains } from '../model/domain-counts.ts';
import type { NodeEntry } from '../model/node-entry.ts';
import type { PodClass } from '../model/pod-class.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { BEST, largestOf, type Score, smallestOf } from './score.ts';

/** Pods to be spread over the domains of a label. */
interface SoftSpread {
  readonly topologyKey: string;
  readonly maxSkew: number;
  readonly counts: ReadonlyMap<string, number>;
}

/** The defaults for pods without constraints: spread by workload, over hostnames first and zones second. */
const SIBLING_SKEWS = [
  { topologyKey: HOSTNAME_LABEL, maxSkew: 3 },
  { topologyKey: ZONE_LABEL, maxSkew: 5 },
];

/** PodTopologySpread: prefers nodes in domains with fewer matching pods, by the ScheduleAnyway constraints. */
export const softSpread: Score = {
  weight: 2,
  rate(pod, nodes, snapshot) {
    if (pod.preferredSpread.length > 0) {
      const counts = countDomains(pod, pod.preferredSpread, snapshot);
      const spreads = pod.preferredSpread.map((constraint, i) => ({ ...constraint, counts: counts[i]! }));
      return rateSpreads(nodes, spreads, ({ labels }) =>
        spreads.every(({ topologyKey }) => labels[topologyKey] !== undefined),
      );
    }
    if (pod.owner === undefined || pod.spread.length > 0) return undefined;
    return rateSpreads(nodes, siblingSpreads(pod, snapshot), () => true);
  },
};

function siblingSpreads({ owner }: PodClass, { nodesByClass }: Snapshot): readonly SoftSpread[] {
  const spreads = SIBLING_SKEWS.map((skew) => ({ ...skew, counts: new Map<string, number>() }));
  for (const [other, podCounts] of nodesByClass) {
    if (other.owner !== owner || other.isTerminating) continue;
    for (const [{ isThere, labels }, count] of podCounts) {
      for (const { topologyKey, counts } of spreads) {
        const domain = labels[topologyKey];
        if (isThere && domain !== undefined) counts.set(domain, (counts.get(domain) ?? 0) + count);
      }
    }
  }
  return spreads;
}

/**
 * A domain's count weighs more the more domains there are, and less the larger the maxSkew. Nodes that are not
 * `isRated` score 0.
 */
function rateSpreads(
  nodes: readonly NodeEntry[],
  spreads: readonly SoftSpread[],
  isRated: (node: NodeEntry) => boolean,
): readonly number[] | undefined {
  const rated = nodes.filter(isRated);
  if (rated.length === 0) return undefined;
  const weights = spreads.map(({ topologyKey }) => Math.log(new Set(rated.map((n) => n.labels[topologyKey])).size + 2));
  const crowd = ({ labels }: NodeEntry): number => {
    let sum = 0;
    spreads.forEach(({ topologyKey, counts, maxSkew }, i) => {
      const domain = labels[topologyKey];
      if (domain !== undefined) sum += (counts.get(domain) ?? 0) * weights[i]! + maxSkew - 1;
    });
    return Math.round(sum);
  };
  const crowds = nodes.map((node) => (isRated(node) ? crowd(node) : undefined));
  const known = crowds.filter((value) => value !== undefined);
  const most = largestOf(known);
  const least = smallestOf(known);
  if (most === least && known.length === nodes.length) return undefined;
  return crowds.map((value) => {
    if (value === undefined) return 0;
    return most === 0 ? BEST : Math.floor((BEST * (most + least - value)) / most);
  });
}
