import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ARCH_LABEL, CAPACITY_TYPE_LABEL, HOSTNAME_LABEL, ZONE_LABEL } from '@karpenter-ts/apis';
import { describeNode } from '../model/nodes/existing-node.ts';
import type { Pod, PodSpec, TopologySpreadConstraint } from '@karpenter-ts/kubernetes';
import type { ExistingNode } from '../snapshot.ts';
import { makeNode, makeOffering, makePod, makePool } from '../testing/builders.ts';
import { fakeType, is } from '../testing/fake-types.ts';
import { APP, near, onNodes, podsWith, preferNodes, spreadOver, where } from '../testing/pod-parts.ts';
import { failureOf, packing, TestEnvironment } from '../testing/test-environment.ts';

const ZONES = ['test-zone-1', 'test-zone-2', 'test-zone-3'] as const;
let serial = 0;

/** `count` pods with these constraints and what else is given. */
function pods(count: number, constraints: readonly TopologySpreadConstraint[], rest: PodSpec = {}): readonly Pod[] {
  return Array.from({ length: count }, () =>
    makePod(`pod-${String(serial++).padStart(4, '0')}`, {
      labels: APP,
      requests: { cpu: '10m' },
      topologySpreadConstraints: constraints,
      ...rest,
    }),
  );
}

/** A node in a zone with so many pods that count. */
function holding(zone: string, count: number, parts: Partial<ExistingNode> = {}): ExistingNode {
  const name = `holding-${serial++}`;
  const labels = { [HOSTNAME_LABEL]: name, [ZONE_LABEL]: zone, ...parts.labels };
  const room = { cpu: '100m', memory: '1Gi', pods: String(count) }; // no room for more
  return makeNode(name, { allocatable: room, ...parts, labels, pods: parts.pods ?? pods(count, []) });
}

const byZone = spreadOver(ZONE_LABEL);
const byHost = spreadOver(HOSTNAME_LABEL);
const limitedTo = (...zones: readonly string[]) => [makePool('default', { requirements: [is(ZONE_LABEL, ...zones)] })];

test('02/83 four pods over three zones, over two, and where the pool has one', () => {
  const counts = (environment: TestEnvironment) => (
    environment.schedule(...pods(4, [byZone])), environment.counts(ZONE_LABEL)
  );
  assert.deepEqual(counts(new TestEnvironment()), [1, 1, 2]);
  assert.deepEqual(counts(new TestEnvironment({ pools: limitedTo('test-zone-1', 'test-zone-2') })), [2, 2]);
  assert.deepEqual(
    counts(new TestEnvironment({ pools: [makePool('default', { labels: { [ZONE_LABEL]: 'test-zone-1' } })] })),
    [4],
  );
});

test('02/84 a zone no node can be bought in holds the others back', () => {
  const environment = new TestEnvironment({
    pools: limitedTo('test-zone-1', 'test-zone-2'),
    nodes: [holding('test-zone-3', 1)],
  });
  const plan = environment.schedule(...pods(6, [byZone]));
  assert.deepEqual(environment.counts(ZONE_LABEL), [1, 2, 2]);
  assert.equal(plan.unschedulable.length, 2);
});

test('02/85 where the skew is broken already, new pods fill the empty zones first', () => {
  const environment = new TestEnvironment({ nodes: [holding('test-zone-1', 3)] });
  environment.schedule(...pods(4, [byZone]));
  assert.deepEqual(environment.counts(ZONE_LABEL), [2, 2, 3]);
});

test('02/86 fewer domains than minDomains hold at one pod each; enough of them fill up', () => {
  const few = new TestEnvironment({ pools: limitedTo('test-zone-1', 'test-zone-2') });
  few.schedule(...pods(3, [spreadOver(ZONE_LABEL, { minDomains: 3 })]));
  assert.deepEqual(few.counts(ZONE_LABEL), [1, 1]);
  const enough = new TestEnvironment();
  enough.schedule(...pods(11, [spreadOver(ZONE_LABEL, { minDomains: 3 })]));
  assert.deepEqual(enough.counts(ZONE_LABEL), [3, 4, 4]);
});

test('02/87 a label nobody has cannot be spread over; without a selector nothing is spread', () => {
  const [unknown] = pods(1, [spreadOver('unknown')]);
  assert.equal(new TestEnvironment().plan(unknown!).newNodes.length, 0);
  const { labelSelector: _, ...blind } = byZone;
  assert.deepEqual(packing(new TestEnvironment().plan(...pods(4, [blind]))), [4]);
});

test('02/88 pods that are pending, done, terminating, elsewhere, unlabelled or nowhere do not count', () => {
  const counted = makePod('there', { labels: APP });
  const terminating = { ...counted, metadata: { ...counted.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
  const zoneOf = (pods: readonly Pod[], node: Partial<ExistingNode> = {}) => {
    const labels = { [HOSTNAME_LABEL]: 'n', [ZONE_LABEL]: first };
    const environment = new TestEnvironment({
      nodes: [makeNode('n', { labels, pods, allocatable: { pods: '1' }, ...node })],
    });
    const [pod] = pods1();
    environment.schedule(pod!);
    return environment.nodeOf(pod!)!.labels[ZONE_LABEL];
  };
  const alone = new TestEnvironment();
  const [free] = pods1();
  alone.schedule(free!);
  const first = alone.nodeOf(free!)!.labels[ZONE_LABEL]!; // of zones that are empty alike
  assert.notEqual(zoneOf([counted]), first);
  for (const uncounted of [terminating, makePod('there', { labels: APP, namespace: 'other' }), makePod('there')]) {
    assert.equal(zoneOf([uncounted], { initialized: false }), first);
  }
  assert.equal(zoneOf([counted], { labels: { [HOSTNAME_LABEL]: 'n' } }), first);
  assert.equal(zoneOf([counted], { node: undefined }), first);
  for (const phase of ['Failed', 'Succeeded']) {
    const node = { metadata: { name: 'n', labels: { [ZONE_LABEL]: 'test-zone-1' } } };
    assert.deepEqual(describeNode({ node, pods: [{ ...counted, status: { phase } }] }).pods, []);
  }
});

test('02/89 a host spread that does not select the pod itself puts all on one node', () => {
  const others = spreadOver(HOSTNAME_LABEL, { labelSelector: { matchLabels: { app: 'other' } } });
  assert.deepEqual(packing(new TestEnvironment().plan(...pods(4, [others]))), [4]);
});

test('02/90 a host spread of skew 1 takes a node per pod, of skew 4 one for four', () => {
  assert.deepEqual(packing(new TestEnvironment().plan(...pods(4, [byHost]))), [1, 1, 1, 1]);
  assert.deepEqual(packing(new TestEnvironment().plan(...pods(4, [spreadOver(HOSTNAME_LABEL, { maxSkew: 4 })]))), [4]);
});

test('a node without the label is the host of its own name, to hold pods as well as to count them', () => {
  const unlabelled = (name: string, count: number) => {
    const labels = { [ZONE_LABEL]: 'test-zone-1' };
    return makeNode(name, { labels, node: { labels, taints: [] }, pods: pods(count, []) });
  };
  const withoutHostname = [unlabelled('a', 1), unlabelled('b', 0)].map(({ labels, ...node }) => {
    const { [HOSTNAME_LABEL]: _, ...rest } = labels;
    return { ...node, labels: rest };
  });
  const plan = new TestEnvironment({ nodes: withoutHostname }).plan(...pods(1, [byHost]));
  assert.deepEqual(
    plan.existingNodes.map(({ node }) => node),
    ['b'],
  );
});

test('nodes that claim one hostname are one host, and do not confuse which node is which', () => {
  const named = (name: string, hostname: string, parts: Partial<ExistingNode> = {}) =>
    makeNode(name, { labels: { [HOSTNAME_LABEL]: hostname }, ...parts });
  const full = named('a', 'same', { allocatable: { pods: '0' } });
  const free = [named('b', 'same'), named('c', 'other', { pods: pods(1, []) })];
  const nodeFor = (pod: Pod) => new TestEnvironment({ nodes: [full, ...free] }).plan(pod).existingNodes[0]?.node;
  assert.equal(nodeFor(pods(1, [byHost])[0]!), 'b');
  assert.equal(nodeFor(pods(1, [], { nodeSelector: { [HOSTNAME_LABEL]: 'other' } })[0]!), 'c');
});

test('02/91 02/170 capacity types and architectures are domains like any other', () => {
  const counts = (key: string) => {
    const environment = new TestEnvironment();
    environment.schedule(...pods(4, [spreadOver(key)]));
    return environment.counts(key);
  };
  assert.deepEqual(counts(CAPACITY_TYPE_LABEL), [2, 2]);
  assert.deepEqual(counts(ARCH_LABEL), [2, 2]);
  const onDemandOnly = (whenUnsatisfiable: string) => {
    const spot = { [CAPACITY_TYPE_LABEL]: 'spot' };
    const pools = [makePool('default', { requirements: [is(CAPACITY_TYPE_LABEL, 'on-demand')] })];
    const environment = new TestEnvironment({ pools, nodes: [holding('test-zone-1', 1, { labels: spot })] });
    environment.schedule(...pods(5, [spreadOver(CAPACITY_TYPE_LABEL, { whenUnsatisfiable })]));
    return environment.counts(CAPACITY_TYPE_LABEL);
  };
  assert.deepEqual(onDemandOnly('DoNotSchedule'), [1, 2]);
  assert.deepEqual(onDemandOnly('ScheduleAnyway'), [1, 5]);
});

test('02/92 a label of the pools is a domain, and its values bring their capacity types', () => {
  const pools = [
    makePool('spot', { requirements: [is('share', '2', '3', '4', '5'), is(CAPACITY_TYPE_LABEL, 'spot')] }),
    makePool('on-demand', { requirements: [is('share', '1'), is(CAPACITY_TYPE_LABEL, 'on-demand')] }),
  ];
  const environment = new TestEnvironment({ pools });
  environment.schedule(...pods(20, [spreadOver('share')]));
  assert.deepEqual(environment.counts('share'), [4, 4, 4, 4, 4]);
  assert.deepEqual(environment.counts(CAPACITY_TYPE_LABEL), [4, 16]);
});

test('02/93 matchLabelKeys spread revisions apart from each other', () => {
  const revisions = ['one', 'one', 'two', 'two'].map((revision, i) =>
    makePod(`pod-${i}`, {
      labels: { ...APP, revision },
      topologySpreadConstraints: [{ ...byHost, matchLabelKeys: ['revision', 'unknown'] }],
    }),
  );
  const plan = new TestEnvironment().plan(...revisions);
  assert.deepEqual(packing(plan), [2, 2]);
  for (const { pods: placed } of plan.newNodes) {
    assert.deepEqual(new Set(placed.map(({ pod }) => pod.metadata.labels!['revision'])), new Set(['one', 'two']));
    assert.equal(placed.length, 2);
  }
  const injected = { matchLabels: APP, matchExpressions: [{ key: 'revision', operator: 'In', values: ['one'] }] };
  const twice = revisions.slice(0, 2).map((pod, i) => ({
    ...pod,
    spec: {
      ...pod.spec,
      topologySpreadConstraints: [
        { ...byHost, labelSelector: i ? injected : { matchLabels: APP }, matchLabelKeys: ['revision'] },
      ],
    },
  }));
  assert.deepEqual(packing(new TestEnvironment().plan(...twice)), [1, 1]);
});

test('a pod that its own spread does not select may be where one that it does may not', () => {
  const nodes = [holding('test-zone-1', 1), holding('test-zone-2', 0)];
  const isPlaced = (labels: Readonly<Record<string, string>>) => {
    const pod = makePod('a', { labels, topologySpreadConstraints: [byZone] });
    return new TestEnvironment({ pools: limitedTo('test-zone-1'), nodes }).plan(pod).unschedulable.length === 0;
  };
  assert.equal(isPlaced({ app: 'other' }), true); // there is one more than in the other zone, and it adds none
  assert.equal(isPlaced(APP), false);
});

test('a host takes a pod that its own spread does not select up to the skew itself, not beyond', () => {
  const constraints = [spreadOver(HOSTNAME_LABEL, { maxSkew: 2 })];
  const isPlacedBeside = (count: number) => {
    const node = makeNode('n', { labels: { [HOSTNAME_LABEL]: 'n' }, pods: pods(count, []) });
    const plan = new TestEnvironment({ nodes: [node] }).plan(makePod('a', { topologySpreadConstraints: constraints }));
    return plan.existingNodes.length === 1;
  };
  assert.deepEqual([0, 1, 2, 3].map(isPlacedBeside), [true, true, true, false]);
});

test('02/167 a skew of five lets one zone run ahead by five', () => {
  const nodes = [holding('test-zone-1', 1), holding('test-zone-2', 1)];
  const environment = new TestEnvironment({ pools: limitedTo('test-zone-3'), nodes });
  environment.schedule(...pods(10, [spreadOver(ZONE_LABEL, { maxSkew: 5 })]));
  assert.deepEqual(environment.counts(ZONE_LABEL), [1, 1, 6]);
});

test('02/168 a zone whose pool has reached its limit is still one that must not be left behind', () => {
  const pools = [
    makePool('open', { requirements: [is(ZONE_LABEL, 'test-zone-1', 'test-zone-2')] }),
    makePool('full', { requirements: [is(ZONE_LABEL, 'test-zone-3')], limits: { cpu: '0' } }),
  ];
  const environment = new TestEnvironment({ pools });
  const plan = environment.schedule(...pods(10, [byZone]));
  assert.deepEqual(environment.counts(ZONE_LABEL), [1, 1]);
  assert.equal(plan.unschedulable.length, 8);
});

test('02/169 two pools with a zone each share the pods', () => {
  const pools = ['test-zone-1', 'test-zone-2'].map((zone) => makePool(zone, { labels: { [ZONE_LABEL]: zone } }));
  const environment = new TestEnvironment({ pools });
  environment.schedule(...pods4());
  assert.deepEqual(environment.counts(ZONE_LABEL), [2, 2]);
});

test('02/172 selectors and required zones narrow the domains, preferred ones do not', () => {
  const fixed = new TestEnvironment();
  fixed.schedule(
    ...pods(5, [byZone], { nodeSelector: { [ZONE_LABEL]: 'test-zone-1' } }),
    ...pods(10, [byZone], { nodeSelector: { [ZONE_LABEL]: 'test-zone-2' } }),
  );
  assert.deepEqual(fixed.counts(ZONE_LABEL), [5, 10]);
  const zones = (...names: readonly string[]) => onNodes([where(ZONE_LABEL, 'In', ...names)]);
  const environment = new TestEnvironment();
  environment.schedule(...pods(10, [byZone], { affinity: zones('test-zone-1', 'test-zone-2') }));
  assert.deepEqual(environment.counts(ZONE_LABEL), [5, 5]);
  const grown = new TestEnvironment();
  grown.schedule(...pods(6, [byZone], { affinity: zones('test-zone-1', 'test-zone-2') }));
  grown.schedule(...pods(1, [byZone], { affinity: zones('test-zone-2', 'test-zone-3') }));
  assert.equal(grown.domains(ZONE_LABEL).get('test-zone-3'), 1);
  grown.schedule(...pods(5, [byZone]));
  assert.deepEqual(grown.counts(ZONE_LABEL), [4, 4, 4]);
  const preferring = new TestEnvironment();
  const affinity = preferNodes([1, where(ZONE_LABEL, 'In', 'test-zone-1', 'test-zone-2')]);
  preferring.schedule(...pods(6, [byZone], { affinity }));
  assert.deepEqual(preferring.counts(ZONE_LABEL), [2, 2, 2]);
});

test('02/143 batches go on where the last one left off', () => {
  const environment = new TestEnvironment();
  environment.schedule(...pods(4, [byZone]));
  assert.deepEqual(environment.counts(ZONE_LABEL), [1, 1, 2]);
  const plan = environment.schedule(...pods(5, [byZone]));
  assert.deepEqual(environment.counts(ZONE_LABEL), [3, 3, 3]);
  assert.equal(plan.newNodes.length, 0);
  const hosts = new TestEnvironment();
  hosts.schedule(...pods(4, [byHost]));
  hosts.schedule(...pods(5, [byHost]));
  assert.equal(hosts.snapshot.nodes.length, 9);
});

test('02/173 zone, host and capacity type together stay within all their skews in every batch', () => {
  const environment = new TestEnvironment();
  const expected = [
    [1, 1],
    [1, 2, 2],
    [3, 3, 4],
    [7, 7, 7],
  ];
  for (const [i, size] of [2, 3, 5, 11].entries()) {
    environment.schedule(...pods(size, [byZone, spreadOver(HOSTNAME_LABEL, { maxSkew: 3 })]));
    assert.deepEqual(environment.counts(ZONE_LABEL), expected[i]);
    assert.ok(environment.counts(HOSTNAME_LABEL).every((count) => count <= 3));
  }
  const pairs = ZONES.flatMap((zone) => ['spot', 'on-demand'].map((kind) => makeOffering(zone, kind, 1)));
  for (let size = 1; size < 15; size++) {
    const all = new TestEnvironment({ types: [fakeType('everywhere', { offerings: pairs })] });
    const plan = all.schedule(
      ...pods(size, [spreadOver(CAPACITY_TYPE_LABEL), byZone, spreadOver(HOSTNAME_LABEL, { maxSkew: 3 })]),
    );
    assert.deepEqual(plan.unschedulable, [], `batch of ${size}`);
    assert.ok(skewOf(all.counts(ZONE_LABEL), 3) <= 1);
    assert.ok(skewOf(all.counts(CAPACITY_TYPE_LABEL), 2) <= 1);
  }
});

test('02/174 deployments spread by themselves share nodes, unless their architectures differ', () => {
  const two = (app: string, rest: PodSpec = {}) =>
    [0, 1].map((i) =>
      makePod(`${app}-${i}`, {
        labels: { app },
        topologySpreadConstraints: [spreadOver(HOSTNAME_LABEL, { labelSelector: { matchLabels: { app } } })],
        ...rest,
      }),
    );
  assert.equal(new TestEnvironment().plan(...two('a'), ...two('b')).newNodes.length, 2);
  const arch = (value: string) => ({ nodeSelector: { [ARCH_LABEL]: value } });
  assert.equal(new TestEnvironment().plan(...two('a', arch('amd64')), ...two('b', arch('arm64'))).newNodes.length, 4);
});

test('02/177 a selector that makes no sense selects nobody; empty lists of affinity ask nothing', () => {
  const senseless = spreadOver(ZONE_LABEL, {
    labelSelector: { matchExpressions: [{ key: 'app', operator: 'In', values: [] }] },
  });
  assert.deepEqual(packing(new TestEnvironment().plan(...pods(4, [senseless]))), [4]);
  const none = {
    requiredDuringSchedulingIgnoredDuringExecution: [],
    preferredDuringSchedulingIgnoredDuringExecution: [],
  };
  const empty = makePod('a', {
    affinity: {
      podAffinity: none,
      podAntiAffinity: none,
      nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] },
    },
  });
  assert.deepEqual(packing(new TestEnvironment().plan(empty)), [1]);
});

test('a topology key by its old name is the new one', () => {
  const old = 'failure-domain.beta.kubernetes.io/zone';
  const environment = new TestEnvironment();
  environment.schedule(...pods(3, [spreadOver(old)]));
  assert.deepEqual(environment.counts(ZONE_LABEL), [1, 1, 1]);
});

test('rules on one key agree on a domain: a spread follows an affinity, and two spreads each other', () => {
  const leader = makePod('leader', { labels: { role: 'leader' }, nodeSelector: { [ZONE_LABEL]: 'test-zone-3' } });
  const affinity = near(podsWith(ZONE_LABEL, { role: 'leader' }));
  const environment = new TestEnvironment();
  assert.deepEqual(environment.schedule(leader, ...pods(1, [byZone], { affinity })).unschedulable, []);
  assert.deepEqual([...environment.domains(ZONE_LABEL).keys()], ['test-zone-3']);
  const others = [
    holding('test-zone-1', 1),
    holding('test-zone-2', 1, { pods: [makePod('b', { labels: { app: 'b' } })] }),
  ];
  const both = [byZone, spreadOver(ZONE_LABEL, { labelSelector: { matchLabels: { app: 'b' } } })];
  const crossed = new TestEnvironment({ nodes: others });
  const [pod] = pods(1, both);
  assert.deepEqual(
    crossed.schedule({ ...pod!, metadata: { ...pod!.metadata, labels: { app: 'test' } } }).unschedulable,
    [],
  );
  assert.equal(crossed.nodeOf(pod!)!.labels[ZONE_LABEL], 'test-zone-3');
});

test('a spread tries another zone when the emptiest has no type for the pod', () => {
  const types = [
    fakeType('one', {
      offerings: [makeOffering('test-zone-1', 'on-demand', 1), makeOffering('test-zone-2', 'on-demand', 1)],
    }),
    fakeType('gpu', {
      resources: { 'fake.com/vendor-a': '8' },
      offerings: [makeOffering('test-zone-2', 'on-demand', 1)],
    }),
  ];
  const environment = new TestEnvironment({ types });
  const plan = environment.schedule(
    ...pods(1, [byZone], { containers: [{ resources: { requests: { 'fake.com/vendor-a': '1' } } }] }),
  );
  assert.deepEqual(plan.unschedulable, []);
  assert.deepEqual([...environment.domains(ZONE_LABEL).keys()], ['test-zone-2']);
});

test('a refusal names the rule, the counts and the domains, as upstream does', () => {
  const nodes = [holding('test-zone-1', 2)];
  const [pod] = pods(1, [byZone], { nodeSelector: { [ZONE_LABEL]: 'test-zone-1' } });
  const [other] = pods(1, [spreadOver('unknown')]);
  const environment = new TestEnvironment({ nodes, pools: limitedTo('test-zone-1', 'test-zone-2') });
  assert.equal(
    failureOf(environment.plan(other!), other!),
    'unsatisfiable topology constraint for topology spread, key=unknown (counts = , podDomains = unknown Exists, nodeDomains = unknown Exists',
  );
  assert.deepEqual(environment.plan(pod!).unschedulable, []); // its own selector leaves one zone, which is as full as it may be
});

function pods1(): readonly Pod[] {
  return pods(1, [byZone]);
}

function pods4(): readonly Pod[] {
  return pods(4, [byZone]);
}

function skewOf(counts: readonly number[], domains: number): number {
  return Math.max(...counts) - (counts.length < domains ? 0 : Math.min(...counts));
}
