import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOSTNAME_LABEL, ZONE_LABEL } from '@karpenter-ts/apis';
import type { PodSpec, TopologySpreadConstraint } from '../objects/pod.ts';
import { finish } from '../progress.ts';
import { DEFAULT_PLANNING } from '../snapshot.ts';
import { indexSnapshot } from '../snapshot-index.ts';
import { makePod } from '../testing/builders.ts';
import { FAKE_PROFILE } from '../testing/fake-types.ts';
import { APP, spreadOver } from '../testing/pod-parts.ts';
import { World } from '../testing/world.ts';

const byZone = spreadOver(ZONE_LABEL);

test('02/184 constraints that differ in skew, tolerations or policy count apart', () => {
  const same = identity(byZone);
  assert.equal(identity(spreadOver(ZONE_LABEL)), same);
  assert.notEqual(identity(spreadOver(ZONE_LABEL, { maxSkew: 2 })), same);
  assert.notEqual(identity(spreadOver(HOSTNAME_LABEL)), same);
  assert.notEqual(identity(byZone, { tolerations: [{ key: 'x', operator: 'Exists' }] }), same);
  assert.notEqual(identity(spreadOver(ZONE_LABEL, { nodeTaintsPolicy: 'Honor' })), same);
  assert.notEqual(identity(spreadOver(ZONE_LABEL, { nodeAffinityPolicy: 'Ignore' })), same);
  assert.notEqual(identity(spreadOver(ZONE_LABEL, { labelSelector: {} })), same);
  assert.notEqual(identity(byZone, { nodeSelector: { team: 'a' } }), same);
  const policies = { nodeTaintsPolicy: 'Ignore', nodeAffinityPolicy: 'Honor' };
  assert.equal(identity(spreadOver(ZONE_LABEL, policies)), same); // which are the defaults
});

test('constraints that differ in minDomains, or in values of a node selector, share counts and the first one’s terms', () => {
  assert.equal(identity(spreadOver(ZONE_LABEL, { minDomains: 3 })), identity(byZone));
  assert.equal(identity(byZone, { nodeSelector: { team: 'a' } }), identity(byZone, { nodeSelector: { team: 'b' } }));
  const expressions = ['x', 'y'].map((key) => ({ key, operator: 'In', values: ['2', '1'] }));
  const spec = (...list: typeof expressions) => spreadOver(ZONE_LABEL, { labelSelector: { matchExpressions: list } });
  assert.equal(identity(spec(...expressions)), identity(spec(...expressions.toReversed(), expressions[0]!)));
});

/** What tells the rule of a pod with this constraint, and what else is given, from others. */
function identity(constraint: TopologySpreadConstraint, rest: PodSpec = {}): string {
  const pod = makePod('a', { labels: APP, topologySpreadConstraints: [constraint], ...rest });
  const snapshot = { ...new World().snapshot, pods: [pod] };
  const { ruleBook, queued } = finish(indexSnapshot(snapshot, { ...DEFAULT_PLANNING, profile: FAKE_PROFILE }));
  const { kind } = queued[0]!.podClass;
  return ruleBook.binding(kind, kind.constraints.stages[0]!)[0]!.identity;
}
