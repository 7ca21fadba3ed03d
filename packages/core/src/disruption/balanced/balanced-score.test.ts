import assert from 'node:assert/strict';
import { test } from 'node:test';
import { INSTANCE_TYPE_LABEL, type NodePool } from '@karpenter-ts/apis';
import { runningPod } from '../../testing/cluster-objects.ts';
import { mayBeApproved, renderScore, scoreMove, scoreShares } from './balanced-score.ts';
import { findPoolTotals, type PoolTotals } from './pool-totals.ts';
import { CandidateFinder } from '../candidates/candidate-filters.ts';
import { candidatesOf, freePool, node, poolOf, scan, stateOf } from '../testing/cluster-state.ts';

type Policy = NodePool['spec']['disruption']['consolidationPolicy'];

function pool(name: string, consolidationPolicy: Policy = 'Balanced') {
  return poolOf(freePool(name, { consolidationPolicy }));
}

/** Candidates by pool: their number of pods, one node each. */
function candidates(
  pods: Readonly<Record<string, readonly number[]>>,
  policies: Readonly<Record<string, Policy>> = {},
) {
  return candidatesOf({
    pools: Object.keys(pods).map((name) => pool(name, policies[name])),
    nodes: Object.entries(pods).flatMap(([name, counts]) =>
      counts.map((count, i) =>
        node(`${name}-${i}`, { pool: name, pods: Array.from({ length: count }, () => runningPod('p', 'n')) }),
      ),
    ),
  });
}

const POOL: PoolTotals = { cost: 58.08, disruptionCost: 80 };

test('04/119 moves of the worked example are scored and decided as there', () => {
  const decide = (savings: number, disruptionCost: number, totals = POOL, k?: number) => {
    const { value, isApproved } = scoreShares({ savings, disruptionCost }, totals, k);
    return [value.toFixed(2), isApproved];
  };
  assert.deepEqual(decide(7.26, 3), ['3.33', true]);
  assert.deepEqual(decide(4.84, 4), ['1.67', true]);
  assert.deepEqual(decide(2.42, 8), ['0.42', false]);
  assert.deepEqual(decide(2.42, 8, { cost: 48.4, disruptionCost: 80 }), ['0.50', true]);
  assert.deepEqual(decide(2.42, 8, POOL, 3), ['0.42', true]);
  assert.deepEqual(decide(2.42, 8, POOL, 1), ['0.42', false]);
});

test('04/120 without savings or totals a move is rejected; what disturbs nothing is approved', () => {
  const score = (savings: number, disruptionCost: number, totals = POOL) => {
    const { value, isApproved } = scoreShares({ savings, disruptionCost }, totals);
    return [value, isApproved];
  };
  assert.deepEqual(score(0, 3), [0, false]);
  assert.deepEqual(score(-1, 3), [0, false]);
  assert.deepEqual(score(0, 0), [0, false]);
  assert.deepEqual(score(1, 3, { cost: 0, disruptionCost: 80 }), [0, false]);
  assert.deepEqual(score(1, 3, { cost: 58, disruptionCost: 0 }), [0, false]);
  assert.deepEqual(score(1, 0), [Number.POSITIVE_INFINITY, true]);
});

test('04/120 04/182 a pool of unknown totals and a command without candidates are rejected', async () => {
  const move = { candidates: await candidates({ a: [1] }), savings: 1 };
  assert.equal(scoreMove(move, new Map()).isApproved, false);
  assert.equal(scoreMove({ candidates: [], savings: 1 }, new Map([['a', POOL]])).isApproved, false);
});

test('04/121 04/184 pools share the savings by what their candidates cost; all must approve, all are scored', async () => {
  const two = await candidates({ a: [1], b: [1] });
  const move = { candidates: two.map((one, i) => ({ ...one, price: i === 0 ? 3 : 1 })), savings: 2 };
  const totals = new Map([
    ['a', { cost: 3, disruptionCost: 2 }],
    ['b', { cost: 100, disruptionCost: 2 }],
  ]);
  const { isApproved, pools } = scoreMove(move, totals);
  assert.equal(isApproved, false);
  assert.deepEqual(
    pools.map(({ nodePool, savings, score }) => [nodePool.metadata.name, savings, score.isApproved]),
    [
      ['a', 1.5, true],
      ['b', 0.5, false],
    ],
  );
});

test('04/124 04/183 pools of another policy are not scored and reject nothing, but pay their part', async () => {
  const move = { candidates: await candidates({ a: [1], b: [1] }, { b: 'WhenEmptyOrUnderutilized' }), savings: 2 };
  const { isApproved, pools } = scoreMove(move, new Map([['a', { cost: 1, disruptionCost: 2 }]]));
  assert.equal(isApproved, true);
  assert.deepEqual(
    pools.map(({ nodePool, savings, disruptionCost }) => [nodePool.metadata.name, savings, disruptionCost]),
    [['a', 1, 2]],
  );
});

test('savings without known prices are not divided', async () => {
  const two = (await candidates({ a: [1], b: [1] })).map((one) => ({ ...one, price: 0 }));
  const { pools } = scoreMove({ candidates: two, savings: 2 }, new Map());
  assert.deepEqual(
    pools.map(({ savings }) => savings),
    [2, 2],
  );
});

test('04/182 to delete the only node of a pool scores 1', async () => {
  const [only] = await candidates({ a: [4] });
  const totals = new Map([['a', { cost: only!.price, disruptionCost: only!.rescheduleDisruptionCost }]]);
  const { pools } = scoreMove({ candidates: [only!], savings: only!.price }, totals);
  assert.equal(pools[0]?.score.value, 1);
});

test('a candidate is worth a simulation if its deletion would be approved, or nothing is known', async () => {
  const [one] = await candidates({ a: [3] }); // price 1, disruption 4
  const may = (cost: number) => mayBeApproved(one!, new Map([['a', { cost, disruptionCost: 40 }]]));
  assert.deepEqual([may(20), may(20.1)], [true, false]);
  assert.equal(mayBeApproved(one!, new Map()), true);
  assert.equal(may(0), true);
  const [other] = await candidates({ a: [3] }, { a: 'WhenEmptyOrUnderutilized' });
  assert.equal(mayBeApproved(other!, new Map([['a', { cost: 1000, disruptionCost: 4 }]])), true);
});

test('04/122 the text of an approval has the score and the shares', () => {
  assert.equal(
    renderScore(scoreShares({ savings: 7.26, disruptionCost: 3 }, POOL)),
    'score 3.33 >= threshold 0.50 (k: 2, savings 12.5%, disruption 3.8%)',
  );
  assert.match(renderScore(scoreShares({ savings: 1, disruptionCost: 0 }, POOL)), /^score \+Inf >= /);
});

test('totals are those of all nodes of the pools with candidates', async () => {
  const deletionTimestamp = '2026-01-01T00:00:00Z';
  const going = { ...runningPod('g', 'n'), metadata: { name: 'g', namespace: 'default', deletionTimestamp } };
  const pods = [runningPod('p', 'n'), going];
  const large = { [INSTANCE_TYPE_LABEL]: 'large' };
  const nodes = [
    node('candidate', { pods }),
    node('blocked', { pods, labels: large }),
    node('deleting', { isDeleting: true }),
    node('starting', { only: 'NodeClaim' }),
    node('theirs', { only: 'Node', pods }),
    node('elsewhere', { pool: 'idle', isDeleting: true }),
  ];
  const state = stateOf({ nodes, pools: [pool('default'), pool('idle')], nominated: ['blocked'] });
  const finder = new CandidateFinder();
  const totals = findPoolTotals((await scan(state, finder)).graceful, state, finder.prices);
  // 2 for the candidate, whose pod that is going does not count; 3, 1, 1 and 3 for the others.
  assert.deepEqual([...totals], [['default', { cost: 1 + 2 + 1 + 1, disruptionCost: 2 + 3 + 1 + 1 + 3 }]]);
});

test('04/30 totals stay numbers without prices; if no NodeClaim has a price, those of the Nodes count', async () => {
  const unknown = { [INSTANCE_TYPE_LABEL]: 'gone' };
  const described = node('a');
  const { nodeClaim } = described.stateNode;
  const unlabelled = { ...nodeClaim!, metadata: { ...nodeClaim!.metadata, labels: {} } };
  for (const [one, cost] of [
    [node('a', { labels: unknown }), 0],
    [{ ...described, stateNode: { ...described.stateNode, nodeClaim: unlabelled } }, 1],
  ] as const) {
    const state = stateOf({ nodes: [one] });
    const finder = new CandidateFinder();
    const totals = findPoolTotals((await scan(state, finder)).graceful, state, finder.prices);
    assert.deepEqual([...totals.values()], [{ cost, disruptionCost: 1 }]);
  }
});

test('04/125 the same move of every pool in a larger copy of itself has the same score', async () => {
  const nodes = (copies: number) =>
    Array.from({ length: copies * 3 }, (_, i) =>
      node(`n${i}`, { pods: Array.from({ length: i % 3 }, () => runningPod('p', 'n')) }),
    );
  const scoreIn = async (copies: number) => {
    const state = stateOf({ nodes: nodes(copies), pools: [pool('default')] });
    const finder = new CandidateFinder();
    const { graceful } = await scan(state, finder);
    const moved = graceful.candidates.filter((_, i) => i % 3 === 1);
    const savings = moved.reduce((sum, { price }) => sum + price, 0);
    return scoreMove({ candidates: moved, savings }, findPoolTotals(graceful, state, finder.prices)).pools[0]!.score
      .value;
  };
  assert.equal(await scoreIn(1), await scoreIn(100));
});
