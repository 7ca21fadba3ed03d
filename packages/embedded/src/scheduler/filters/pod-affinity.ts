import type { Labels } from '../kinds/pod.ts';
import { type AffinityTerm, isMeant, type NamespaceLabels } from '../model/affinity-term.ts';
import type { PodClass } from '../model/pod-class.ts';
import type { Residence, Snapshot } from '../model/snapshot.ts';
import { TopologyDomains } from '../model/topology-domains.ts';
import { type Filter, NOTHING_TO_CHECK, rejection } from './filter.ts';

const NOT_NEAR = rejection("node(s) didn't match pod affinity rules", false);
const NOT_AWAY = rejection("node(s) didn't match pod anti-affinity rules", true);
const NOT_WELCOME = rejection("node(s) didn't satisfy existing pods anti-affinity rules", true);

/** A pod goes where its affinity finds the pods it wants, away from those it shuns, and from those that shun it. */
export const podAffinity: Filter = {
  name: 'InterPodAffinity',
  scope: 'cluster',
  helpedBy: ['node added', 'node changed', 'pod placed', 'pod removed', 'namespace changed'],
  concerns(pod, other, namespaces) {
    const { near, away } = pod.affinity;
    return (
      near.some((term) => isMeant(term, other, namespaces)) ||
      away.some((term) => isMeant(term, other, namespaces)) ||
      other.affinity.away.some((term) => isMeant(term, pod, namespaces))
    );
  },
  prepare(pod, snapshot) {
    const { near, away } = pod.affinity;
    const unwelcome = domainsThatShun(pod, snapshot);
    if (near.length === 0 && away.length === 0 && unwelcome.isEmpty) return NOTHING_TO_CHECK;
    const wanted = domainsToBeNear(pod, snapshot);
    const shunned = domainsToShun(pod, snapshot);
    // The first of a group that wants to be together finds nobody: it may start anywhere.
    const isFirst = wanted.isEmpty && isMeantByAll(near, pod, snapshot.namespaces);
    return {
      kind: 'check',
      check({ labels }) {
        if (!isNear(near, labels, wanted, isFirst)) return NOT_NEAR;
        if (away.some(({ topologyKey }) => shunned.has(topologyKey, labels))) return NOT_AWAY;
        return unwelcome.hasAny(labels) ? NOT_WELCOME : undefined;
      },
    };
  },
};

/** The node must have every label the terms speak of, even for the first of a group. */
function isNear(near: readonly AffinityTerm[], labels: Labels, wanted: TopologyDomains, isFirst: boolean): boolean {
  return near.every(({ topologyKey }) =>
    isFirst ? labels[topologyKey] !== undefined : wanted.has(topologyKey, labels),
  );
}

/** Domains of pods that meet all the terms: each term then counts in its own topology. */
function domainsToBeNear({ affinity: { near } }: PodClass, { residences, namespaces }: Snapshot): TopologyDomains {
  const domains = new TopologyDomains();
  if (near.length === 0) return domains;
  for (const [other, residence] of residences) {
    if (isMeantByAll(near, other, namespaces)) for (const { topologyKey } of near) add(domains, topologyKey, residence);
  }
  return domains;
}

function domainsToShun({ affinity: { away } }: PodClass, { residences, namespaces }: Snapshot): TopologyDomains {
  const domains = new TopologyDomains();
  for (const term of away) {
    for (const [other, residence] of residences) {
      if (isMeant(term, other, namespaces)) add(domains, term.topologyKey, residence);
    }
  }
  return domains;
}

function domainsThatShun(pod: PodClass, { repelling, namespaces }: Snapshot): TopologyDomains {
  const domains = new TopologyDomains();
  for (const [other, residence] of repelling) {
    for (const term of other.affinity.away) {
      if (isMeant(term, pod, namespaces)) add(domains, term.topologyKey, residence);
    }
  }
  return domains;
}

function add(domains: TopologyDomains, topologyKey: string, residence: Residence): void {
  for (const node of residence.keys()) if (node.isThere) domains.add(topologyKey, node.labels, 1);
}

function isMeantByAll(terms: readonly AffinityTerm[], pod: PodClass, namespaces: NamespaceLabels): boolean {
  return terms.length > 0 && terms.every((term) => isMeant(term, pod, namespaces));
}
