import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DaemonSet, Node, Pod } from '@karpenter-ts/kubernetes';
import { buildNode, buildPod, buildTemplate, NOON, type PodOptions, readyPod } from '../testing/builders.ts';
import { placementOn, placementsOn, targetOf, templateFor } from './placement.ts';
import { type DaemonPlan, type DaemonState, planPlacement, planUpdate } from './plan.ts';

type Limits = NonNullable<DaemonSet['spec']['updateStrategy']['rollingUpdate']>;

function buildDaemonSet(
  limits: Limits = { maxUnavailable: 1, maxSurge: 0 },
  spec: Partial<DaemonSet['spec']> = {},
): DaemonSet {
  return {
    metadata: { name: 'agent', namespace: 'default', uid: 'set' },
    spec: {
      selector: { matchLabels: { app: 'agent' } },
      template: buildTemplate('new'),
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: limits },
      ...spec,
    },
  };
}

/** A pod on a node, of the new template unless `old` is part of its name. */
function daemon(name: string, nodeName: string, options: PodOptions = {}): Pod {
  const labels = { 'controller-revision-hash': name.includes('old') ? 'old' : 'new' };
  const build = options.phase === undefined ? readyPod : buildPod;
  return build(name, { ...options, metadata: { labels, ...options.metadata }, spec: { nodeName } });
}

function stateOf(set: DaemonSet, nodes: readonly Node[], pods: readonly Pod[]): DaemonState {
  const byNode = Map.groupBy(pods, (pod) => targetOf(pod) ?? '');
  return { set, placements: placementsOn(set, nodes), pods: byNode, hash: 'new', now: NOON };
}

function describePlan({ create, remove }: DaemonPlan): readonly string[] {
  return [...create.map((node) => `+${node}`), ...remove.map(({ metadata }) => `-${metadata.name}`)];
}

const NODES = [buildNode('a'), buildNode('b'), buildNode('c')];
const placement = (set: DaemonSet, nodes: readonly Node[], pods: readonly Pod[]) =>
  describePlan(planPlacement(stateOf(set, nodes, pods)));
const update = (set: DaemonSet, nodes: readonly Node[], pods: readonly Pod[]) =>
  describePlan(planUpdate(stateOf(set, nodes, pods)));

test('a taint decides whether a daemon may come, may stay or must go', () => {
  const tainted = (effect: string): Node => buildNode('a', { taints: [{ key: 'busy', effect }] });
  assert.equal(placementOn(buildDaemonSet(), buildNode('a')), 'run');
  assert.equal(placementOn(buildDaemonSet(), tainted('NoSchedule')), 'stay');
  assert.equal(placementOn(buildDaemonSet(), tainted('NoExecute')), 'none');
  assert.equal(placementOn(buildDaemonSet(), tainted('PreferNoSchedule')), 'run');
});

test('troubles of the node itself keep no daemon away', () => {
  const keys = ['disk-pressure', 'memory-pressure', 'pid-pressure', 'unschedulable'].map((key) => ({
    key: `node.kubernetes.io/${key}`,
    effect: 'NoSchedule',
  }));
  const lost = { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' };
  assert.equal(placementOn(buildDaemonSet(), buildNode('a', { taints: [...keys, lost] })), 'run');
  const offline = buildNode('a', { taints: [{ key: 'node.kubernetes.io/network-unavailable', effect: 'NoSchedule' }] });
  assert.equal(placementOn(buildDaemonSet(), offline), 'stay');
  const template = { ...buildTemplate('new'), spec: { containers: [], hostNetwork: true } };
  assert.equal(placementOn(buildDaemonSet(undefined, { template }), offline), 'run');
});

test('a daemon is made for one node, and found there before it is scheduled', () => {
  const { spec } = templateFor(buildDaemonSet(), 'b', 'new');
  assert.equal(targetOf({ metadata: { name: 'x' }, spec }), 'b');
});

test('each node gets one pod, and a pod that is still terminating is waited for', () => {
  const pods = [daemon('1', 'a'), daemon('2', 'b', { isTerminating: true })];
  assert.deepEqual(placement(buildDaemonSet(), NODES, pods), ['+c']);
});

test('of two pods on a node the older stays; ended ones go', () => {
  const pods = [
    daemon('2', 'a', { metadata: { creationTimestamp: '2026-01-02T00:00:00Z' } }),
    daemon('1', 'a', { metadata: { creationTimestamp: '2026-01-01T00:00:00Z' } }),
    daemon('3', 'b', { phase: 'Failed' }),
  ];
  assert.deepEqual(placement(buildDaemonSet(), NODES.slice(0, 2), pods), ['-2', '-3']);
});

test('pods made for a node that went before they got there are removed', () => {
  const { spec } = templateFor(buildDaemonSet(), 'gone', 'new');
  const unbound = { ...buildPod('1', { phase: 'Pending' }), spec };
  assert.deepEqual(placement(buildDaemonSet(), NODES.slice(0, 1), [daemon('2', 'a'), unbound, daemon('3', 'gone')]), [
    '-1',
  ]);
});

test('an update takes as many working pods as may be missing, and all that do not work', () => {
  const old = [daemon('old-1', 'a'), daemon('old-2', 'b'), daemon('old-3', 'c')];
  assert.deepEqual(update(buildDaemonSet({ maxUnavailable: 1 }), NODES, old), ['-old-1']);
  assert.deepEqual(update(buildDaemonSet({ maxUnavailable: '50%' }), NODES, old), ['-old-1', '-old-2']);
  const broken = daemon('old-4', 'a', { phase: 'Pending' });
  assert.deepEqual(update(buildDaemonSet({ maxUnavailable: 1 }), NODES, [broken, ...old.slice(1)]), ['-old-4']);
});

test('an update waits while a new pod is not up or a node has none', () => {
  const set = buildDaemonSet({ maxUnavailable: 1 });
  assert.deepEqual(
    update(set, NODES, [daemon('1', 'a', { phase: 'Pending' }), daemon('old-2', 'b'), daemon('3', 'c')]),
    [],
  );
  assert.deepEqual(update(set, NODES, [daemon('old-2', 'b'), daemon('3', 'c')]), []);
});

test('with a surge a new pod comes first, and the old one goes when it is up', () => {
  const set = buildDaemonSet({ maxSurge: 1, maxUnavailable: 0 });
  const old = [daemon('old-1', 'a'), daemon('old-2', 'b')];
  const nodes = NODES.slice(0, 2);
  assert.deepEqual(update(set, nodes, old), ['+a']);
  assert.deepEqual(update(set, nodes, [...old, daemon('1', 'a', { phase: 'Pending' })]), []);
  assert.deepEqual(update(set, nodes, [...old, daemon('1', 'a')]), ['+b', '-old-1']);
  assert.deepEqual(placement(set, nodes, [...old, daemon('1', 'a', { phase: 'Pending' })]), []);
});

test('with a surge a pod where the set is no longer wanted goes only when there are enough elsewhere', () => {
  const set = buildDaemonSet({ maxSurge: 1, maxUnavailable: 0 });
  const nodes = [buildNode('a', { taints: [{ key: 'busy', effect: 'NoSchedule' }] }), buildNode('b')];
  assert.deepEqual(update(set, nodes, [daemon('old-1', 'a')]), []);
  assert.deepEqual(update(set, nodes, [daemon('old-1', 'a'), daemon('1', 'b')]), ['-old-1']);
});
