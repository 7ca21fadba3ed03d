import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BudgetCounter } from '../budgets/budget-allowances.ts';
import { type Candidate, candidateName } from '../candidates/candidate.ts';
import type { ConsolidationOption } from './consolidation-option.ts';
import type { Approval } from './multi-node.ts';
import { inTurns, type SingleNodeSearch, SingleNodeWalk } from './single-node.ts';
import { disruptionPool, makeCandidate, pricedType, simulationOf } from '../testing/candidates.ts';

const { signal } = new AbortController();
const TYPE = pricedType('type', 1);
const POOLS = ['a', 'b', 'c'].map((name) => disruptionPool([TYPE], { name }));

/** `a1` … `a3` of pool `a` and so on, dearer ones first in each pool, `c` first in all. */
const CANDIDATES = POOLS.flatMap((pool, i) =>
  [1, 2, 3].map((n) => makeCandidate(`${pool.nodePool.metadata.name}${n}`, pool, TYPE, { price: 10 - n + i })),
);

const budgetOf = (remaining: Readonly<Record<string, number>>): BudgetCounter =>
  new BudgetCounter({
    byPool: new Map(
      Object.entries(remaining).map(([name, left]) => [name, { allowed: left, disrupting: 0, remaining: left }]),
    ),
  });

/** A walk on which these candidates can go. */
function startWalk(canGo: readonly string[], parts: Partial<SingleNodeSearch<Approval>> = {}) {
  const looked: string[] = [];
  const findOption = async ([candidate]: readonly Candidate[]): Promise<ConsolidationOption> => {
    const candidates = [candidate!];
    if (candidateName(candidate!) === 'b2') throw new Error('no answer');
    return canGo.includes(candidateName(candidate!))
      ? { decision: 'delete', candidates, replacements: [], plan: simulationOf(POOLS[0]!, []).plan, savings: 1 }
      : { decision: 'no-op', candidates, why: { kind: 'NothingCheaper' } };
  };
  const walk = new SingleNodeWalk(
    {
      candidates: CANDIDATES,
      unseenPools: new Set(),
      budgets: budgetOf({ a: 1, b: 1, c: 1 }),
      findOption,
      approve: () => ({ isApproved: true }),
      canApprove: () => true,
      clock: { elapsed: () => 0 },
      deadline: Infinity,
      ...parts,
    },
    ({ kind, candidate }) => looked.push(`${candidateName(candidate)} ${kind}`),
  );
  const next = async () => {
    const found = await walk.next(signal);
    return 'kind' in found ? found : candidateName(found.consolidation.candidates[0]!);
  };
  return { walk, looked, next };
}

const COMPLETE = { kind: 'Complete' } as const;
const namesOf = (candidates: readonly Candidate[]): string => candidates.map(candidateName).join(' ');

test('04/116 pools take turns, each with those first that save most; unseen pools come first', () => {
  assert.equal(namesOf(inTurns(CANDIDATES, new Set())), 'a1 b1 c1 a2 b2 c2 a3 b3 c3');
  assert.equal(namesOf(inTurns(CANDIDATES.toReversed(), new Set(['b']))), 'b1 a1 c1 b2 a2 c2 b3 a3 c3');
  assert.equal(namesOf(inTurns(CANDIDATES.slice(2, 7), new Set(['gone', 'c']))), 'c1 a3 b1 b2 b3');
  assert.equal(namesOf(inTurns([], new Set(['a']))), '');
});

test('a walk stops at each candidate that can go, and goes on from there', async () => {
  const { next, looked } = startWalk(['b1', 'a3']);
  assert.deepEqual([await next(), await next(), await next()], ['b1', 'a3', COMPLETE]);
  assert.deepEqual(looked.slice(0, 2), ['a1 NoOption', 'b1 Found']);
  assert.equal(looked.length, 9);
});

test('04/113 04/115 a walk that has no time has seen no pool', async () => {
  const { next, looked } = startWalk(['a1'], { deadline: 0 });
  assert.deepEqual(await next(), { kind: 'TimedOut', looked: 0, unseenPools: new Set(['a', 'b', 'c']) });
  assert.deepEqual(looked, []);
});

test('04/115 a walk that runs out of time says which pools it has not seen', async () => {
  let time = 0;
  const { next } = startWalk([], { clock: { elapsed: () => time++ }, deadline: 2 });
  assert.deepEqual(await next(), { kind: 'TimedOut', looked: 2, unseenPools: new Set(['c']) });
});

test('04/195 what is found changes nothing about which pools have been seen', async () => {
  const { next, walk } = startWalk(['c1'], { unseenPools: new Set(['c']) });
  assert.equal(await next(), 'c1');
  assert.equal(walk.hasFailed, false);
});

test('04/118 candidates of a pool whose budget is used up are skipped, and that they were is remembered', async () => {
  const budgets = budgetOf({ a: 0, b: 0, c: 0 });
  const { next, looked } = startWalk(['a1'], { budgets });
  assert.deepEqual([await next(), looked, budgets.isConstrained], [COMPLETE, [], true]);
});

test('a budget of one allows one command after the other, as long as the first does not take place', async () => {
  const { next } = startWalk(['a1', 'a2'], { budgets: budgetOf({ a: 1 }) });
  assert.deepEqual([await next(), await next()], ['a1', 'a2']);
});

test('04/186 a candidate whose simulation fails is reported, and the walk goes on but is not complete', async () => {
  const { next, walk, looked } = startWalk(['c2']);
  assert.equal(await next(), 'c2');
  assert.ok(looked.includes('b2 Failed'));
  assert.equal(walk.hasFailed, true);
});

test('candidates that no policy could approve are not simulated, rejected ones are passed over', async () => {
  const { next, looked } = startWalk(['a1', 'b1', 'c1'], {
    canApprove: ({ pool }) => pool.nodePool.metadata.name !== 'a',
    approve: ({ candidates }) => ({ isApproved: candidateName(candidates[0]!) === 'c1' }),
  });
  assert.equal(await next(), 'c1');
  assert.deepEqual(looked, ['b1 NotApproved', 'c1 Found']);
});

test('an abort ends the walk', async () => {
  const stop = new AbortController();
  const reason = new Error('enough');
  const { walk } = startWalk([], {
    findOption: async () => {
      stop.abort(reason);
      throw new Error('aborted');
    },
  });
  await assert.rejects(walk.next(stop.signal), reason);
});
