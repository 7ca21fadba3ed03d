import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type NodePool, ZONE_LABEL } from '@karpenter-ts/apis';
import type { Pod, ResourceList } from '@karpenter-ts/kubernetes';
import { applyChange, type Change } from './what-if.ts';
import { readPlanningBase } from './planner.ts';
import { finish } from './progress.ts';
import { idOf, makeNode, makePod, makePool } from './testing/builders.ts';
import { is } from './testing/fake-types.ts';
import { APP, away, podsWith, spreadOver } from './testing/pod-parts.ts';
import { packing, valuesOf, TestEnvironment } from './testing/test-environment.ts';

test('a node that is being deleted counts against no limit, so that a what-if without it is no different', () => {
  const large = { cpu: '16', memory: '128Gi', pods: '5' };
  const { snapshot, options } = new TestEnvironment({
    pools: [makePool('default', { limits: { cpu: '20' } })],
    nodes: [makeNode('staying', { pool: 'default', capacity: large, allocatable: { pods: '0' } })],
    deletingNodes: [makeNode('deleting', { pool: 'default', capacity: large })],
    pods: ['a', 'b'].map((name) => makePod(name, { requests: { cpu: '3' } })),
  });
  const without = (change: Change) => packing(finish(finish(readPlanningBase(snapshot, options)).whatIf(change)));
  assert.deepEqual(without({}), [1]); // 4 of 20 are left
  assert.deepEqual(without({ withoutNodes: [idOf('deleting')] }), [1]);
  assert.deepEqual(without({ withoutNodes: [idOf('staying')] }), [2]);
});

test('a what-if takes away the node with this provider id, and not a namesake: a NodeClaim may have the name of a Node', () => {
  const nodes = ['fake:///1', 'fake:///2'].map((providerId) => makeNode('same', { providerId }));
  const { snapshot, options } = new TestEnvironment({ nodes, pods: [makePod('a', { requests: { cpu: '3' } })] });
  const base = finish(readPlanningBase(snapshot, options));
  const landsOn = (change: Change) => finish(base.whatIf(change)).existingNodes.length;
  assert.deepEqual([landsOn({ withoutNodes: ['fake:///1'] }), landsOn({ withoutNodes: ['same'] })], [1, 1]);
  assert.equal(landsOn({ withoutNodes: ['fake:///1', 'fake:///2'] }), 0);
  const rebuilt = applyChange(snapshot, { withoutNodes: ['fake:///2'] });
  assert.deepEqual(
    rebuilt.nodes.map(({ providerId }) => providerId),
    ['fake:///1'],
  );
});

test('a node that refuses moved pods takes those that wait, and those of nodes that are deleted', () => {
  const environment = new TestEnvironment({
    nodes: [makeNode('refusing', { refusesMovedPods: true })],
    deletingNodes: [makeNode('deleting')],
  });
  const isTaken = (pod: Pod) => environment.plan(pod).existingNodes.length === 1;
  assert.equal(isTaken({ ...makePod('a'), status: { phase: 'Pending' } }), true);
  assert.equal(isTaken(makePod('a', { nodeName: 'deleting' })), true);
  assert.equal(isTaken(makePod('a', { nodeName: 'elsewhere' })), false);
  assert.equal(isTaken({ ...makePod('a'), status: { phase: 'Running' } }), false);
});

test('a what-if may bring a pool, or one in the place of another', () => {
  const { snapshot, options } = new TestEnvironment({ pools: [makePool('a')], pods: [makePod('pod')] });
  const base = finish(readPlanningBase(snapshot, options));
  const { instanceTypes } = snapshot.pools[0]!;
  const poolWith = (...pools: readonly NodePool[]) => {
    const withPools = pools.map((nodePool) => ({ nodePool, instanceTypes }));
    return finish(base.whatIf({ withPools })).newNodes[0]?.nodePool;
  };
  const full = { limits: { cpu: '0' } };
  assert.equal(poolWith(), 'a');
  assert.equal(poolWith(makePool('b', { weight: 2 })), 'b');
  assert.equal(poolWith(makePool('b', { weight: 2, ...full })), 'a');
  assert.equal(poolWith(makePool('a', full)), undefined);
});

test('pods on a node that is taken away keep others away, whether or not the index knows the words for it', () => {
  const shy = (name: string) => makePod(name, { affinity: away(podsWith(ZONE_LABEL)) });
  for (const pods of [[], [shy('known')]]) {
    const there = makeNode('there', {
      labels: { [ZONE_LABEL]: 'test-zone-1' },
      pods: [makePod('old', { labels: APP })],
    });
    const { snapshot, options } = new TestEnvironment({ nodes: [there], pods });
    const base = finish(readPlanningBase(snapshot, options));
    const plan = finish(base.whatIf({ withoutNodes: [idOf('there')], withPods: [shy('new')] }));
    assert.deepEqual(plan.existingNodes, []);
    assert.deepEqual(valuesOf(plan.newNodes[0]!, ZONE_LABEL), ['test-zone-2', 'test-zone-3']);
  }
});

test('a zone known only by a node that is taken away holds no spread back', () => {
  const spread = { labels: APP, topologySpreadConstraints: [spreadOver(ZONE_LABEL)] };
  const { snapshot, options } = new TestEnvironment({
    pools: [makePool('default', { requirements: [is(ZONE_LABEL, 'test-zone-1', 'test-zone-2')] })],
    nodes: [makeNode('third', { labels: { [ZONE_LABEL]: 'test-zone-3' }, allocatable: { pods: '0' } })],
    pods: ['a', 'b', 'c', 'd'].map((name) => makePod(name, spread)),
  });
  const base = finish(readPlanningBase(snapshot, options));
  assert.equal(finish(base.whatIf({})).unschedulable.length, 2);
  assert.equal(finish(base.whatIf({ withoutNodes: [idOf('third')] })).unschedulable.length, 0);
});

test('a rule over all namespaces reaches one that only a what-if brings', () => {
  const everywhere = podsWith(ZONE_LABEL, APP, { namespaceSelector: {} });
  const antiAffine = makePod('anti-affine', { affinity: away(everywhere) });
  const there = makeNode('there', { labels: { [ZONE_LABEL]: 'test-zone-1' }, pods: [antiAffine] });
  const { snapshot, options } = new TestEnvironment({ nodes: [there] });
  const base = finish(readPlanningBase(snapshot, options));
  const plan = finish(base.whatIf({ withPods: [makePod('new', { labels: APP, namespace: 'fresh' })] }));
  assert.deepEqual(valuesOf(plan.newNodes[0]!, ZONE_LABEL), ['test-zone-2', 'test-zone-3']);
});

test('pods that ask for a resource, or a part of a unit, that the index has not are placed all the same', () => {
  const tight = makeNode('tight', { allocatable: { cpu: '4', memory: '1', pods: '10' } });
  const { snapshot, options } = new TestEnvironment({ nodes: [tight] });
  const base = finish(readPlanningBase(snapshot, options));
  const isOnNew = (requests: ResourceList) =>
    finish(base.whatIf({ withPods: [makePod('a', { requests })] })).newNodes.length === 1;
  assert.equal(isOnNew({ memory: '1' }), false);
  assert.equal(isOnNew({ memory: '1500m' }), true);
  assert.equal(isOnNew({ 'fake.com/vendor-a': '0' }), false);
  assert.equal(isOnNew({ 'fake.com/vendor-a': '1' }), true);
});

test('pods without a UID are told apart by name, those with one by that', () => {
  const withoutUid = (name: string): Pod => ({ ...makePod(name), metadata: { name, namespace: 'default' } });
  const { snapshot, options } = new TestEnvironment({ pods: [withoutUid('a'), makePod('b')] });
  const base = finish(readPlanningBase(snapshot, options));
  const planned = (pod: Pod) => packing(finish(base.whatIf({ withPods: [pod] })));
  assert.deepEqual(planned(withoutUid('a')), [2]);
  assert.deepEqual(planned(withoutUid('c')), [3]);
  assert.deepEqual(planned(makePod('b')), [2]);
  assert.deepEqual(planned({ ...makePod('b'), metadata: { name: 'b', namespace: 'default', uid: 'again' } }), [3]);
});
