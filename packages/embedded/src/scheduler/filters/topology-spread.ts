import { matchesLabels } from '@karpenter-ts/kubernetes';
import { countDomains } from '../model/domain-counts.ts';
import type { NodeEntry } from '../model/node-entry.ts';
import type { PodClass } from '../model/pod-class.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { type Filter, NOTHING_TO_CHECK, type Rejection, rejection } from './filter.ts';

const UNEVEN = rejection("node(s) didn't match pod topology spread constraints", true);
const NO_DOMAIN = rejection("node(s) didn't match pod topology spread constraints (missing required label)", false);

/** The domain counts of a constraint, with the largest count the pod's domain may have. */
interface Spread {
  readonly topologyKey: string;
  readonly counts: ReadonlyMap<string, number>;
  /** The largest number of matching pods that a domain may have before this pod is added. */
  readonly limit: number;
}

/** The pod's topology spread constraints with DoNotSchedule. */
export const topologySpread: Filter = {
  name: 'PodTopologySpread',
  scope: 'cluster',
  helpedBy: ['node added', 'node changed', 'node removed', 'pod placed', 'pod removed'],
  concerns: ({ namespace, spread }, other) =>
    other.namespace === namespace && spread.some(({ selector }) => matchesLabels(selector, other.labels)),
  prepare(pod, snapshot) {
    if (pod.spread.length === 0) return NOTHING_TO_CHECK;
    const spreads = spreadsOf(pod, snapshot);
    return { kind: 'check', check: (node) => findViolation(node, spreads) };
  },
};

function spreadsOf(pod: PodClass, snapshot: Snapshot): readonly Spread[] {
  const counts = countDomains(pod, pod.spread, snapshot);
  return pod.spread.map(({ topologyKey, maxSkew, minDomains, selector }, i) => {
    const domains = counts[i]!;
    // With fewer domains than minDomains, the missing ones count as empty.
    const least = domains.size < minDomains ? 0 : domains.values().reduce((a, b) => Math.min(a, b));
    const self = matchesLabels(selector, pod.labels) ? 1 : 0;
    return { topologyKey, counts: domains, limit: maxSkew + least - self };
  });
}

function findViolation({ labels }: NodeEntry, spreads: readonly Spread[]): Rejection | undefined {
  for (const { topologyKey, counts, limit } of spreads) {
    const domain = labels[topologyKey];
    if (domain === undefined) return NO_DOMAIN;
    if ((counts.get(domain) ?? 0) > limit) return UNEVEN;
  }
  return undefined;
}
