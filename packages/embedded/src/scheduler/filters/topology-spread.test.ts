import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { TestCluster } from '../testing/cluster.ts';
import { topologySpread } from './topology-spread.ts';

const ZONE = 'topology.kubernetes.io/zone';
const WEB = { app: 'web' };

interface Layout {
  readonly zones: readonly number[]; // of each node; 0 for none
  readonly pods: readonly { readonly node: number; readonly isWeb: boolean; readonly isTerminating: boolean }[];
  readonly maxSkew: number;
  readonly minDomains: number;
  readonly isWeb: boolean;
}

const layout: fc.Arbitrary<Layout> = fc.integer({ min: 1, max: 6 }).chain((count) =>
  fc.record({
    zones: fc.array(fc.nat(3), { minLength: count, maxLength: count }),
    pods: fc.array(fc.record({ node: fc.nat(count - 1), isWeb: fc.boolean(), isTerminating: fc.boolean() }), {
      maxLength: 12,
    }),
    maxSkew: fc.integer({ min: 1, max: 3 }),
    minDomains: fc.integer({ min: 1, max: 4 }),
    isWeb: fc.boolean(),
  }),
);

test('a node is allowed exactly if its zone stays within the skew of the emptiest', () => {
  fc.assert(
    fc.property(layout, (given) => {
      const cluster = clusterOf(given);
      const prepared = topologySpread.prepare(cluster.classOf(spreadPod(given)), cluster.snapshot);
      assert.ok(prepared.kind === 'check');
      for (const [i, zone] of given.zones.entries()) {
        const isAllowed: boolean = prepared.check(cluster.snapshot.findNode(`n${i}`)!) === undefined;
        assert.equal(isAllowed, zone !== 0 && skewIn(given, zone) <= given.maxSkew);
      }
    }),
    { numRuns: 300 },
  );
});

function clusterOf({ zones, pods }: Layout): TestCluster {
  const cluster = new TestCluster();
  for (const [i, zone] of zones.entries()) cluster.node(`n${i}`, { labels: zone === 0 ? {} : { [ZONE]: `z${zone}` } });
  for (const [i, { node, isWeb, isTerminating }] of pods.entries()) {
    cluster.put(`p${i}`, `n${node}`, { labels: isWeb ? WEB : {}, isTerminating });
  }
  return cluster;
}

function spreadPod({ maxSkew, minDomains, isWeb }: Layout) {
  const labelSelector = { matchLabels: WEB };
  const constraint = { topologyKey: ZONE, maxSkew, minDomains, whenUnsatisfiable: 'DoNotSchedule', labelSelector };
  return { labels: isWeb ? WEB : {}, topologySpreadConstraints: [constraint] };
}

/** From the definition: pods of the zone with the new one, less those of the emptiest zone. */
function skewIn({ zones, pods, minDomains, isWeb }: Layout, zone: number): number {
  const domains = [...new Set(zones.filter((other) => other !== 0))];
  const count = (domain: number) =>
    pods.filter((pod) => pod.isWeb && !pod.isTerminating && zones[pod.node] === domain).length;
  const least = domains.length < minDomains ? 0 : Math.min(...domains.map(count));
  return count(zone) + (isWeb ? 1 : 0) - least;
}

test('an empty selector means the pod itself but counts no others, as upstream', () => {
  const cluster = new TestCluster();
  for (const zone of ['z1', 'z2']) cluster.node(zone, { labels: { [ZONE]: zone } });
  cluster.put('one', 'z1');
  const constraint = { topologyKey: ZONE, maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule', labelSelector: {} };
  const prepared = topologySpread.prepare(
    cluster.classOf({ topologySpreadConstraints: [constraint] }),
    cluster.snapshot,
  );
  assert.ok(prepared.kind === 'check');
  assert.equal(prepared.check(cluster.snapshot.findNode('z1')!), undefined);
});

test('with two constraints, only nodes with both labels make domains', () => {
  const cluster = new TestCluster();
  cluster.node('a', { labels: { [ZONE]: 'z1', rack: 'r1' } });
  cluster.node('b', { labels: { [ZONE]: 'z2' } });
  const labelSelector = { matchLabels: WEB };
  const constraint = (topologyKey: string) => ({
    topologyKey,
    maxSkew: 1,
    whenUnsatisfiable: 'DoNotSchedule',
    labelSelector,
  });
  const topologySpreadConstraints = [constraint(ZONE), constraint('rack')];
  cluster.schedule('one', { labels: WEB, topologySpreadConstraints });
  assert.equal(cluster.schedule('two', { labels: WEB, topologySpreadConstraints }), 'a', 'zone z2 does not count');
});
