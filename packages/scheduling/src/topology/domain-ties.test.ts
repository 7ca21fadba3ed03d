import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CAPACITY_TYPE_LABEL, ZONE_LABEL } from '@karpenter-ts/apis';
import type { Pod, PodSpec } from '@karpenter-ts/kubernetes';
import type { Plan } from '../plan.ts';
import { makeOffering, makePod, makeType } from '../testing/builders.ts';
import { near, podsWith, spreadOver } from '../testing/pod-parts.ts';
import { seededRandom } from '@karpenter-ts/kubernetes/testing';
import { TestEnvironment } from '../testing/test-environment.ts';

type Prices = Readonly<Record<string, Readonly<Record<string, number>>>>;

/** An environment with one type that costs so much by zone and capacity type, and has room for so many pods. */
function environmentOf(prices: Prices, pods = '1') {
  const offerings = Object.entries(prices).flatMap(([zone, byCapacityType]) =>
    Object.entries(byCapacityType).map(([capacityType, price]) => makeOffering(zone, capacityType, price)),
  );
  return new TestEnvironment({
    types: [makeType('one', { capacity: { cpu: '64', memory: '64Gi', pods }, offerings })],
  });
}

/** So many apps of one pod each, with these preferences about pods like it. */
function apps(count: number, preferences: (labels: Readonly<Record<string, string>>) => PodSpec): readonly Pod[] {
  return Array.from({ length: count }, (_, i) => {
    const labels = { app: `app-${i}` };
    return makePod(`app-${i}`, { labels, ...preferences(labels) });
  });
}

const spread = (key: string) => (labels: Readonly<Record<string, string>>) => ({
  topologySpreadConstraints: [spreadOver(key, { labelSelector: { matchLabels: labels } })],
});
const together = (labels: Readonly<Record<string, string>>) => ({ affinity: near(podsWith(ZONE_LABEL, labels)) });

/** How many pods are planned in each domain. */
function domainsOf({ newNodes }: Plan, key: string): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { requirements, pods } of newNodes) {
    const domain = [...requirements.get(key)!.values].join();
    counts[domain] = (counts[domain] ?? 0) + pods.length;
  }
  return counts;
}

const EQUAL = { a: { spot: 1 }, b: { spot: 1 }, c: { spot: 1 } };

for (const [name, preferences] of [
  ['spread over zones', spread(ZONE_LABEL)],
  ['that want to be in one zone with their likes', together],
] as const) {
  test(`300 apps of one pod ${name} use all zones where these cost the same`, () => {
    const counts = domainsOf(environmentOf(EQUAL).plan(...apps(300, preferences)), ZONE_LABEL);
    for (const zone of ['a', 'b', 'c']) assert.ok(counts[zone]! > 75, JSON.stringify(counts));
  });

  test(`apps of one pod ${name} use the zone where a node for them is cheapest`, () => {
    const environment = environmentOf({
      a: { 'on-demand': 2, spot: 1.5 },
      b: { 'on-demand': 2, spot: 1 },
      c: { 'on-demand': 1.2 },
    });
    assert.deepEqual(domainsOf(environment.plan(...apps(30, preferences)), ZONE_LABEL), { b: 30 });
  });
}

test('a spread over capacity types starts with the cheaper, and with the other if that is cheaper', () => {
  const plan = (prices: Prices) =>
    domainsOf(environmentOf(prices).plan(...apps(10, spread(CAPACITY_TYPE_LABEL))), CAPACITY_TYPE_LABEL);
  assert.deepEqual(plan({ a: { 'on-demand': 2, spot: 1 } }), { spot: 10 });
  assert.deepEqual(plan({ a: { 'on-demand': 1, spot: 2 } }), { 'on-demand': 10 });
});

test('the price that decides is that of a type which is large enough', () => {
  const small = makeType('small', {
    capacity: { cpu: '1', memory: '1Gi', pods: '9' },
    offerings: [makeOffering('a', 'spot', 0.01), makeOffering('b', 'spot', 0.02)],
  });
  const large = makeType('large', {
    capacity: { cpu: '8', memory: '8Gi', pods: '9' },
    offerings: [makeOffering('a', 'spot', 0.4), makeOffering('b', 'spot', 0.2)],
  });
  const zoneFor = (cpu: string) => {
    const labels = { app: 'web' };
    const pod = makePod('web', { labels, requests: { cpu }, ...spread(ZONE_LABEL)(labels) });
    return domainsOf(new TestEnvironment({ types: [small, large] }).plan(pod), ZONE_LABEL);
  };
  assert.deepEqual(zoneFor('500m'), { a: 1 });
  assert.deepEqual(zoneFor('4'), { b: 1 });
});

test('which zone an app gets does not depend on the order of pods, types and zones', () => {
  const zoneOf = (plan: Plan) =>
    new Map(
      plan.newNodes.flatMap(({ pods, requirements }) =>
        pods.map(({ pod }) => [pod.metadata.name, [...requirements.get(ZONE_LABEL)!.values].join()] as const),
      ),
    );
  const pods = apps(40, spread(ZONE_LABEL));
  const expected = zoneOf(environmentOf(EQUAL).plan(...pods));
  const shuffled = pods
    .map((pod) => [pod, seededRandom(Number(pod.metadata.name.slice(4))).below(1000)] as const)
    .sort(([, a], [, b]) => a - b)
    .map(([pod]) => pod);
  const found = zoneOf(environmentOf({ c: EQUAL.c, a: EQUAL.a, b: EQUAL.b }).plan(...shuffled));
  for (const [name, zone] of expected) assert.equal(found.get(name), zone);
});
