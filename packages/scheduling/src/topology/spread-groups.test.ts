// Which pods a spread constraint counts, and against which domains: what the kube-scheduler will say when they are bound.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOSTNAME_LABEL, ZONE_LABEL } from '@karpenter-ts/apis';
import type { PodSpec } from '@karpenter-ts/kubernetes';
import type { Plan } from '../plan.ts';
import { makeNode, makeOffering, makePod, makePool, makeType } from '../testing/builders.ts';
import { is } from '../testing/fake-types.ts';
import { APP, onNodes, spreadOver, where } from '../testing/pod-parts.ts';
import { valuesOf, TestEnvironment } from '../testing/test-environment.ts';

const TYPES = [
  makeType('m', {
    capacity: { cpu: '16', memory: '64Gi', pods: '110' },
    offerings: ['a', 'b'].map((zone) => makeOffering(zone, 'on-demand', 0.4)),
  }),
];

const asking = (name: string, cpu: string, rest: PodSpec = {}) =>
  makePod(name, { labels: APP, requests: { cpu }, ...rest });
const inZone = (zone: string) => ({ nodeSelector: { [ZONE_LABEL]: zone } });
const filler = (cpu: string, zone: string) => makePod('filler', { requests: { cpu }, ...inZone(zone) });

/** By zone: how many pods labelled `APP` are planned there. */
function spreadOf({ newNodes, existingNodes }: Plan, zoneOf: Readonly<Record<string, string>> = {}) {
  const counts: Record<string, number> = {};
  const add = (zone: string, pods: Plan['newNodes'][number]['pods']) => {
    const matching = pods.filter(({ pod }) => pod.metadata.labels?.['app'] === APP['app']).length;
    if (matching > 0) counts[zone] = (counts[zone] ?? 0) + matching;
  };
  for (const node of newNodes) add(valuesOf(node, ZONE_LABEL)!.join(), node.pods);
  for (const { node, pods } of existingNodes) add(zoneOf[node]!, pods);
  return counts;
}

test('pods of one app that may run in different zones are spread over the hosts of their own', () => {
  const topologySpreadConstraints = [spreadOver(HOSTNAME_LABEL)];
  const pods = ['a', 'b'].flatMap((zone) =>
    [0, 1, 2, 3].map((i) =>
      asking(`${zone}-${i}`, zone === 'a' ? '3' : '2900m', { ...inZone(zone), topologySpreadConstraints }),
    ),
  );
  const { newNodes, unschedulable } = new TestEnvironment({ types: TYPES }).plan(filler('15', 'b'), ...pods);
  assert.deepEqual(unschedulable, []);
  assert.ok(newNodes.every((node) => node.pods.length === 1));
});

test('each pod is held to its own minDomains, whoever came first', () => {
  const spread = (minDomains?: number) => ({
    topologySpreadConstraints: [spreadOver(ZONE_LABEL, minDomains === undefined ? {} : { minDomains })],
  });
  const free = ['x0', 'x1'].map((name) => asking(name, '2', spread()));
  const bound = ['y0', 'y1', 'y2'].map((name) => asking(name, '1', spread(3)));
  const { unschedulable } = new TestEnvironment({ types: TYPES }).plan(...free, ...bound);
  assert.deepEqual(unschedulable.map(({ pod }) => pod.metadata.name).sort(), ['y0', 'y1', 'y2']);
  const larger = ['y0', 'y1', 'y2'].map((name) => asking(name, '3', spread(3)));
  const names = new TestEnvironment({ types: TYPES })
    .plan(...free, ...larger)
    .unschedulable.map(({ pod }) => pod.metadata.name);
  assert.deepEqual(names, ['y2']); // one a zone, and the others beside them
});

const SOFT = [
  makePool('p-a', { requirements: [is(ZONE_LABEL, 'a')] }),
  makePool('p-b', {
    requirements: [is(ZONE_LABEL, 'b')],
    taints: [{ key: 'soft', value: '1', effect: 'PreferNoSchedule' }],
    limits: { cpu: '16' },
  }),
];

test('a pod that comes to tolerate a taint is still counted with those before it', () => {
  for (const nodeTaintsPolicy of ['Ignore', 'Honor']) {
    const topologySpreadConstraints = [spreadOver(ZONE_LABEL, { nodeTaintsPolicy })];
    const pods = [0, 1, 2, 3].map((i) => asking(`x${i}`, '1', { topologySpreadConstraints }));
    const plan = new TestEnvironment({ types: TYPES, pools: SOFT }).plan(filler('15500m', 'b'), ...pods);
    assert.deepEqual(spreadOf(plan), { a: 1 });
    assert.equal(plan.unschedulable.length, 3);
  }
});

test('a pod that comes to another alternative of its node affinity is still counted with those before it', () => {
  const affinity = onNodes([where(ZONE_LABEL, 'In', 'a')], [where(ZONE_LABEL, 'In', 'b')]);
  const pods = [0, 1, 2, 3].map((i) =>
    asking(`x${i}`, '1', { affinity, topologySpreadConstraints: [spreadOver(ZONE_LABEL)] }),
  );
  const nodes = ['a', 'b'].map((zone) =>
    makeNode(zone, { labels: { [ZONE_LABEL]: zone }, allocatable: { cpu: '16', pods: '3' } }),
  );
  const plan = new TestEnvironment({ types: TYPES, nodes }).plan(...pods);
  assert.deepEqual(spreadOf(plan, { a: 'a', b: 'b' }), { a: 2, b: 2 });
});

test('a zone with nodes that the policy makes count is not outdone, though the pod cannot go there', () => {
  const placed = (nodeAffinityPolicy: string, zones: readonly string[]) => {
    const topologySpreadConstraints = [spreadOver(ZONE_LABEL, { nodeAffinityPolicy })];
    const pods = [0, 1, 2].map((i) => asking(`x${i}`, '1', { ...inZone('a'), topologySpreadConstraints }));
    const nodes = zones.map((zone) =>
      makeNode(zone, { labels: { [ZONE_LABEL]: zone }, allocatable: { cpu: '16', pods: '9' } }),
    );
    return 3 - new TestEnvironment({ types: TYPES, nodes }).plan(...pods).unschedulable.length;
  };
  assert.equal(placed('Ignore', ['a', 'b']), 1);
  assert.equal(placed('Honor', ['a', 'b']), 3);
  assert.equal(placed('Ignore', ['a']), 3); // no scheduler knows a zone without nodes
});

test('a node without the topology key of another hard constraint counts for none of them', () => {
  // The kube-scheduler looks at nodes with all topology keys only, so the crowd on the node without a rack is not there.
  const crowd = Array.from({ length: 5 }, (_, i) => asking(`crowd-${i}`, '100m'));
  const nodes = [
    makeNode('in-a', { labels: { [ZONE_LABEL]: 'a' }, pods: crowd }),
    makeNode('in-b', { labels: { [ZONE_LABEL]: 'b', rack: 'r1' }, pods: [asking('there', '100m')] }),
  ];
  const pools = [makePool('racks', { requirements: [is(ZONE_LABEL, 'a'), is('rack', 'r1')] })];
  const topologySpreadConstraints = [spreadOver(ZONE_LABEL), spreadOver('rack', { maxSkew: 9 })];
  const { newNodes } = new TestEnvironment({ types: TYPES, pools, nodes }).plan(
    asking('p', '1', { topologySpreadConstraints }),
  );
  assert.deepEqual(
    newNodes.map((node) => valuesOf(node, ZONE_LABEL)),
    [['a']],
  );
});

test('a zone that other pods of the run may have nodes in is not outdone, though the pod cannot go there', () => {
  const placed = (nodeAffinityPolicy: string, zone: string) => {
    const topologySpreadConstraints = [spreadOver(ZONE_LABEL, { nodeAffinityPolicy })];
    const pods = [0, 1, 2].map((i) => asking(`x${i}`, '4', { ...inZone('a'), topologySpreadConstraints }));
    const plan = new TestEnvironment({ types: TYPES }).plan(
      ...pods,
      makePod('later', { requests: { cpu: '1' }, ...inZone(zone) }),
    );
    return spreadOf(plan);
  };
  assert.deepEqual(placed('Ignore', 'b'), { a: 1 });
  assert.deepEqual(placed('Honor', 'b'), { a: 3 });
  assert.deepEqual(placed('Ignore', 'a'), { a: 3 }); // nobody buys a node in zone b
});

test('the domain of an alternative that other pods of the run may have nodes in is not outdone', () => {
  const affinity = onNodes([where(ZONE_LABEL, 'In', 'a')], [where(ZONE_LABEL, 'In', 'b')]);
  const pods = [0, 1, 2, 3].map((i) =>
    asking(`x${i}`, '4', { affinity, topologySpreadConstraints: [spreadOver(ZONE_LABEL)] }),
  );
  const plan = new TestEnvironment({ types: TYPES }).plan(
    ...pods,
    makePod('later', { requests: { cpu: '1' }, ...inZone('b') }),
  );
  assert.deepEqual(spreadOf(plan), { a: 2, b: 2 });
});
