import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CAPACITY_TYPE_LABEL, HOSTNAME_LABEL, ZONE_LABEL } from '@karpenter-ts/apis';
import type { Pod, PodSpec, TopologySpreadConstraint } from '@karpenter-ts/kubernetes';
import { makeNode, makePod, makePool } from '../testing/builders.ts';
import { is } from '../testing/fake-types.ts';
import { APP, away, onNodes, podsWith, spreadOver, where } from '../testing/pod-parts.ts';
import { valuesOf, TestEnvironment } from '../testing/test-environment.ts';

let serial = 0;

/** `count` pods with these constraints and what else is given. */
function pods(count: number, constraints: readonly TopologySpreadConstraint[], rest: PodSpec = {}): readonly Pod[] {
  return Array.from({ length: count }, () => {
    const parts = { labels: APP, requests: { cpu: '10m' }, topologySpreadConstraints: constraints, ...rest };
    return makePod(`pod-${String(serial++).padStart(4, '0')}`, parts);
  });
}

test('02/94 02/176 taints make domains invisible to those who do not tolerate them, if the policy says so', () => {
  const pools = [makePool('default', { requirements: [is('rack', 'baz')] })];
  const taints = [{ key: 'team', effect: 'NoSchedule' }];
  const nodes = ['foo', 'bar'].map((rack) => makeNode(rack, { labels: { rack, [HOSTNAME_LABEL]: rack }, taints }));
  const placed = (nodeTaintsPolicy: string | undefined) => {
    const constraint = spreadOver('rack', nodeTaintsPolicy === undefined ? {} : { nodeTaintsPolicy });
    const plan = new TestEnvironment({ pools, nodes }).plan(...pods(5, [constraint]));
    return 5 - plan.unschedulable.length;
  };
  assert.equal(placed('Ignore'), 1);
  assert.equal(placed(undefined), 1);
  assert.equal(placed('Honor'), 5);
});

test('02/95 02/176 nodes the pod cannot run on do not count, unless the policy says so', () => {
  const pools = [makePool('default', { requirements: [is('rack', 'baz')], labels: { mine: 'yes' } })];
  const nodes = ['foo', 'bar'].map((rack) => makeNode(rack, { labels: { rack, mine: 'no', [HOSTNAME_LABEL]: rack } }));
  const placed = (nodeAffinityPolicy: string | undefined) => {
    const constraint = spreadOver('rack', nodeAffinityPolicy === undefined ? {} : { nodeAffinityPolicy });
    const plan = new TestEnvironment({ pools, nodes }).plan(
      ...pods(5, [constraint], { nodeSelector: { mine: 'yes' } }),
    );
    return 5 - plan.unschedulable.length;
  };
  assert.equal(placed('Ignore'), 1);
  assert.equal(placed(undefined), 5);
  assert.equal(placed('Honor'), 5);
});

test('02/171 pods on nodes the pod cannot use do not count against its spread', () => {
  const labels = { [ZONE_LABEL]: 'test-zone-1', [CAPACITY_TYPE_LABEL]: 'on-demand', [HOSTNAME_LABEL]: 'n' };
  const environment = new TestEnvironment({
    nodes: [makeNode('n', { labels, pods: pods(1, []), allocatable: { pods: '1' } })],
  });
  const only = onNodes([where(ZONE_LABEL, 'In', 'test-zone-2'), where(CAPACITY_TYPE_LABEL, 'In', 'spot')]);
  const plan = environment.plan(...pods(5, [spreadOver(CAPACITY_TYPE_LABEL)], { affinity: only }));
  assert.deepEqual(plan.unschedulable, []);
  assert.ok(plan.newNodes.every((node) => valuesOf(node, CAPACITY_TYPE_LABEL)!.join() === 'spot'));
});

test('02/175 domains are those of pools one tolerates', () => {
  const pool = (name: string, ...racks: readonly string[]) =>
    makePool(name, { requirements: [is('rack', ...racks)], taints: [{ key: name, effect: 'NoSchedule' }] });
  const environment = new TestEnvironment({ pools: [pool('one', 'foo', 'bar'), pool('two', 'foo', 'baz')] });
  const tolerating = (key: string) => ({ tolerations: [{ key, operator: 'Exists' }] });
  const constraint = spreadOver('rack', { nodeTaintsPolicy: 'Honor' });
  environment.schedule(...pods(2, [constraint], tolerating('one')));
  environment.schedule(...pods(4, [constraint], tolerating('two')));
  // Pods of the other pool run on nodes one does not tolerate, so they do not count: 1/1 for two, then 2/2 for four.
  assert.deepEqual(
    ['foo', 'bar', 'baz'].map((rack) => environment.domains('rack').get(rack)),
    [3, 1, 2],
  );
});

test('anti-affinity knows the zones of pools its pod tolerates before the pod gives anything up', () => {
  const pools = [
    makePool('plain', { requirements: [is(ZONE_LABEL, 'test-zone-1')] }),
    makePool('soft', {
      requirements: [is(ZONE_LABEL, 'test-zone-2')],
      taints: [{ key: 'soft', effect: 'PreferNoSchedule' }],
    }),
  ];
  const antiAffine = makePod('anti-affine', { requests: { cpu: '1' }, affinity: away(podsWith(ZONE_LABEL)) });
  const isPlaced = (labels: Readonly<Record<string, string>>) => {
    const kept = makePod('kept', { labels, nodeSelector: { [ZONE_LABEL]: 'test-zone-2' } });
    return new TestEnvironment({ pools }).plan(antiAffine, kept).unschedulable.length === 0;
  };
  assert.equal(isPlaced({}), true);
  assert.equal(isPlaced(APP), false);
});
