import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DisruptionReason, INITIALIZED_LABEL, type NodePool } from '@karpenter-ts/apis';
import { readyPool } from '../../testing/cluster-objects.ts';
import { BudgetCounter, countNodes, findAllowances, findFaultyBudgets } from './budget-allowances.ts';
import { candidatesOf, type DescribedNode, node, NOW, poolOf, stateOf } from '../testing/cluster-state.ts';

type Budgets = NodePool['spec']['disruption']['budgets'];

function poolWith(budgets: Budgets, name = 'default') {
  const rest = { consolidateAfter: '0s', consolidationPolicy: 'WhenEmptyOrUnderutilized' } as const;
  return poolOf(readyPool(name, { disruption: { budgets, ...rest } }));
}

interface Question {
  readonly budgets: Budgets;
  readonly nodes: readonly DescribedNode[];
  readonly reason?: DisruptionReason;
  readonly now?: number;
}

/** What the budgets of the only pool allow. */
function allowance({ budgets, nodes, reason = 'Empty', now = NOW }: Question) {
  const state = stateOf({ nodes, pools: [poolWith(budgets)], now });
  const { byPool, blocking } = findAllowances(reason, state, countNodes(state.stateNodes));
  const { allowed, disrupting, remaining } = byPool.get('default')!;
  return { allowed, disrupting, remaining, blocking: blocking.length };
}

function some(count: number, parts: Parameters<typeof node>[1] = {}): readonly DescribedNode[] {
  return Array.from({ length: count }, (_, i) => node(`n${i}-${JSON.stringify(parts)}`, parts));
}

test('04/32 a percentage of the nodes rounds up', () => {
  const allowed = (count: number, nodes: string) => allowance({ budgets: [{ nodes }], nodes: some(count) }).allowed;
  assert.deepEqual([allowed(10, '30%'), allowed(19, '20%'), allowed(10, '5%')], [3, 4, 1]);
});

test('04/33 04/34 the smallest budget for a reason counts', () => {
  const budgets: Budgets = [
    { nodes: '10' },
    { nodes: '100' },
    { nodes: '100%' },
    { nodes: '15', reasons: ['Drifted', 'Underutilized'] },
    { nodes: '5', reasons: ['Drifted'] },
  ];
  const nodes = some(100);
  const allowed = (more: Budgets = []) =>
    (['Empty', 'Underutilized', 'Drifted'] as const).map(
      (reason) => allowance({ budgets: [...budgets, ...more], nodes, reason }).allowed,
    );
  assert.deepEqual(allowed(), [10, 10, 5]);
  assert.deepEqual(allowed([{ nodes: '4', reasons: ['Empty'] }]), [4, 10, 5]);
});

test('04/35 04/151 04/170 without an active budget nothing is limited', () => {
  const inactive = { nodes: '0', schedule: '0 12 * * *', duration: '1h' };
  for (const budgets of [[], [inactive], [{ ...inactive, reasons: ['Empty'] as const }]]) {
    assert.equal(allowance({ budgets, nodes: some(3) }).allowed, 2147483647);
  }
  const empty = (budgets: Budgets) => allowance({ budgets, nodes: some(10) }).allowed;
  assert.equal(empty([inactive, { nodes: '3' }]), 3);
  assert.equal(empty([{ nodes: '0', schedule: '@daily', duration: '1h' }]), 0);
});

test('04/36 04/37 04/171 a budget that cannot be read blocks its pool for every reason, and is named', () => {
  const bad: Budgets = [{ nodes: '10', schedule: 'bad cron', duration: '1h', reasons: ['Drifted'] }];
  for (const reason of ['Empty', 'Underutilized', 'Drifted'] as const) {
    assert.equal(allowance({ budgets: bad, nodes: some(3), reason }).allowed, 0);
  }
  assert.equal(allowance({ budgets: [{ nodes: '1000a%' }], nodes: some(3) }).allowed, 0);
  const pools = [poolWith(bad, 'a'), poolWith([{ nodes: '2' }], 'b')];
  const nodes = [...some(3, { pool: 'a' }), ...some(3, { pool: 'b' })];
  const state = stateOf({ pools, nodes });
  const { byPool } = findAllowances('Empty', state, countNodes(state.stateNodes));
  assert.deepEqual([byPool.get('a')!.allowed, byPool.get('b')!.allowed], [0, 2]);
  const faulty = findFaultyBudgets(pools.map(({ nodePool }) => nodePool));
  assert.deepEqual(
    faulty.map(({ nodePool }) => nodePool.metadata.name),
    ['a'],
  );
  assert.match(faulty[0]!.problems.join(), /^invariant violated, invalid cron, .* \(cron=<nil>\)$/);
});

test('04/38 04/41 a budget is active in UTC, from the hit of its schedule until its duration is over', () => {
  const at = (time: string) =>
    allowance({
      budgets: [{ nodes: '0', schedule: '@daily', duration: '30m' }],
      nodes: some(1),
      now: Date.parse(`2026-02-01T${time}Z`),
    }).allowed;
  assert.deepEqual(['23:00:00', '00:00:00', '00:29:59', '00:30:00'].map(at), [2147483647, 0, 0, 2147483647]);
});

test('04/43 nodes that run no pods yet or no more are not counted', () => {
  const nodes = [
    ...some(4),
    ...some(1, { only: 'Node' }),
    ...some(1, { only: 'NodeClaim' }),
    ...some(1, { labels: { [INITIALIZED_LABEL]: undefined } }),
    ...some(1, { conditions: ['InstanceTerminating'], isDeleting: true }),
    ...some(1, { pool: 'other' }),
  ];
  assert.deepEqual(allowance({ budgets: [{ nodes: '100%' }], nodes }), {
    allowed: 4,
    disrupting: 0,
    remaining: 4,
    blocking: 0,
  });
});

test('04/44 04/45 nodes that are not Ready or deleting use up the budgets', () => {
  const all = { budgets: [{ nodes: '100%' }] };
  const twoOf = (parts: Parameters<typeof node>[1]) => allowance({ ...all, nodes: [...some(8), ...some(2, parts)] });
  assert.equal(twoOf({ ready: 'False' }).remaining, 8);
  assert.equal(twoOf({ ready: 'Unknown' }).remaining, 8);
  assert.equal(twoOf({ isDeleting: true }).remaining, 8);
  const gone = allowance({ budgets: [{ nodes: '10%' }], nodes: some(10, { isDeleting: true }) });
  assert.deepEqual([gone.disrupting, gone.remaining], [10, 0]);
});

test('04/46 a pool with nodes whose budget is 0 is blocking, but not one whose budget is used up', () => {
  const none = [{ nodes: '0' }];
  assert.equal(allowance({ budgets: none, nodes: some(1) }).blocking, 1);
  assert.equal(allowance({ budgets: none, nodes: [] }).blocking, 0);
  const usedUp = allowance({ budgets: [{ nodes: '1' }], nodes: [...some(1), ...some(1, { isDeleting: true })] });
  assert.deepEqual([usedUp.remaining, usedUp.blocking], [0, 0]);
});

test('a counter takes candidates until the budget of their pool is used up, and remembers that it refused one', async () => {
  const pools = [poolWith([{ nodes: '2' }], 'a'), poolWith([{ nodes: '1' }], 'b')];
  const nodes = [...some(3, { pool: 'a' }), ...some(1, { pool: 'b' })];
  const state = stateOf({ pools, nodes });
  const candidates = await candidatesOf({ pools, nodes });
  const counter = new BudgetCounter(findAllowances('Empty', state, countNodes(state.stateNodes)));
  assert.deepEqual([counter.take(candidates[0]!), counter.take(candidates[1]!)], [true, true]);
  assert.equal(counter.isConstrained, false);
  assert.equal(counter.admits(candidates[2]!), false);
  assert.equal(counter.isConstrained, true);
  assert.deepEqual([counter.admits(candidates[3]!), counter.take(candidates[3]!)], [true, true]);
  assert.equal(counter.take(candidates[3]!), false);
});
