import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CAPACITY_TYPE_LABEL, INSTANCE_TYPE_LABEL, type NodePool, ZONE_LABEL } from '@karpenter-ts/apis';
import { POD_DELETION_COST } from '../../pods/eviction-cost.ts';
import { conditionOf, ownedBy, readyPool, runningPod } from '../../testing/cluster-objects.ts';
import { renderIneligibility } from '../candidates/block-text.ts';
import { BudgetCounter, countNodes, findAllowances } from '../budgets/budget-allowances.ts';
import { findConsolidationObstacle, findEmptinessObstacle, selectEligible } from '../candidates/eligibility.ts';
import { findEmptyNodes } from './empty-nodes.ts';
import { type DescribedNode, freePool, namesOf, node, NOW, poolOf, scan, stateOf } from '../testing/cluster-state.ts';

/** What Emptiness does with these nodes. */
async function emptiness(nodes: readonly DescribedNode[], nodePools: readonly NodePool[] = [freePool('default')]) {
  const state = stateOf({ nodes, pools: nodePools.map((nodePool) => poolOf(nodePool)) });
  const { graceful } = await scan(state);
  const { eligible, ineligible } = selectEligible(graceful.candidates, findEmptinessObstacle, NOW);
  const budgets = new BudgetCounter(findAllowances('Empty', state, countNodes(state.stateNodes)));
  const command = findEmptyNodes(eligible, budgets);
  const whys = ineligible.map(({ why }) => why.kind);
  const texts = ineligible.flatMap(({ why }) => renderIneligibility(why) ?? []);
  return { command, chosen: namesOf(command?.candidates ?? []), whys, texts, isConstrained: budgets.isConstrained };
}

function poolWith(budgets: NodePool['spec']['disruption']['budgets'], name = 'default'): NodePool {
  return freePool(name, { budgets });
}

function many(count: number, parts: Parameters<typeof node>[1] = {}): readonly DescribedNode[] {
  return Array.from({ length: count }, (_, i) => node(`${parts.pool ?? 'n'}-${i}`, parts));
}

test('04/51 an empty node that is consolidatable is deleted, and nothing is bought', async () => {
  const { command } = await emptiness([node('a')]);
  const { method, reason, consolidationType, replacements, plan, savings } = command!;
  assert.deepEqual([method, reason, consolidationType, savings], ['Emptiness', 'Empty', 'empty', 1]);
  assert.deepEqual([replacements, plan], [[], undefined]);
});

test('04/52 04/177 a node that is not consolidatable does not concern Emptiness', async () => {
  const nodes = [node('a', { conditions: [] }), node('b', { conditions: [conditionOf('Consolidatable', 'False')] })];
  const { chosen, whys, texts } = await emptiness(nodes);
  assert.deepEqual(chosen, []);
  assert.deepEqual(whys, ['NotConsolidatable', 'NotConsolidatable']);
  assert.deepEqual(texts, []);
});

test('04/53 every policy deletes empty nodes, unless consolidateAfter is Never', async () => {
  for (const consolidationPolicy of ['WhenEmpty', 'WhenEmptyOrUnderutilized', 'Balanced'] as const) {
    const { chosen } = await emptiness([node('a')], [freePool('default', { consolidationPolicy })]);
    assert.deepEqual(chosen, ['a']);
  }
  const { chosen, texts } = await emptiness([node('a')], [freePool('default', { consolidateAfter: 'Never' })]);
  assert.deepEqual(chosen, []);
  assert.deepEqual(texts, ['NodePool "default" has consolidation disabled']);
});

test('04/54 pods of DaemonSets and pods that do not come back leave a node empty', async () => {
  const deletionTimestamp = '2026-01-01T00:00:00Z';
  const going = (owner: string) => {
    const pod = runningPod('p', 'n', { ownerReferences: ownedBy(owner) });
    return { ...pod, metadata: { ...pod.metadata, deletionTimestamp } };
  };
  const nodes = [
    node('daemon', { pods: [runningPod('p', 'n', { ownerReferences: ownedBy('DaemonSet') })] }),
    node('replica', { pods: [going('ReplicaSet')] }),
    node('stateful', { pods: [going('StatefulSet')] }),
    node('running', { pods: [runningPod('p', 'n')] }),
  ];
  const { chosen, whys } = await emptiness(nodes);
  assert.deepEqual(chosen, ['daemon', 'replica']);
  assert.deepEqual(whys, ['NotEmpty', 'NotEmpty']);
});

test('a node counts as empty if the eviction of all its pods costs nothing', async () => {
  const free = runningPod('p', 'n', { annotations: { [POD_DELETION_COST]: '-134217728' } });
  const cheap = runningPod('p', 'n', { annotations: { [POD_DELETION_COST]: '-134217727' } });
  const { chosen } = await emptiness([node('free', { pods: [free] }), node('cheap', { pods: [cheap] })]);
  assert.deepEqual(chosen, ['free']);
});

test('04/58 04/175 nodes of a static pool are left alone, whatever their conditions say', async () => {
  const { chosen, whys } = await emptiness([node('a')], [readyPool('default', { replicas: 1 })]);
  assert.deepEqual([chosen, whys], [[], ['StaticPool']]);
});

test('04/48 a budget limits how many go at once, and that something was held back is remembered', async () => {
  const nodes = many(10);
  const with3 = await emptiness(nodes, [poolWith([{ nodes: '3' }])]);
  assert.deepEqual([with3.chosen.length, with3.isConstrained], [3, true]);
  const withAll = await emptiness(nodes, [poolWith([{ nodes: '100%' }])]);
  assert.deepEqual([withAll.chosen.length, withAll.isConstrained], [10, false]);
  const withNone = await emptiness(nodes, [poolWith([{ nodes: '0%' }])]);
  assert.deepEqual([withNone.command, withNone.isConstrained], [undefined, true]);
});

test('04/49 each pool has its own budget', async () => {
  const names = Array.from({ length: 10 }, (_, i) => `p${i}`);
  const nodes = names.flatMap((pool) => many(3, { pool }));
  const { chosen } = await emptiness(
    nodes,
    names.map((name) => poolWith([{ nodes: '2' }], name)),
  );
  assert.equal(chosen.length, 20);
});

test('04/126 those that save most go first; equal ones by name', async () => {
  const large = { [INSTANCE_TYPE_LABEL]: 'large' };
  const nodes = [node('b'), node('c', { labels: large }), node('a')];
  const { chosen } = await emptiness(nodes, [poolWith([{ nodes: '2' }])]);
  assert.deepEqual(chosen, ['c', 'a']);
});

/** Why consolidation leaves the only node alone: kind and text. */
async function consolidation(described: DescribedNode, nodePool = freePool('default')) {
  const { graceful } = await scan(stateOf({ nodes: [described], pools: [poolOf(nodePool)] }));
  const { ineligible } = selectEligible(graceful.candidates, findConsolidationObstacle, NOW);
  return ineligible.map(({ why }) => [why.kind, renderIneligibility(why)])[0];
}

test('04/106 consolidation must know what a node was bought as, and says what is missing', async () => {
  const without = (label: string) => node('n', { labels: { [label]: undefined } });
  assert.deepEqual(await consolidation(node('n', { labels: { [INSTANCE_TYPE_LABEL]: 'gone' } })), [
    'InstanceTypeNotFound',
    'Instance Type "gone" not found',
  ]);
  assert.deepEqual(await consolidation(without(INSTANCE_TYPE_LABEL)), [
    'InstanceTypeNotFound',
    'Instance Type "" not found',
  ]);
  for (const label of [CAPACITY_TYPE_LABEL, ZONE_LABEL]) {
    assert.deepEqual(await consolidation(without(label)), ['LabelMissing', `Node does not have label "${label}"`]);
  }
});

test('04/106 04/177 consolidation leaves nodes alone whose pool does not want it, and says so', async () => {
  const busy = node('n', { pods: [runningPod('p', 'n')] });
  assert.equal(await consolidation(busy), undefined);
  assert.deepEqual(await consolidation(busy, freePool('default', { consolidateAfter: 'Never' })), [
    'ConsolidationDisabled',
    'NodePool "default" has consolidation disabled',
  ]);
  assert.deepEqual(await consolidation(busy, freePool('default', { consolidationPolicy: 'WhenEmpty' })), [
    'OnlyWhenEmpty',
    'NodePool "default" has consolidation policy WhenEmpty, but node is not empty',
  ]);
  assert.deepEqual(await consolidation(node('n')), ['Empty', undefined]);
  const pods = [runningPod('p', 'n')];
  assert.deepEqual(await consolidation(node('n', { pods, conditions: [] })), ['NotConsolidatable', undefined]);
  assert.deepEqual(await consolidation(busy, readyPool('default', { replicas: 1 })), ['StaticPool', undefined]);
});
