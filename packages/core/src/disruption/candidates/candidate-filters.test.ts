import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  CAPACITY_TYPE_LABEL,
  DISRUPTED_TAINT,
  DO_NOT_DISRUPT,
  INITIALIZED_LABEL,
  INSTANCE_TYPE_LABEL,
  NODEPOOL_LABEL,
  REGISTERED_LABEL,
  ZONE_LABEL,
} from '@karpenter-ts/apis';
import type { Pod, PodDisruptionBudget } from '@karpenter-ts/kubernetes';
import { ownedBy, runningPod } from '../../testing/cluster-objects.ts';
import { countTurns } from '../../testing/turns.ts';
import { renderBlock } from './block-text.ts';
import { blockerOf } from '../reports/blockers.ts';
import type { DisruptionClass } from './candidate.ts';
import { CandidateFinder } from './candidate-filters.ts';
import { type DescribedNode, node, NOW, podBudget, poolOf, scan, stateOf } from '../testing/cluster-state.ts';

type ClusterParts = Parameters<typeof stateOf>[0];

/** `candidate` for the only node of a cluster, or the text about it; `no event` if there is none. */
async function verdictOn(
  described: DescribedNode,
  parts: Omit<ClusterParts, 'nodes'> = {},
  of: DisruptionClass = 'graceful',
): Promise<string> {
  const { [of]: selection } = await scan(stateOf({ nodes: [described], ...parts }));
  const [blocked] = selection.blocked;
  assert.equal(selection.candidates.length + selection.blocked.length, 1);
  return blocked === undefined ? 'candidate' : (renderBlock(blocked.why) ?? 'no event');
}

type PodParts = Parameters<typeof runningPod>[2];

function protectedPod(parts: PodParts = {}, value = 'true'): Pod {
  return runningPod('p', 'n', { annotations: { [DO_NOT_DISRUPT]: value }, ...parts });
}

/** The verdict on a node with this pod. */
function verdictOnPod(pod: Pod, budgets: readonly PodDisruptionBudget[] = []): Promise<string> {
  return verdictOn(node('n', { pods: [pod] }), { budgets });
}

const PROTECTED = 'Pod has "karpenter.sh/do-not-disrupt" annotation (Pod=default/p)';
const APP = { labels: { app: 'a' } };
const MIRROR = { ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'n', controller: true }] };
const GOING = { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } };

function going(pod: Pod): Pod {
  return { ...pod, metadata: { ...pod.metadata, ...GOING.metadata } };
}

test('04/9 04/10 04/11 a pod with do-not-disrupt keeps its node, be it of a DaemonSet or a mirror pod', async () => {
  for (const parts of [{}, { ownerReferences: ownedBy('DaemonSet') }, MIRROR]) {
    assert.equal(await verdictOnPod(protectedPod(parts)), PROTECTED);
  }
});

test('04/12 a pod that is going or has ended does not keep its node', async () => {
  assert.equal(await verdictOnPod(going(protectedPod())), 'candidate');
  for (const phase of ['Succeeded', 'Failed']) {
    assert.equal(await verdictOnPod(protectedPod({ status: { phase } })), 'candidate');
  }
});

test('04/13 04/14 a terminationGracePeriod ends what pods keep, for the class eventual alone', async () => {
  const blocked = [protectedPod(), runningPod('b', 'n', APP)];
  for (const pod of blocked) {
    const budgets = [podBudget('a', 'a')];
    const text = pod === blocked[0] ? PROTECTED : 'Pdb prevents pod evictions (PodDisruptionBudget=[default/a])';
    for (const terminationGracePeriod of ['0s', '1h']) {
      const bounded = node('n', { pods: [pod], claim: { terminationGracePeriod } });
      assert.equal(await verdictOn(bounded, { budgets }, 'graceful'), text);
      assert.equal(await verdictOn(bounded, { budgets }, 'eventual'), 'candidate');
    }
    assert.equal(await verdictOn(node('n', { pods: [pod] }), { budgets }, 'eventual'), text);
  }
});

test('a terminationGracePeriod ends nothing of what the node itself says', async () => {
  const claim = { terminationGracePeriod: '1h' };
  const kept = node('n', { claim, annotations: { [DO_NOT_DISRUPT]: 'true' } });
  assert.match(await verdictOn(kept, {}, 'eventual'), /^Disruption is blocked/);
});

test('04/15 a pod with two PodDisruptionBudgets keeps its node, whatever they allow', async () => {
  const budgets = [podBudget('b', 'a', { disruptionsAllowed: 1 }), podBudget('a', 'a', { disruptionsAllowed: 1 })];
  assert.equal(
    await verdictOnPod(runningPod('p', 'n', APP), budgets),
    'Eviction does not support multiple PDBs (PodDisruptionBudget(s)=[default/a default/b])',
  );
});

test('04/16 04/161 a budget keeps the node of pods that are evicted, and of no others', async () => {
  const budgets = [podBudget('b', 'a', { maxUnavailable: 0 })];
  const pod = (parts: PodParts) => runningPod('p', 'n', { ...APP, ...parts });
  const text = 'Pdb prevents pod evictions (PodDisruptionBudget=[default/b])';
  assert.equal(await verdictOnPod(pod({ ownerReferences: ownedBy('DaemonSet') }), budgets), text);
  const stays = { tolerations: [{ key: DISRUPTED_TAINT.key, operator: 'Exists' }] } as const;
  for (const one of [pod(MIRROR), pod({ status: { phase: 'Failed' } }), going(pod({})), pod(stays)]) {
    assert.equal(await verdictOnPod(one, budgets), 'candidate');
  }
});

test('04/17 a pod that is not ready goes if its budget lets such pods go', async () => {
  const unready = { phase: 'Running', conditions: [{ type: 'Ready', status: 'False' }] };
  const pod = runningPod('p', 'n', { ...APP, status: unready });
  const always = podBudget('b', 'a', { unhealthyPodEvictionPolicy: 'AlwaysAllow' });
  assert.equal(await verdictOnPod(pod, [always]), 'candidate');
  assert.match(await verdictOnPod(pod, [podBudget('b', 'a')]), /^Pdb prevents/);
});

test('04/18 04/163 a budget selects pods of its namespace: all if its selector is empty, none without one', async () => {
  const pod = runningPod('p', 'n', APP);
  const budget = podBudget('b', 'a');
  const elsewhere = { ...budget, metadata: { name: 'b', namespace: 'other' } };
  const withSelector = (selector: PodDisruptionBudget['spec']['selector']) => ({ ...budget, spec: { selector } });
  assert.equal(await verdictOnPod(pod, [elsewhere]), 'candidate');
  assert.match(await verdictOnPod(pod, [withSelector({})]), /^Pdb prevents/);
  assert.equal(await verdictOnPod(pod, [withSelector(undefined)]), 'candidate');
});

test('the first pod that keeps the node is named, and do-not-disrupt before any budget', async () => {
  const pods = [runningPod('a', 'n', APP), protectedPod({}, '1m'), protectedPod()];
  const budgets = [podBudget('b', 'a')];
  const names = ['first', 'second', 'third'];
  const named = pods.map((pod, i) => ({ ...pod, metadata: { ...pod.metadata, name: names[i]! } }));
  assert.match(await verdictOn(node('n', { pods: named }), { budgets }), /Pod=default\/second/);
});

test('04/19 the annotation on the Node keeps it if it is exactly true', async () => {
  const verdict = (value: string) => verdictOn(node('n', { annotations: { [DO_NOT_DISRUPT]: value } }));
  assert.equal(await verdict('true'), 'Disruption is blocked through the "karpenter.sh/do-not-disrupt" annotation');
  for (const value of ['false', '10h', '']) assert.equal(await verdict(value), 'candidate');
});

test('the annotation on the NodeClaim counts until the Node is registered', async () => {
  const claimMetadata = { annotations: { [DO_NOT_DISRUPT]: 'true' } };
  assert.equal(await verdictOn(node('n', { claimMetadata })), 'candidate');
  const labels = { [REGISTERED_LABEL]: undefined };
  assert.match(await verdictOn(node('n', { claimMetadata, labels })), /^Disruption is blocked/);
});

test('04/20 a Node or a NodeClaim alone is no candidate; there is an event about the NodeClaim', async () => {
  assert.equal(await verdictOn(node('n', { only: 'Node' })), 'no event');
  assert.equal(await verdictOn(node('n', { only: 'NodeClaim' })), 'Nodeclaim does not have an associated node');
});

test('04/21 a nominated node is no candidate', async () => {
  assert.equal(await verdictOn(node('n'), { nominated: ['n'] }), 'Node is nominated for a pending pod');
  assert.equal(await verdictOn(node('n'), { nominated: [] }), 'candidate');
});

test('04/22 a node that is deleting or not initialized is no candidate', async () => {
  assert.equal(await verdictOn(node('n', { isDeleting: true })), 'Node is deleting or marked for deletion');
  for (const value of [undefined, 'false']) {
    assert.equal(await verdictOn(node('n', { labels: { [INITIALIZED_LABEL]: value } })), "Node isn't initialized");
  }
});

test('04/23 04/94 a node needs a managed NodePool that offers instance types', async () => {
  const noLabel = node('n', { labels: { [NODEPOOL_LABEL]: undefined } });
  assert.equal(await verdictOn(noLabel), "Node doesn't have required label (label=karpenter.sh/nodepool)");
  assert.equal(await verdictOn(node('n', { pool: 'x' })), 'NodePool not found (NodePool=x)');
  assert.equal(await verdictOn(node('n'), { pools: [poolOf('default', [])] }), 'NodePool not found (NodePool=default)');
  const nodes = [node('a', { pool: 'none' }), node('b', { pool: 'some' })];
  const { graceful } = await scan(stateOf({ nodes, pools: [poolOf('none', []), poolOf('some')] }));
  assert.deepEqual(
    graceful.candidates.map(({ pool }) => pool.nodePool.metadata.name),
    ['some'],
  );
});

test('04/24 04/30 a node that is not known to be of any type is a candidate that costs nothing', async () => {
  for (const labels of [
    { [CAPACITY_TYPE_LABEL]: undefined },
    { [ZONE_LABEL]: undefined },
    { [INSTANCE_TYPE_LABEL]: undefined },
    { [INSTANCE_TYPE_LABEL]: 'gone' },
  ]) {
    const { graceful } = await scan(stateOf({ nodes: [node('n', { labels })] }));
    assert.deepEqual(
      graceful.candidates.map(({ price, savingsRatio }) => ({ price, savingsRatio })),
      [{ price: 0, savingsRatio: 0 }],
    );
  }
});

test('04/25 a node that a command disrupts already is no candidate, and there is no event', async () => {
  assert.equal(await verdictOn(node('n'), { queued: ['n'] }), 'no event');
});

test('what comes first keeps the node: upstream has one text about it', async () => {
  const all = { pods: [protectedPod()], annotations: { [DO_NOT_DISRUPT]: 'true' }, pool: 'x', isDeleting: true };
  assert.match(await verdictOn(node('n', all), { nominated: ['n'] }), /^Node is deleting/);
  const kept = node('n', { ...all, isDeleting: false });
  assert.match(await verdictOn(kept, { nominated: ['n'] }), /^Node is nominated/);
  assert.match(await verdictOn(kept), /^Disruption is blocked/);
  assert.match(await verdictOn(node('n', { pool: 'x', pods: [protectedPod()] })), /^NodePool not found/);
});

test('04/74 a pod keeps its node for as long as it says, the longest of them rules', async () => {
  const start = { status: { phase: 'Running', startTime: '2026-01-02T00:00:00Z' } };
  const pods = [protectedPod(start, '1m'), protectedPod(start, '3m')];
  const verdictAfter = (minutes: number) => verdictOn(node('n', { pods }), { now: NOW + minutes * 60_000 });
  assert.deepEqual(await Promise.all([0, 1, 2.99, 3].map(verdictAfter)), [
    PROTECTED,
    PROTECTED,
    PROTECTED,
    'candidate',
  ]);
});

test('04/75 an annotation that cannot be read keeps no node, and its pod is among those to publish events about', async () => {
  const pods = [protectedPod({}, 'invalid-format'), runningPod('q', 'n')];
  const { graceful, annotatedPods } = await scan(stateOf({ nodes: [node('n', { pods })] }));
  assert.equal(graceful.candidates.length, 1);
  assert.deepEqual(annotatedPods, [pods[0]]);
});

test('04/168 pods without an owner move like others', async () => {
  const pods = [runningPod('p', 'n')];
  const { graceful } = await scan(stateOf({ nodes: [node('n', { pods })] }));
  assert.deepEqual(graceful.candidates[0]!.reschedulablePods, pods);
});

test('a candidate of both classes is one object, so that what is known of it holds in both', async () => {
  const { graceful, eventual } = await scan(stateOf({ nodes: [node('n')] }));
  assert.equal(graceful.candidates[0], eventual.candidates[0]);
});

test('each reason has its value of the label `blocker`; nothing waits for nodes that are on their way out', async () => {
  const nodes = [
    node('a', { only: 'NodeClaim' }),
    node('b', { pods: [protectedPod()] }),
    node('c', { pods: [runningPod('p', 'c', APP)] }),
    node('d', { annotations: { [DO_NOT_DISRUPT]: 'true' } }),
    node('e'),
    node('f', { isDeleting: true }),
  ];
  const { graceful } = await scan(stateOf({ nodes, nominated: ['e'], budgets: [podBudget('b', 'a')] }));
  assert.deepEqual(
    graceful.blocked.map(({ why }) => blockerOf(why)),
    ['not_initialized', 'do_not_disrupt_pod', 'pdb', 'do_not_disrupt_node', 'nominated', undefined],
  );
});

test('what a finder remembers follows the pods, the node and the budgets', async () => {
  const finder = new CandidateFinder();
  const pod = runningPod('p', 'n', APP);
  const described = node('n', { pods: [pod] });
  const look = async (pods: readonly Pod[], budgets: readonly PodDisruptionBudget[]) => {
    const { graceful } = await scan(stateOf({ nodes: [{ ...described, pods }], budgets }), finder);
    return graceful.candidates.map(({ rescheduleDisruptionCost }) => rescheduleDisruptionCost);
  };
  assert.deepEqual(await look([pod], []), [2]);
  assert.deepEqual(await look([pod], [podBudget('b', 'a')]), []);
  assert.deepEqual(await look([pod], [podBudget('b', 'a', { disruptionsAllowed: 1 })]), [2]);
  assert.deepEqual(await look([pod, runningPod('q', 'n')], []), [3]);
  const ended: Pod = { ...pod, status: { phase: 'Succeeded' } }; // the state node stays the same object
  assert.deepEqual(await look([ended], []), [1]);
});

test('a scan asks after every node whether others want to work', async () => {
  const nodes = Array.from({ length: 50 }, (_, i) => node(`n${i}`));
  const state = stateOf({ nodes });
  const turns = await countTurns((slices) => new CandidateFinder().find(state, slices));
  assert.ok(turns >= 50, `${turns} turns`);
});
