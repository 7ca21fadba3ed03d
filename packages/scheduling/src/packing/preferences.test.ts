import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOSTNAME_LABEL, ZONE_LABEL } from '@karpenter-ts/apis';
import { renderRelaxation } from '../explanation/render.ts';
import type { NodeSelectorRequirement, Pod, PodSpec } from '@karpenter-ts/kubernetes';
import { makeNode, makePod, makePool } from '../testing/builders.ts';
import {
  APP,
  near,
  onNodes,
  podsWith,
  preferAway,
  preferNear,
  preferNodes,
  spreadOver,
  where,
} from '../testing/pod-parts.ts';
import { failureOf, packing, valuesOf, TestEnvironment } from '../testing/test-environment.ts';

const zone = (n: number | string) => where(ZONE_LABEL, 'In', `test-zone-${n}`);
const zonesOf = (environment: TestEnvironment, spec: PodSpec) => {
  const [node] = environment.plan(makePod('a', spec)).newNodes;
  return node && valuesOf(node, ZONE_LABEL);
};
const gaveUp = (environment: TestEnvironment, pod: Pod) =>
  environment.plan(pod).newNodes[0]!.pods[0]!.relaxations.map((relaxation) => relaxation.gaveUp);

test('02/106 alternatives are tried in order; a single one is never given up', () => {
  const environment = new TestEnvironment();
  assert.deepEqual(zonesOf(environment, { affinity: onNodes([zone('x')], [zone('y')], [zone(2)], [zone(1)]) }), [
    'test-zone-2',
  ]);
  assert.equal(zonesOf(environment, { affinity: onNodes([zone('x')]) }), undefined);
});

test('02/107 of preferences the heaviest that can be met holds', () => {
  const affinity = preferNodes([1, zone(1)], [100, zone('x')], [50, zone(2)]);
  assert.deepEqual(zonesOf(new TestEnvironment(), { affinity }), ['test-zone-2']);
  assert.deepEqual(gaveUp(new TestEnvironment(), makePod('a', { affinity })), ['PreferredNodeTerm']);
});

test('02/108 a preference against a requirement, or against itself, is given up', () => {
  const against = { ...onNodes([zone(3)]).nodeAffinity, ...preferNodes([1, zone(1)]).nodeAffinity };
  assert.deepEqual(zonesOf(new TestEnvironment(), { affinity: { nodeAffinity: against } }), ['test-zone-3']);
  const itself = preferNodes([1, zone(1), where(ZONE_LABEL, 'NotIn', 'test-zone-1')]);
  assert.equal(new TestEnvironment().plan(makePod('a', { affinity: itself })).newNodes.length, 1);
});

test('02/108 a preference that contradicts the selector is given up, not the selector', () => {
  const pools = [makePool('plain', { weight: 10 }), makePool('team-b', { labels: { team: 'b' } })];
  const preferring = (...terms: readonly NodeSelectorRequirement[][]) =>
    makePod('a', {
      nodeSelector: { team: 'b' },
      affinity: preferNodes(...terms.map((term, i) => [100 - i, ...term] as const)),
    });
  const poolOf = (pod: Pod) => new TestEnvironment({ pools }).plan(pod).newNodes.map(({ nodePool }) => nodePool);
  assert.deepEqual(poolOf(preferring([where('team', 'In', 'c')])), ['team-b']);
  assert.deepEqual(poolOf(preferring([where('team', 'DoesNotExist')])), ['team-b']);
  assert.deepEqual(poolOf(preferring([where('team', 'Gt', '3')])), ['team-b']);
  // The next preference is still a preference.
  const pod = preferring([where('team', 'NotIn', 'b')], [zone(2)]);
  assert.deepEqual(valuesOf(new TestEnvironment({ pools }).plan(pod).newNodes[0]!, ZONE_LABEL), ['test-zone-2']);
});

test('a pod that contradicts itself is refused with that reason, whatever pools there are', () => {
  const self = (terms: readonly (readonly NodeSelectorRequirement[])[], nodeSelector = {}) => {
    const pod = makePod('a', { nodeSelector, affinity: onNodes(...terms) });
    return failureOf(
      new TestEnvironment({ pools: [makePool('default'), makePool('b', { labels: { team: 'b' } })] }).plan(pod),
      pod,
    );
  };
  assert.equal(
    self([[where('team', 'In', 'c')]], { team: 'b' }),
    'pod contradicts itself, key team, team In [c] not in team In [b]',
  );
  const exists = 'pod contradicts itself, key team, team DoesNotExist not in team Exists';
  assert.equal(self([[where('team', 'Exists'), where('team', 'DoesNotExist')]]), exists);
  assert.match(self([[where('n', 'Gt', '4'), where('n', 'Lt', '5')]])!, /^pod contradicts itself, key n, /);
  assert.match(
    self([[where('n', 'Gt', '4'), where('n', 'Lt', '6'), where('n', 'NotIn', '5')]])!,
    /^pod contradicts itself/,
  );
  assert.match(self([[where('zone', 'In', 'x')], [where('team', 'In', 'd')]], { zone: 'y', team: 'b' })!, /key team, /);
});

test('an alternative that contradicts the selector leaves the others open', () => {
  const affinity = onNodes([where('team', 'In', 'c')], [where(ZONE_LABEL, 'In', 'test-zone-2')]);
  const environment = new TestEnvironment({ pools: [makePool('default'), makePool('b', { labels: { team: 'b' } })] });
  const [node] = environment.plan(makePod('a', { nodeSelector: { team: 'b' }, affinity })).newNodes;
  assert.deepEqual([node!.nodePool, valuesOf(node!, ZONE_LABEL)], ['b', ['test-zone-2']]);
});

test('a pod that needs a label and rules out a value of it is on no node without the label', () => {
  const affinity = onNodes([where('rack', 'Exists'), where('rack', 'NotIn', 'x')]);
  const bounded = onNodes([where('rack', 'Gt', '3'), where('rack', 'NotIn', '5')]);
  const environment = new TestEnvironment({ nodes: [makeNode('bare')] });
  for (const pod of [makePod('a', { affinity }), makePod('a', { affinity: bounded })]) {
    assert.equal(
      failureOf(environment.plan(pod), pod),
      'incompatible requirements, label "rack" does not have known values',
    );
  }
  const racks = new TestEnvironment({
    pools: [makePool('default', { requirements: [{ key: 'rack', operator: 'Exists' }] })],
  });
  const without = makePod('b', { affinity: onNodes([where('rack', 'DoesNotExist')]) });
  const plan = racks.plan(makePod('a', { affinity, requests: { cpu: '1' } }), without);
  assert.deepEqual(packing(plan), [1]);
  assert.match(failureOf(plan, without)!, /rack DoesNotExist not in rack Exists/);
});

test('02/109 preferences that are ignored buy no nodes', () => {
  const specs: readonly PodSpec[] = [
    { affinity: preferAway(podsWith(HOSTNAME_LABEL)) },
    { topologySpreadConstraints: [spreadOver(HOSTNAME_LABEL, { whenUnsatisfiable: 'ScheduleAnyway' })] },
  ];
  for (const spec of specs) {
    const pods = [0, 1, 2].map((i) => makePod(`pod-${i}`, { labels: APP, ...spec }));
    assert.deepEqual(packing(new TestEnvironment({ options: { preferencePolicy: 'Ignore' } }).plan(...pods)), [3]);
    assert.deepEqual(packing(new TestEnvironment().plan(...pods)), [1, 1, 1]);
  }
  const ignoring = new TestEnvironment({ options: { preferencePolicy: 'Ignore' } });
  assert.equal(zonesOf(ignoring, { affinity: preferNodes([1, zone(1)]) }), undefined);
  const follower = makePod('a', { affinity: preferNear(podsWith(ZONE_LABEL, { app: 'nowhere' })) });
  assert.deepEqual(gaveUp(ignoring, follower), []);
});

test('each failed attempt gives up one thing, in upstream’s order and words', () => {
  const impossible = podsWith(ZONE_LABEL, { app: 'nowhere' });
  const pool = makePool('default', { taints: [{ key: 'soft', effect: 'PreferNoSchedule' }] });
  const pod = makePod('a', {
    labels: APP,
    affinity: {
      nodeAffinity: { ...onNodes([zone('x')], [zone(1)]).nodeAffinity, ...preferNodes([1, zone('y')]).nodeAffinity },
      podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: impossible }] },
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 2, podAffinityTerm: impossible }],
      },
    },
    topologySpreadConstraints: [spreadOver('unknown', { whenUnsatisfiable: 'ScheduleAnyway' })],
  });
  const [node] = new TestEnvironment({ pools: [pool] }).plan(pod).newNodes;
  const { relaxations } = node!.pods[0]!;
  assert.deepEqual(
    relaxations.map((relaxation) =>
      renderRelaxation(relaxation)
        .split(/[=:] ?/)
        .slice(0, 2),
    ),
    [
      ['removing', 'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]'],
      ['removing', 'spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0]'],
      ['removing', 'spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0]'],
      ['removing', 'spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0]'],
      ['removing', 'spec.topologySpreadConstraints '],
      ['adding', 'toleration for PreferNoSchedule taints'],
    ],
  );
  assert.equal(
    renderRelaxation(relaxations[0]!),
    'removing: spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]=' +
      '{"matchExpressions":[{"key":"topology.kubernetes.io/zone","operator":"In","values":["test-zone-x"]}]}',
  );
});

test('a pod that fails starts over with all its preferences once another was placed', () => {
  const leader = makePod('leader', { labels: APP, nodeSelector: { [ZONE_LABEL]: 'test-zone-2' } });
  const follower = makePod('follower', {
    requests: { cpu: '1' }, // tried first
    affinity: { ...near(podsWith(ZONE_LABEL)), ...preferNodes([1, zone(2)]) },
  });
  const plan = new TestEnvironment().plan(leader, follower);
  const placed = plan.newNodes.flatMap(({ pods }) => pods).find(({ pod }) => pod.metadata.name === 'follower');
  assert.deepEqual(placed!.relaxations, []);
});

test('of soft spreads the first goes first, and the last takes its place', () => {
  const soft = (key: string) => spreadOver(key, { whenUnsatisfiable: 'ScheduleAnyway' });
  const pod = makePod('a', { labels: APP, topologySpreadConstraints: [soft('x'), soft('y'), soft('z')] });
  const keys = new TestEnvironment()
    .plan(pod)
    .newNodes[0]!.pods[0]!.relaxations.map((one) =>
      one.gaveUp === 'ScheduleAnyway' ? one.constraint.topologyKey : '',
    );
  assert.deepEqual(keys, ['x', 'z', 'y']);
});

test('a preference that an earlier alternative cannot meet does not cost the pod that alternative', () => {
  const nodeAffinity = {
    ...onNodes([zone(1)], [zone('x')]).nodeAffinity,
    ...preferNodes([1, where('team', 'In', 'nobody')]).nodeAffinity,
  };
  const pod = makePod('a', { affinity: { nodeAffinity } });
  assert.deepEqual(zonesOf(new TestEnvironment(), pod.spec), ['test-zone-1']);
  assert.deepEqual(gaveUp(new TestEnvironment(), pod), ['PreferredNodeTerm']);
});
