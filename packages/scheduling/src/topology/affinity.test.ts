import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ARCH_LABEL, HOSTNAME_LABEL, ZONE_LABEL } from '@karpenter-ts/apis';
import type { Pod, PodAffinityTerm, PodSpec } from '@karpenter-ts/kubernetes';
import { makeNode, makePod, makePool } from '../testing/builders.ts';
import { fakeType } from '../testing/fake-types.ts';
import { APP, away, near, onNodes, podsWith, preferAway, preferNear, spreadOver, where } from '../testing/pod-parts.ts';
import { failureOf, packing, valuesOf, TestEnvironment } from '../testing/test-environment.ts';

type Labels = Readonly<Record<string, string>>;
const ZONES = ['test-zone-1', 'test-zone-2', 'test-zone-3'];
const at = (zone: string): PodSpec => ({ nodeSelector: { [ZONE_LABEL]: zone } });
const labelled = (name: string, labels: Labels, rest: PodSpec = {}) =>
  makePod(name, { labels, requests: { cpu: '10m' }, ...rest });
const many = (count: number, rest: PodSpec, labels: Labels = APP) =>
  Array.from({ length: count }, (_, i) => labelled(`pod-${String(i).padStart(2, '0')}`, labels, rest));
const inZone = (zone: string, pods: readonly Pod[], name = `in-${zone}`) =>
  makeNode(name, {
    labels: { [ZONE_LABEL]: zone, [HOSTNAME_LABEL]: name },
    pods,
    allocatable: { cpu: '1m', pods: String(pods.length) }, // no room for more
  });

test('02/40 a chain of affinities within a batch ends on one node, whatever the order', () => {
  const follows = (name: string, other?: string) =>
    makePod(name, {
      labels: { role: name },
      ...(other && { affinity: near(podsWith(HOSTNAME_LABEL, { role: other })) }),
    });
  const chain = [follows('ui', 'cache'), follows('cache', 'web'), follows('web', 'db'), follows('db')];
  for (const order of [chain, chain.toReversed()]) {
    const named = order.map((pod, i) => ({ ...pod, metadata: { ...pod.metadata, uid: String(i) } }));
    assert.deepEqual(packing(new TestEnvironment().plan(...named)), [4]);
  }
});

test('02/41 affinity to a pod that is nowhere fails, and planning ends', () => {
  const pod = makePod('a', { affinity: near(podsWith(HOSTNAME_LABEL, { app: 'nowhere' })) });
  const plan = new TestEnvironment().plan(pod, makePod('b'));
  assert.equal(plan.unschedulable.length, 1);
  assert.match(
    failureOf(plan, pod)!,
    /^unsatisfiable topology constraint for pod affinity, key=kubernetes.io\/hostname /,
  );
});

test('02/96 pods that must share a host fill one node; the others never find a place', () => {
  const together = { affinity: near(podsWith(HOSTNAME_LABEL)) };
  const environment = new TestEnvironment({ types: [fakeType('five')] });
  const plan = environment.schedule(...many(10, together));
  assert.deepEqual(packing(plan), [5]);
  assert.equal(plan.unschedulable.length, 5);
  assert.equal(environment.plan(...many(10, together).slice(5)).unschedulable.length, 5);
});

test('a pod that must be near its like where none is has no place while one runs elsewhere', () => {
  const nodes = [makeNode('a', { pods: [labelled('there', APP)] }), makeNode('b')];
  const affinity = near(podsWith(HOSTNAME_LABEL));
  const nodeFor = (spec: PodSpec) =>
    new TestEnvironment({ nodes }).plan(labelled('pod', APP, { affinity, ...spec })).existingNodes[0]?.node;
  assert.equal(nodeFor({}), 'a');
  assert.equal(nodeFor({ nodeSelector: { [HOSTNAME_LABEL]: 'a' } }), 'a');
  assert.equal(nodeFor({ nodeSelector: { [HOSTNAME_LABEL]: 'b' } }), undefined);
  const placed = (on: ReturnType<typeof makeNode>) =>
    new TestEnvironment({ nodes: [on] }).plan(
      labelled('pod', APP, { affinity: near(podsWith(ZONE_LABEL)), ...at('test-zone-1') }),
    ).newNodes.length;
  assert.equal(placed(inZone('test-zone-1', [labelled('there', APP)])), 1);
  assert.equal(placed(inZone('test-zone-2', [labelled('there', APP)])), 0);
  assert.equal(placed(inZone('test-zone-2', [])), 1);
});

test('02/97 pods that must share a zone but may not be in the same get a zone each', () => {
  const together = near(podsWith(ZONE_LABEL));
  const plan = new TestEnvironment().plan(
    labelled('a', APP, { affinity: together, ...at('test-zone-1') }),
    labelled('b', APP, { affinity: together, ...at('test-zone-2') }),
  );
  assert.deepEqual(
    plan.newNodes.map((node) => valuesOf(node, ZONE_LABEL)),
    [['test-zone-1'], ['test-zone-2']],
  );
});

test('02/98 pods that keep apart by zone get one zone per pass until there is none', () => {
  const apart = many(4, { affinity: away(podsWith(ZONE_LABEL)) });
  const environment = new TestEnvironment();
  let waiting: readonly Pod[] = apart;
  for (const left of [3, 2, 1, 1]) {
    const plan = environment.schedule(...waiting);
    waiting = plan.unschedulable.map(({ pod }) => pod);
    assert.equal(waiting.length, left);
  }
  assert.deepEqual(environment.counts(ZONE_LABEL), [1, 1, 1]);
});

test('02/99 pods that want no company keep others away too; those that would rather not do not', () => {
  const selected = makePod('selected', { labels: APP });
  const plan = (affinity: PodSpec) =>
    new TestEnvironment({
      nodes: ZONES.map((zone) => inZone(zone, [labelled(`anti-affine-${zone}`, { role: 'anti-affine' }, affinity)])),
    }).plan(selected);
  assert.equal(plan({ affinity: away(podsWith(ZONE_LABEL)) }).newNodes.length, 0);
  assert.equal(plan({ affinity: preferAway(podsWith(ZONE_LABEL)) }).newNodes.length, 1);
  const inverseAntiAffinity = ZONES.map((zone) =>
    labelled(`g-${zone}`, { role: 'anti-affine' }, { affinity: away(podsWith(ZONE_LABEL)), ...at(zone) }),
  );
  assert.equal(
    failureOf(new TestEnvironment().plan(...inverseAntiAffinity, makePod('selected', { labels: APP })), selected) ===
      undefined,
    false,
  );
});

test('02/100 a pod that keeps away from one whose zone is open waits, then lands elsewhere', () => {
  const environment = new TestEnvironment();
  const antiAffine = labelled(
    'anti-affine',
    { role: 'anti-affine' },
    { affinity: away(podsWith(ZONE_LABEL)), containers: [{ resources: { requests: { cpu: '2' } } }] },
  );
  const target = labelled('target', APP);
  const first = environment.schedule(antiAffine, target);
  assert.deepEqual(
    first.unschedulable.map(({ pod }) => pod.metadata.name),
    ['target'],
  );
  assert.deepEqual(environment.schedule(target).unschedulable, []);
  assert.notEqual(environment.nodeOf(target)!.labels[ZONE_LABEL], environment.nodeOf(antiAffine)!.labels[ZONE_LABEL]);
});

test('02/101 followers of a pod whose zone is open wait one pass; of one that is pinned they do not', () => {
  const follower = labelled('follower', { role: 'follower' }, { affinity: near(podsWith(ZONE_LABEL)) });
  const large = { containers: [{ resources: { requests: { cpu: '3' } } }] };
  const environment = new TestEnvironment();
  const target = labelled('target', APP, large);
  assert.equal(environment.schedule(target, follower).unschedulable.length, 1);
  assert.deepEqual(environment.schedule(follower).unschedulable, []);
  assert.equal(environment.nodeOf(follower)!.labels[ZONE_LABEL], environment.nodeOf(target)!.labels[ZONE_LABEL]);
  const pinned = labelled('target', APP, { ...large, ...at('test-zone-2') });
  assert.deepEqual(new TestEnvironment().plan(pinned, follower).unschedulable, []);
});

test('02/102 affinity looks into its own namespace, those listed, or those selected', () => {
  const target = makePod('target', { labels: APP, namespace: 'other', ...at('test-zone-2') });
  const follower = (rest: Parameters<typeof podsWith>[2]) =>
    labelled('follower', {}, { affinity: near(podsWith(ZONE_LABEL, APP, rest)) });
  const namespaces = [
    { name: 'default', labels: {} },
    { name: 'other', labels: { team: 'x' } },
  ];
  const isPlaced = (pod: Pod) => new TestEnvironment({ namespaces }).plan(target, pod).unschedulable.length === 0;
  assert.equal(isPlaced(follower({})), false);
  assert.equal(isPlaced(follower({ namespaces: ['other'] })), true);
  assert.equal(isPlaced(follower({ namespaceSelector: {} })), true);
  assert.equal(isPlaced(follower({ namespaceSelector: { matchLabels: { team: 'x' } } })), true);
  assert.equal(isPlaced(follower({ namespaceSelector: { matchLabels: { team: 'y' } } })), false);
});

test('a namespace nobody listed is known by its name, and those listed add to those selected', () => {
  const target = makePod('target', { labels: APP, namespace: 'other', ...at('test-zone-2') });
  const isPlaced = (rest: Parameters<typeof podsWith>[2]) => {
    const pod = labelled('follower', {}, { affinity: near(podsWith(ZONE_LABEL, APP, rest)) });
    return new TestEnvironment().plan(target, pod).unschedulable.length === 0;
  };
  const named = (name: string) => ({ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } } });
  assert.equal(isPlaced(named('other')), true);
  assert.equal(isPlaced(named('default')), false);
  assert.equal(isPlaced({ ...named('default'), namespaces: ['other'] }), true);
});

test('02/103 a pod on the move does not count where it was', () => {
  const spec = { affinity: away(podsWith(HOSTNAME_LABEL)), topologySpreadConstraints: [spreadOver(ZONE_LABEL)] };
  const moving = labelled('moving', APP, { ...spec, nodeName: 'old' });
  const others = ['test-zone-2', 'test-zone-3'].map((zone) =>
    inZone(zone, [labelled(`in-${zone}`, APP)], `on-${zone}`),
  );
  const environment = new TestEnvironment({ nodes: others, deletingNodes: [inZone('test-zone-1', [moving], 'old')] });
  assert.deepEqual(environment.plan(moving).unschedulable, []);
  assert.equal(valuesOf(environment.plan(moving).newNodes[0]!, ZONE_LABEL)![0], 'test-zone-1');
});

test('02/144 02/180 02/181 pods that must share a zone do, over nodes and passes', () => {
  const together = { affinity: near(podsWith(ZONE_LABEL)), containers: [{ resources: { requests: { cpu: '2' } } }] };
  const environment = new TestEnvironment({ types: [fakeType('four')] });
  const plan = environment.schedule(...many(6, together));
  assert.deepEqual(plan.unschedulable, []);
  assert.equal(plan.newNodes.length, 6);
  assert.deepEqual(environment.counts(ZONE_LABEL), [6]);
  const only = { affinity: { ...together.affinity, ...onNodes([where(ZONE_LABEL, 'In', 'test-zone-3')]) } };
  const pinned = new TestEnvironment();
  assert.equal(pinned.schedule(...many(3, only)).newNodes.length, 1);
  assert.deepEqual([...pinned.domains(ZONE_LABEL).keys()], ['test-zone-3']);
  const later = new TestEnvironment();
  later.schedule(labelled('first', APP, { affinity: near(podsWith(ZONE_LABEL)) }));
  assert.equal(later.plan(labelled('second', APP, { affinity: near(podsWith(ZONE_LABEL)) })).newNodes.length, 0);
});

test('a follower finds the planned node of a domain that came up on the way', () => {
  const pools = [makePool('default', { requirements: [{ key: 'rack', operator: 'Exists' }] })];
  const pod = (name: string, cpu: string, spec: PodSpec) =>
    makePod(name, { labels: { name }, requests: { cpu }, ...spec });
  const following = (name: string) => ({ affinity: near(podsWith('rack', { name })) });
  const plan = new TestEnvironment({ pools }).plan(
    pod('first', '4', { nodeSelector: { rack: 'one' } }),
    pod('with-first', '3', following('first')),
    pod('second', '2', { nodeSelector: { rack: 'two' } }),
    pod('with-second', '1', following('second')),
  );
  assert.deepEqual(packing(plan), [2, 2]);
});

test('02/178 architectures are domains of affinity too', () => {
  const target = labelled('target', APP, {
    nodeSelector: { [ARCH_LABEL]: 'arm64' },
    containers: [{ resources: { requests: { cpu: '2' } } }],
  });
  const follower = (affinity: PodSpec['affinity']) =>
    labelled(
      'follower',
      { role: 'follower' },
      {
        affinity: {
          ...affinity,
          ...away(
            podsWith(HOSTNAME_LABEL),
            ...(affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
          ),
        },
      },
    );
  const arch = (pod: Pod) => valuesOf(new TestEnvironment().plan(target, pod).newNodes[1]!, ARCH_LABEL);
  assert.deepEqual(arch(follower(near(podsWith(ARCH_LABEL)))), ['arm64']);
  assert.deepEqual(arch(follower(away(podsWith(ARCH_LABEL)))), ['amd64']);
});

test('02/179 filters of nodes do not apply to affinity: a match in a zone one may not use is still a match', () => {
  const affinity = {
    ...near(podsWith(HOSTNAME_LABEL)),
    ...onNodes([where(ZONE_LABEL, 'In', 'test-zone-2', 'test-zone-3')]),
  };
  const environment = new TestEnvironment({ nodes: [inZone('test-zone-1', [labelled('there', APP)])] });
  assert.equal(environment.plan(...many(3, { affinity })).unschedulable.length, 3);
});

test('02/181 targets of a zonal anti-affinity block their zones, open ones all of them; preferences block none', () => {
  const antiAffine = (affinity: PodSpec['affinity']) => labelled('anti-affine', { role: 'anti-affine' }, { affinity });
  const large = { containers: [{ resources: { requests: { cpu: '2' } } }] };
  const strict = antiAffine(away(podsWith(ZONE_LABEL)));
  assert.equal(new TestEnvironment().plan(labelled('target', APP, large), strict).unschedulable.length, 1);
  const everywhere = ZONES.map((zone) => labelled(`target-${zone}`, APP, { ...large, ...at(zone) }));
  assert.equal(new TestEnvironment().plan(...everywhere, strict).unschedulable.length, 1);
  assert.equal(
    new TestEnvironment().plan(...everywhere, antiAffine(preferAway(podsWith(ZONE_LABEL)))).unschedulable.length,
    0,
  );
});

test('02/182 a strict spread wins over a preference to share a host', () => {
  const spec = {
    affinity: preferNear(podsWith(HOSTNAME_LABEL)),
    topologySpreadConstraints: [spreadOver(HOSTNAME_LABEL)],
  };
  assert.deepEqual(packing(new TestEnvironment().plan(...many(3, spec))), [1, 1, 1]);
});

test('02/183 anti-affinity in all zones keeps a selected pod off, also from a node in a zone no pool offers', () => {
  const inverseAntiAffinity = [...ZONES, 'elsewhere'].map((zone) =>
    inZone(zone, [labelled(`anti-affine-${zone}`, { role: 'anti-affine' }, { affinity: away(podsWith(ZONE_LABEL)) })]),
  );
  const spare = makeNode('spare', { labels: { [ZONE_LABEL]: 'quiet', [HOSTNAME_LABEL]: 'spare' } });
  assert.equal(
    new TestEnvironment({ nodes: inverseAntiAffinity }).plan(makePod('a', { labels: APP })).unschedulable.length,
    1,
  );
  assert.equal(
    new TestEnvironment({ nodes: [...inverseAntiAffinity, spare] }).plan(makePod('a', { labels: APP })).unschedulable
      .length,
    1,
  );
});

test('a terminating pod is no neighbour, but keeps others away until it is gone', () => {
  const terminating = (pod: Pod): Pod => ({
    ...pod,
    metadata: { ...pod.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
  });
  const target = labelled('target', APP);
  const follower = labelled('follower', { role: 'x' }, { affinity: near(podsWith(ZONE_LABEL)) });
  assert.equal(
    new TestEnvironment({ nodes: [inZone('test-zone-1', [target])] }).plan(follower).unschedulable.length,
    0,
  );
  assert.equal(
    new TestEnvironment({ nodes: [inZone('test-zone-1', [terminating(target)])] }).plan(follower).unschedulable.length,
    1,
  );
  const antiAffine = terminating(
    labelled('anti-affine', { role: 'anti-affine' }, { affinity: away(podsWith(ZONE_LABEL)) }),
  );
  const [node] = new TestEnvironment({ nodes: [inZone('test-zone-1', [antiAffine])] }).plan(
    labelled('a', APP),
  ).newNodes;
  assert.deepEqual(valuesOf(node!, ZONE_LABEL), ['test-zone-2', 'test-zone-3']);
});

test('a pod with anti-affinity on a node without the label keeps nobody away', () => {
  const antiAffine = labelled('anti-affine', { role: 'anti-affine' }, { affinity: away(podsWith(ZONE_LABEL)) });
  const nodes = [makeNode('nowhere', { pods: [antiAffine], allocatable: { pods: '1' } })];
  for (const zone of ZONES) {
    const spread = { nodeSelector: { [ZONE_LABEL]: zone }, topologySpreadConstraints: [spreadOver(ZONE_LABEL)] };
    const [node] = new TestEnvironment({ nodes }).plan(labelled('a', APP, spread)).newNodes;
    assert.deepEqual(valuesOf(node!, ZONE_LABEL), [zone]);
  }
});

test('a term without a selector counts nobody, where upstream counts all', () => {
  const blind = away(podsWith(ZONE_LABEL, undefined));
  const { labelSelector: _, ...term } = podsWith(ZONE_LABEL);
  const nodes = ZONES.map((zone) => inZone(zone, [labelled(`there-${zone}`, APP)]));
  assert.ok(blind.podAntiAffinity);
  assert.equal(
    new TestEnvironment({ nodes }).plan(labelled('a', APP, { affinity: away(term) })).unschedulable.length,
    0,
  );
});

test('a pod that may be anywhere but in one zone is counted nowhere, where upstream counts it in that zone', () => {
  const large = { containers: [{ resources: { requests: { cpu: '3' } } }] };
  const elsewhere = labelled('a', APP, { ...large, affinity: onNodes([where(ZONE_LABEL, 'NotIn', 'test-zone-1')]) });
  const shy = labelled('b', { role: 'shy' }, { ...large, affinity: preferAway(podsWith(ZONE_LABEL)) });
  const plan = new TestEnvironment({ types: [fakeType('four')] }).plan(elsewhere, shy);
  assert.deepEqual(valuesOf(plan.newNodes[1]!, ZONE_LABEL), ZONES);
});

test('required terms are met by one pod that matches all of them, or not at all', () => {
  const zonal = { nodeSelector: { [ZONE_LABEL]: 'test-zone-1' }, requests: { cpu: '1' } };
  const [a, b] = ['a', 'b'].map((app) => makePod(app, { ...zonal, labels: { app } }));
  const both = makePod('both', { ...zonal, labels: { app: 'a', tier: 'b' } });
  const follower = (labels: Readonly<Record<string, string>>, ...terms: readonly PodAffinityTerm[]) =>
    makePod('x', { labels, affinity: near(...terms) });
  const isPlaced = (pod: Pod, ...others: readonly Pod[]) =>
    new TestEnvironment().plan(pod, ...others).unschedulable.length === 0;

  const apart = follower({}, podsWith(ZONE_LABEL, { app: 'a' }), podsWith(ZONE_LABEL, { app: 'b' }));
  assert.equal(isPlaced(apart, a!, b!), false);
  const joined = follower({}, podsWith(ZONE_LABEL, { app: 'a' }), podsWith(ZONE_LABEL, { tier: 'b' }));
  assert.equal(isPlaced(joined, a!, makePod('tier', { ...zonal, labels: { tier: 'b' } })), false);
  assert.equal(isPlaced(joined, a!, both), true);
  // On different keys, too; and one that matches all of its own terms may start.
  const keys = follower({}, podsWith(HOSTNAME_LABEL, { app: 'a' }), podsWith(ZONE_LABEL, { tier: 'b' }));
  assert.equal(isPlaced(keys, a!, b!), false);
  assert.equal(isPlaced(keys, both), true);
  const first = [podsWith(ZONE_LABEL, { app: 'x' }), podsWith(HOSTNAME_LABEL, { tier: 'x' })] as const;
  assert.equal(isPlaced(follower({ app: 'x', tier: 'x' }, ...first)), true);
  assert.equal(isPlaced(follower({ app: 'x' }, ...first)), false);
});

test('a node is in a domain only if it has the label itself, whatever JavaScript objects inherit', () => {
  const failures = (key: string) => {
    const shy = { affinity: away(podsWith(key)), ...spreads(key) };
    const on = (node: string, pod: Pod) => ({
      ...pod,
      spec: { ...pod.spec, nodeName: node },
      status: { phase: 'Running' },
    });
    const node = makeNode('a', { pods: [on('a', labelled('shy', APP, shy)), on('a', labelled('near', APP))] });
    const asked = [
      labelled('p', APP),
      labelled('q', {}, { affinity: near(podsWith(key)) }),
      labelled('r', APP, spreads(key)),
    ];
    const plan = new TestEnvironment({ nodes: [node] }).plan(...asked);
    return asked.map((pod) => failureOf(plan, pod)?.replaceAll(key, 'KEY'));
  };
  const spreads = (key: string) => ({ topologySpreadConstraints: [spreadOver(key)] });
  assert.deepEqual(failures('constructor'), failures('anything'));
});
