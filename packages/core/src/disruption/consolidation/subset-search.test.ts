import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NODE_POOLS } from '@karpenter-ts/apis';
import { SECOND } from '@karpenter-ts/runtime';
import { LaunchPriceIndexes } from '@karpenter-ts/scheduling';
import { FAKE_PROFILE, ladder } from '@karpenter-ts/scheduling/testing';
import { BudgetCounter } from '../budgets/budget-allowances.ts';
import { type Candidate, candidateName } from '../candidates/candidate.ts';
import type { ConsolidationOption } from './consolidation-option.ts';
import { findSubset } from './subset-search.ts';
import { contextOf, disruptionPool, makeCandidate, pricedType, simulationOf } from '../testing/candidates.ts';
import { startDisruptionEnvironment } from '../testing/disruption-environment.ts';

const { signal } = new AbortController();
const [ONE, OTHER] = [pricedType('one', 1), pricedType('other', 1)];
const POOLS = ['a', 'b'].map((name) => disruptionPool([ONE, OTHER], { name }));

/** Two candidates of each pool, zone and type. */
const CANDIDATES = POOLS.flatMap((pool) =>
  ['zone-1', 'zone-2'].flatMap((zone) =>
    [ONE, OTHER].flatMap((type) =>
      [1, 2].map((n) => ({
        ...makeCandidate(`${pool.nodePool.metadata.name} ${zone} ${type.name} ${n}`, pool, type),
        zone,
      })),
    ),
  ),
);

/** A search in which a set can go if it says so. */
async function search(canGo: (names: readonly string[]) => boolean, candidates = CANDIDATES, budget = 99) {
  const sets: string[] = [];
  const findOption = async (set: readonly Candidate[]): Promise<ConsolidationOption> => {
    const names = set.map(candidateName);
    sets.push(names.join());
    return canGo(names)
      ? { decision: 'delete', candidates: set, replacements: [], plan: simulationOf(POOLS[0]!, []).plan, savings: 1 }
      : { decision: 'no-op', candidates: set, why: { kind: 'NothingCheaper' } };
  };
  const allowance = { allowed: budget, disrupting: 0, remaining: budget };
  const findings = await findSubset(
    {
      candidates,
      budgets: () => new BudgetCounter({ byPool: new Map(['a', 'b'].map((name) => [name, allowance])) }),
      findOption,
      approve: () => ({ isApproved: true }),
      context: { ...contextOf(POOLS), prices: new LaunchPriceIndexes(FAKE_PROFILE) },
      profile: FAKE_PROFILE,
      clock: { elapsed: () => 0 },
      deadline: Infinity,
    },
    signal,
  );
  return { sets, found: findings.found?.consolidation.candidates.map(candidateName) };
}

test('nodes of one pool go although those of another cannot', async () => {
  const { found } = await search((names) => names.every((name) => name.startsWith('b')));
  assert.deepEqual([found?.length, found?.every((name) => name.startsWith('b'))], [8, true]);
});

test('nodes of one zone and of one type go although others of their pool cannot', async () => {
  const inZone = await search((names) => names.every((name) => name.startsWith('b zone-2')));
  assert.equal(inZone.found?.length, 4);
  const ofType = await search((names) => names.every((name) => name.startsWith('b zone-2 other')));
  assert.deepEqual(ofType.found, ['b zone-2 other 1', 'b zone-2 other 2']);
});

test('each group has the whole budget', async () => {
  const { found } = await search((names) => names.every((name) => name.startsWith('a zone-2')), CANDIDATES, 2);
  assert.deepEqual(found, ['a zone-2 one 1', 'a zone-2 one 2']);
});

test('nothing is found among nodes that cannot go, and a group that is the whole is not searched again', async () => {
  const { found, sets } = await search(() => false);
  assert.equal(found, undefined);
  assert.ok(sets.length > 10);
  const alike = CANDIDATES.filter((one) => candidateName(one).startsWith('a zone-1 one'));
  assert.deepEqual((await search(() => false, alike)).sets, []); // the search among all has tried that
});

// Two nodes of pool `small` fit on a third, and before them in the order is one of pool `large` whose pod can go nowhere.
test('the flag lets the controller search among nodes that are alike', async (t) => {
  for (const [consolidationSearch, left] of [
    ['Prefix', 3],
    ['Subset', 2],
  ] as const) {
    const options = { consolidationSearch };
    const env = await startDisruptionEnvironment(t, { options, instanceTypes: ladder(8).slice(3) });
    for (const name of ['large', 'small', 'roomy']) await env.addPool(name);
    await env.change(NODE_POOLS, 'roomy', { spec: { disruption: { consolidateAfter: 'Never' } } });
    await env.addNode('l', { pool: 'large', type: 'fake-it-7' });
    await env.addNode('r', { pool: 'roomy' });
    await env.addPod('stuck', 'l', { requests: { cpu: '7500m' } });
    for (const name of ['s1', 's2']) {
      await env.addNode(name, { pool: 'small' });
      await env.addPod(`p-${name}`, name, { requests: { cpu: '1' } });
    }
    await env.pass();
    await env.clock.advance(2 * SECOND);
    assert.equal((await env.kept()).length, left, consolidationSearch);
  }
});
