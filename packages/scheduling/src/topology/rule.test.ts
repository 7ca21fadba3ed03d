import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOSTNAME_LABEL, ZONE_LABEL } from '@karpenter-ts/apis';
import type { PodSpec, TopologySpreadConstraint } from '@karpenter-ts/kubernetes';
import { finish } from '../progress.ts';
import { DEFAULT_PLANNING } from '../snapshot.ts';
import { indexSnapshot } from '../packing/indexed-snapshot.ts';
import { makePod } from '../testing/builders.ts';
import { FAKE_PROFILE } from '../testing/fake-types.ts';
import { APP, onNodes, preferNodes, spreadOver, where } from '../testing/pod-parts.ts';
import { TestEnvironment } from '../testing/test-environment.ts';

const byZone = spreadOver(ZONE_LABEL);

test('02/184 constraints that differ in skew, tolerations or policy count apart', () => {
  const policies = { nodeTaintsPolicy: 'Ignore', nodeAffinityPolicy: 'Honor' };
  assert.equal(areOne([byZone], [spreadOver(ZONE_LABEL)]), true);
  assert.equal(areOne([byZone], [spreadOver(ZONE_LABEL, policies)]), true); // which are the defaults
  const others: readonly Constrained[] = [
    [spreadOver(ZONE_LABEL, { maxSkew: 2 })],
    [spreadOver(HOSTNAME_LABEL)],
    [byZone, { tolerations: [{ key: 'x', operator: 'Exists' }] }],
    [spreadOver(ZONE_LABEL, { nodeTaintsPolicy: 'Honor' })],
    [spreadOver(ZONE_LABEL, { nodeAffinityPolicy: 'Ignore' })],
    [spreadOver(ZONE_LABEL, { labelSelector: {} })],
    [byZone, { nodeSelector: { team: 'a' } }],
  ];
  for (const other of others) assert.equal(areOne([byZone], other), false, JSON.stringify(other));
});

test('constraints that differ in minDomains, or in values of what the pod asks of nodes, count apart', () => {
  assert.equal(areOne([byZone], [spreadOver(ZONE_LABEL, { minDomains: 3 })]), false);
  assert.equal(areOne([byZone, { nodeSelector: { team: 'a' } }], [byZone, { nodeSelector: { team: 'b' } }]), false);
  const onTeam = (...teams: readonly string[]): PodSpec => ({ affinity: onNodes([where('team', 'In', ...teams)]) });
  assert.equal(areOne([byZone, onTeam('a')], [byZone, onTeam('a', 'b')]), false);
  assert.equal(areOne([byZone, onTeam('a')], [byZone, { nodeSelector: { team: 'a' } }]), true);
});

test('the order of expressions and their repetition tells no constraints apart', () => {
  const expressions = ['x', 'y'].map((key) => ({ key, operator: 'In', values: ['2', '1'] }));
  const spec = (...list: typeof expressions) => spreadOver(ZONE_LABEL, { labelSelector: { matchExpressions: list } });
  assert.equal(areOne([spec(...expressions)], [spec(...expressions.toReversed(), expressions[0]!)]), true);
});

test('what a pod gives up changes nothing about which pods its constraint counts', () => {
  const affinity = {
    nodeAffinity: {
      ...onNodes([where('team', 'In', 'a')], [where('team', 'In', 'b')]).nodeAffinity,
      ...preferNodes([1, where('team', 'In', 'c')]).nodeAffinity,
    },
  };
  const identities = identitiesOf([spreadOver(ZONE_LABEL, { nodeTaintsPolicy: 'Honor' }), { affinity }]);
  assert.ok(identities.length > 3);
  assert.equal(new Set(identities).size, 1);
});

type Constrained = readonly [constraint: TopologySpreadConstraint, rest?: PodSpec];

/** Whether pods with one and the other share their counts. */
function areOne(a: Constrained, b: Constrained): boolean {
  return new Set(identitiesOf(a, b)).size === 1;
}

/** What tells the rules of pods with these constraints apart, of every stage of each. */
function identitiesOf(...constrained: readonly Constrained[]): readonly string[] {
  const pods = constrained.map(([constraint, rest = {}], i) =>
    makePod(`pod-${i}`, { labels: APP, topologySpreadConstraints: [constraint], ...rest }),
  );
  const snapshot = { ...new TestEnvironment().snapshot, pods };
  const { topology, queue } = finish(indexSnapshot(snapshot, { ...DEFAULT_PLANNING, profile: FAKE_PROFILE }));
  return queue.all.flatMap(({ podClass: { kind } }) =>
    kind.constraints.stages.flatMap((stage) =>
      topology.topologyRules.binding(kind, stage).map(({ identity }) => identity),
    ),
  );
}
