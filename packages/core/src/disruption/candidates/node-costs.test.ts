import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CAPACITY_TYPE_LABEL } from '@karpenter-ts/apis';
import { HOUR } from '@karpenter-ts/runtime';
import { fakeType, makeOffering } from '@karpenter-ts/scheduling/testing';
import { POD_DELETION_COST } from '../../pods/eviction-cost.ts';
import { ownedBy, runningPod } from '../../testing/cluster-objects.ts';
import { isEmpty } from './eligibility.ts';
import { candidatesOf, node, NOW, poolOf, scan, stateOf } from '../testing/cluster-state.ts';

/** The only candidate among these nodes. */
async function candidateOf(...args: Parameters<typeof node>) {
  const [candidate] = await candidatesOf({ nodes: [node(...args)] });
  return candidate!;
}

function priced(name: string, deletionCost: string) {
  return runningPod(name, 'n', { annotations: { [POD_DELETION_COST]: deletionCost } });
}

test('04/29 pods that ask to go first leave the node empty, but they still need another node', async () => {
  const candidate = await candidateOf('n', { pods: [priced('a', '-2147483648'), priced('b', '-2147483648')] });
  assert.equal(candidate.rescheduleDisruptionCost, 1);
  assert.equal(isEmpty(candidate), true);
  assert.equal(candidate.reschedulablePods.length, 2);
});

test('all pods make a node dear to disrupt; only those that need another node count for its savings ratio', async () => {
  const pods = [
    runningPod('a', 'n'),
    runningPod('b', 'n', { ownerReferences: ownedBy('DaemonSet') }),
    runningPod('c', 'n', { status: { phase: 'Succeeded' } }),
  ];
  const candidate = await candidateOf('n', { pods });
  assert.equal(candidate.disruptionCost, 3);
  assert.equal(candidate.rescheduleDisruptionCost, 2);
  assert.equal(candidate.savingsRatio, 0.5);
});

test('the less life is left to a NodeClaim, the less its disruption costs; without an end nothing changes', async () => {
  const costs = async (expireAfter: string, now = NOW) => {
    const nodes = [node('n', { pods: [runningPod('a', 'n')], claim: { expireAfter } })];
    return (await candidatesOf({ nodes, now }))[0]!.disruptionCost;
  };
  // The NodeClaim was created a day before NOW.
  assert.equal(await costs('Never'), 1);
  assert.equal(await costs('48h'), 0.5);
  assert.equal(await costs('48h', NOW + 12 * HOUR), 0.25);
  assert.equal(await costs('48h', NOW + 100 * HOUR), 0);
  assert.equal(await costs('48h', NOW - 100 * HOUR), 1);
  assert.equal(await costs('0s'), 0);
});

test('04/30 04/31 a node costs what its offering costs, although that cannot be had any more; NaN counts as 0', async () => {
  const spot = { [CAPACITY_TYPE_LABEL]: 'spot' };
  const offerings = [
    makeOffering('zone-a', 'on-demand', 3, { available: false }),
    makeOffering('zone-a', 'on-demand', 4),
    makeOffering('zone-a', 'spot', Number.NaN),
  ];
  const pools = [poolOf('default', [fakeType('small', { offerings })])];
  const candidates = await candidatesOf({ nodes: [node('a'), node('b', { labels: spot })], pools });
  assert.deepEqual(
    candidates.map(({ price, savingsRatio }) => [price, savingsRatio]),
    [
      [3, 3],
      [0, 0],
    ],
  );
});

test('04/28 a deletion cost that is no number is told, and counts as none', async () => {
  const pods = [priced('a', 'abc'), priced('b', '0')];
  const { graceful, invalidCosts } = await scan(stateOf({ nodes: [node('n', { pods })] }));
  assert.equal(graceful.candidates[0]!.rescheduleDisruptionCost, 3);
  assert.deepEqual(
    invalidCosts.map(({ pod, value }) => [pod.metadata.name, value]),
    [['a', 'abc']],
  );
});
