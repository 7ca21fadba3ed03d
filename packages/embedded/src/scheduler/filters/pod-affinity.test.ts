import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Labels, PodAffinityTerm } from '@karpenter-ts/kubernetes';
import { TestCluster, type TestPod } from '../testing/cluster.ts';
import { podAffinity } from './pod-affinity.ts';

const KEYS = ['zone', 'rack'];
const APPS = ['a', 'b'];

interface Who {
  readonly app: string;
  readonly namespace: string;
  readonly affinityTerms: readonly Term[];
  readonly antiAffinityTerms: readonly Term[];
}

interface Term {
  readonly key: string;
  readonly app: string;
  readonly namespaces: readonly string[];
}

interface Layout {
  readonly nodes: readonly Labels[];
  readonly pods: readonly (Who & { readonly node: number })[];
  readonly incoming: Who;
}

const namespace = fc.constantFrom('default', 'other');
const term = fc.record({
  key: fc.constantFrom(...KEYS),
  app: fc.constantFrom(...APPS),
  namespaces: fc.uniqueArray(namespace, { maxLength: 2 }),
});
const terms = fc.array(term, { maxLength: 2 });
const who = { app: fc.constantFrom(...APPS), namespace, affinityTerms: terms, antiAffinityTerms: terms };
const node = fc.record({ zone: fc.constantFrom('z1', 'z2'), rack: fc.constantFrom('r1', 'r2') }, { requiredKeys: [] });

const layout: fc.Arbitrary<Layout> = fc.record({
  nodes: fc.array(node, { minLength: 3, maxLength: 3 }),
  pods: fc.array(fc.record({ ...who, node: fc.nat(2) }), { maxLength: 5 }),
  incoming: fc.record(who),
});

test('a node is allowed exactly if all terms, of the pod and of those placed, hold there', () => {
  fc.assert(
    fc.property(layout, (given) => {
      const cluster = new TestCluster();
      given.nodes.forEach((labels, i) => cluster.node(`n${i}`, { labels }));
      given.pods.forEach((pod, i) => cluster.put(`p${i}`, `n${pod.node}`, options(pod)));
      const prepared = podAffinity.prepare(cluster.classOf(options(given.incoming)), cluster.snapshot);
      for (const i of given.nodes.keys()) {
        const entry = cluster.snapshot.findNode(`n${i}`)!;
        const isAllowed = prepared.kind !== 'check' || prepared.check(entry) === undefined;
        assert.equal(isAllowed, isAllowedNaively(given, i));
      }
    }),
    { numRuns: 500 },
  );
});

function options({ app, namespace: own, affinityTerms, antiAffinityTerms }: Who): TestPod {
  const required = (list: readonly Term[]) => ({
    requiredDuringSchedulingIgnoredDuringExecution: list.map(affinityTerm),
  });
  return {
    namespace: own,
    labels: { app },
    affinity: { podAffinity: required(affinityTerms), podAntiAffinity: required(antiAffinityTerms) },
  };
}

function affinityTerm({ key, app, namespaces }: Term): PodAffinityTerm {
  return { topologyKey: key, namespaces, labelSelector: { matchLabels: { app } } };
}

/** Pod by pod, from the definition. */
function isAllowedNaively({ nodes, pods, incoming }: Layout, at: number): boolean {
  const isMeant = (term: Term, by: Who, pod: Who) =>
    pod.app === term.app && (term.namespaces.length === 0 ? [by.namespace] : term.namespaces).includes(pod.namespace);
  const isTogether = (a: number, b: number, key: string) =>
    nodes[a]![key] !== undefined && nodes[a]![key] === nodes[b]![key];
  const { affinityTerms, antiAffinityTerms } = incoming;
  const wanted = pods.filter((pod) => affinityTerms.every((term) => isMeant(term, incoming, pod)));
  const hasDomains = wanted.some((pod) => affinityTerms.some(({ key }) => nodes[pod.node]![key] !== undefined));
  const isFirst = !hasDomains && affinityTerms.every((term) => isMeant(term, incoming, incoming));
  const isNear = affinityTerms.every(
    ({ key }) => nodes[at]![key] !== undefined && (isFirst || wanted.some((pod) => isTogether(pod.node, at, key))),
  );
  const isAway = !antiAffinityTerms.some((term) =>
    pods.some((pod) => isMeant(term, incoming, pod) && isTogether(pod.node, at, term.key)),
  );
  const isWelcome = !pods.some((pod) =>
    pod.antiAffinityTerms.some((term) => isMeant(term, pod, incoming) && isTogether(pod.node, at, term.key)),
  );
  return isNear && isAway && isWelcome;
}
