import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DO_NOT_DISRUPT, NODE_POOLS, type NodePool } from '@karpenter-ts/apis';
import { PODS } from '@karpenter-ts/kubernetes';
import { ownedBy, runningPod } from '../../testing/cluster-objects.ts';
import { BlockedNodes } from './blocked-nodes.ts';
import { countNodes, findAllowances } from '../budgets/budget-allowances.ts';
import { findConsolidationObstacle, findDriftObstacle, selectEligible } from '../candidates/eligibility.ts';
import { startDisruptionEnvironment } from '../testing/disruption-environment.ts';
import { type DescribedNode, freePool, node, NOW, podBudget, poolOf, scan, stateOf } from '../testing/cluster-state.ts';

const APP = { labels: { app: 'a' } };

interface Parts {
  readonly nodePool?: NodePool;
  readonly nominated?: readonly string[];
  readonly blocked?: BlockedNodes;
}

/** What blocks Drift on these nodes, in one pool. */
async function driftBlockers(nodes: readonly DescribedNode[], parts: Parts = {}) {
  const { nodePool = freePool('default'), nominated = [], blocked = new BlockedNodes() } = parts;
  const state = stateOf({ nodes, pools: [poolOf(nodePool)], budgets: [podBudget('b', 'a')], nominated });
  const { eventual } = await scan(state);
  const candidates = selectEligible(eventual.candidates, findDriftObstacle, NOW);
  const allowances = findAllowances('Drifted', state, countNodes(state.stateNodes));
  const look = { selection: eventual, candidates, findObstacle: findDriftObstacle, allowances, now: NOW };
  return { counts: Object.fromEntries(blocked.count('Drifted', look).get('default') ?? []), candidates };
}

function drifted(name: string, parts: Parameters<typeof node>[1] = {}): DescribedNode {
  return node(name, { conditions: ['Initialized', 'Drifted'], ...parts });
}

test('09/70 drifted nodes behind a PDB and those over the budget are counted apart', async () => {
  const pods = [runningPod('p', 'n', APP)];
  const nodes = [
    ...['a', 'b', 'c'].map((name) => drifted(name, { pods })),
    ...['d', 'e'].map((name) => drifted(name)),
    node('f', { pods }),
  ];
  const { counts } = await driftBlockers(nodes, { nodePool: freePool('default', { budgets: [{ nodes: '0' }] }) });
  assert.deepEqual(counts, { pdb: 3, budget: 2 });
  const { counts: withOne } = await driftBlockers(nodes, {
    nodePool: freePool('default', { budgets: [{ nodes: '1' }] }),
  });
  assert.deepEqual(withOne, { pdb: 3, budget: 1 });
});

test('a node counts at the first thing that blocks it, and only if it should go', async () => {
  const pods = [runningPod('p', 'n', APP)];
  const annotations = { [DO_NOT_DISRUPT]: 'true' };
  const nodes = [
    drifted('nominated', { annotations }),
    drifted('annotated', { annotations, pods }),
    node('undrifted', { annotations }),
    drifted('deleting', { isDeleting: true }),
    drifted('elsewhere', { pool: 'gone' }),
  ];
  const { counts } = await driftBlockers(nodes, { nominated: ['nominated'] });
  assert.deepEqual(counts, { nominated: 1, do_not_disrupt_node: 1 });
});

test('what a method found out is remembered as long as the node is its candidate, and until it looks again', async () => {
  const blocked = new BlockedNodes();
  const nodes = [drifted('a'), drifted('b')];
  const { candidates } = await driftBlockers(nodes);
  for (const candidate of candidates.eligible) blocked.note('Drifted', candidate, 'unschedulable');
  const noBudget = freePool('default', { budgets: [{ nodes: '0' }] });
  assert.deepEqual((await driftBlockers(nodes, { blocked, nodePool: noBudget })).counts, { unschedulable: 2 });
  blocked.note('Drifted', candidates.eligible[0]!, undefined);
  assert.deepEqual((await driftBlockers(nodes, { blocked })).counts, { unschedulable: 1 });
  assert.deepEqual((await driftBlockers([nodes[0]!], { blocked })).counts, {});
  assert.deepEqual((await driftBlockers(nodes, { blocked })).counts, {}); // node b was no candidate meanwhile
});

test('an empty node does not count for consolidation, although a pod keeps it', async () => {
  const pods = [
    runningPod('p', 'n', { annotations: { [DO_NOT_DISRUPT]: 'true' }, ownerReferences: ownedBy('DaemonSet') }),
  ];
  const busy = [...pods, runningPod('q', 'n')];
  const state = stateOf({
    nodes: [node('empty', { pods }), node('busy', { pods: busy })],
    pools: [poolOf(freePool('default'))],
  });
  const { graceful } = await scan(state);
  const candidates = selectEligible(graceful.candidates, findConsolidationObstacle, NOW);
  const allowances = findAllowances('Underutilized', state, countNodes(state.stateNodes));
  const look = { selection: graceful, candidates, findObstacle: findConsolidationObstacle, allowances, now: NOW };
  const counts = new BlockedNodes().count('Underutilized', look);
  assert.deepEqual([...counts.get('default')!], [['do_not_disrupt_pod', 1]]);
});

test('09/70 metrics show what keeps nodes while it does', async (t) => {
  const env = await startDisruptionEnvironment(t);
  await env.addPool();
  await env.addNode('a', { conditions: ['Drifted'] });
  await env.addPod('p', 'a', { annotations: { [DO_NOT_DISRUPT]: 'true' } });
  await env.pass();
  const nodes = 'karpenter_ext_nodes_blocked{blocker="do_not_disrupt_pod",nodepool="default",reason="drifted"}';
  const pods = 'karpenter_ext_blocking_pods{blocker="do_not_disrupt_pod",namespace="default"}';
  assert.deepEqual([await env.metric(nodes), await env.metric(pods)], [1, 1]);
  await env.delete(PODS, 'default/p');
  await env.pass();
  assert.deepEqual([await env.metric(nodes), await env.metric(pods)], [undefined, undefined]);
});

test('09/119 of a closed window and a saving that is too small the window counts, because it is asked first', async (t) => {
  const env = await startDisruptionEnvironment(t);
  const annotations = { 'karpenter-ts.dev/min-savings': '99%' };
  await env.addPool('default', { annotations });
  await env.addNode('a', { type: 'fake-it-7' });
  await env.addPod('p', 'a');
  const blockers = async (): Promise<readonly (number | undefined)[]> => {
    await env.pass();
    const series = (blocker: string): string =>
      `karpenter_ext_nodes_blocked{blocker="${blocker}",nodepool="default",reason="underutilized"}`;
    return [await env.metric(series('window')), await env.metric(series('min_savings'))];
  };
  assert.deepEqual(await blockers(), [undefined, 1]);
  const closed = '[{"from":"2000-01-01T00:00","to":"2000-01-02T00:00"}]';
  await env.change(NODE_POOLS, 'default', {
    metadata: { annotations: { 'karpenter-ts.dev/disruption-windows': closed } },
  });
  assert.deepEqual(await blockers(), [1, undefined]);
});
