import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { INSTANCE_TYPE_LABEL } from '@karpenter-ts/apis';
import fc from 'fast-check';
import { type InstanceType, LaunchPriceIndexes } from '@karpenter-ts/scheduling';
import { FAKE_PROFILE, fakeType, ladder, makeOffering } from '@karpenter-ts/scheduling/testing';
import { BudgetCounter } from '../budgets/budget-allowances.ts';
import { type Candidate, candidateName } from '../candidates/candidate.ts';
import { chooseOption, type ConsolidationOption } from './consolidation-option.ts';
import { type Approval, findMultiNode, type MultiNodeSearch } from './multi-node.ts';
import { contextOf, disruptionPool, makeCandidate, pricedType, simulationOf } from '../testing/candidates.ts';
import { ConsolidationView, describeOption } from '../testing/consolidation-view.ts';
import { startDisruptionEnvironment } from '../testing/disruption-environment.ts';

const { signal } = new AbortController();
const TYPE = pricedType('type', 1);
const POOL = disruptionPool([TYPE]);

/** Candidates whose order is that of their numbers. */
function candidates(count: number): readonly Candidate[] {
  return Array.from({ length: count }, (_, i) => makeCandidate(`n${String(i).padStart(3, '0')}`, POOL, TYPE));
}

const unlimited = (remaining = 1_000): BudgetCounter =>
  new BudgetCounter({ byPool: new Map([['default', { allowed: remaining, disrupting: 0, remaining }]]) });

/** A search in which the sets of these sizes can go. */
function search(
  parts: Partial<MultiNodeSearch<Approval>> & Pick<MultiNodeSearch<Approval>, 'candidates'>,
  canGo: (size: number) => boolean,
) {
  const sizes: number[] = [];
  const findOption = async (set: readonly Candidate[]): Promise<ConsolidationOption> => {
    sizes.push(set.length);
    const { plan } = simulationOf(POOL, []);
    return canGo(set.length)
      ? { decision: 'delete', candidates: set, replacements: [], plan, savings: 1 }
      : { decision: 'no-op', candidates: set, why: { kind: 'NothingCheaper' } };
  };
  const context = { ...contextOf([POOL]), prices: new LaunchPriceIndexes(FAKE_PROFILE) };
  const rest = { budgets: unlimited(), approve: () => ({ isApproved: true }), clock: { elapsed: () => 0 } };
  const found = findMultiNode(
    { ...rest, findOption, context, profile: FAKE_PROFILE, deadline: Infinity, ...parts },
    signal,
  );
  return found.then((findings) => ({ ...findings, sizes, size: findings.found?.consolidation.candidates.length }));
}

test('04/117 no set holds more than 101 candidates, and none less than two', async () => {
  const all = await search({ candidates: candidates(150) }, () => true);
  assert.deepEqual([all.size, Math.max(...all.sizes)], [101, 101]);
  const few = await search({ candidates: candidates(150) }, () => false);
  assert.deepEqual([few.size, Math.min(...few.sizes)], [undefined, 2]);
  assert.deepEqual((await search({ candidates: candidates(100) }, () => true)).size, 100);
  assert.deepEqual((await search({ candidates: candidates(1) }, () => true)).sizes, []);
  assert.ok(all.sizes.length <= 7 && few.sizes.length <= 7);
});

test('the largest set is found if all smaller ones can go as well', () =>
  fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 120 }), fc.integer({ min: 0, max: 130 }), async (count, most) => {
      const { size = 0 } = await search({ candidates: candidates(count) }, (size) => size <= most);
      const largest = Math.min(count, most, 101);
      assert.equal(size, largest < 2 ? 0 : largest);
    }),
    { numRuns: 60 },
  ));

test('whatever can go, what is found is the first candidates in their order, and can go', () =>
  fc.assert(
    fc.asyncProperty(fc.array(fc.boolean(), { maxLength: 110 }), async (canGo) => {
      const set = candidates(canGo.length);
      const { found } = await search({ candidates: set.toReversed() }, (size) => canGo[size - 1]!);
      if (found === undefined) return;
      const { length } = found.consolidation.candidates;
      assert.ok(canGo[length - 1]);
      assert.deepEqual(found.consolidation.candidates, set.slice(0, length));
    }),
    { numRuns: 60 },
  ));

test('04/113 a search that has no time finds nothing, and says how large a set it did not look at', async () => {
  const { found, timedOutAt, sizes } = await search({ candidates: candidates(8), deadline: 0 }, () => true);
  assert.deepEqual([found, timedOutAt, sizes], [undefined, 4, []]);
});

test('a search that runs out of time returns the last set that can go', async () => {
  let looks = 0;
  const clock = { elapsed: () => looks++ };
  const { size, timedOutAt } = await search({ candidates: candidates(8), clock, deadline: 2 }, () => true);
  assert.deepEqual([size, timedOutAt], [7, 7]);
});

test('04/118 04/172 budgets limit the set, and that they did is remembered', async () => {
  const budgets = unlimited(3);
  const { size } = await search({ candidates: candidates(10), budgets }, () => true);
  assert.deepEqual([size, budgets.isConstrained], [3, true]);
  const closed = unlimited(0);
  const { found, sizes } = await search({ candidates: candidates(10), budgets: closed }, () => true);
  assert.deepEqual([found, sizes, closed.isConstrained], [undefined, [], true]);
});

test('the last set that the policies reject is reported if none is approved', async () => {
  const approve = ({ candidates: set }: { candidates: readonly Candidate[] }) => ({ isApproved: set.length > 5 });
  const none = await search({ candidates: candidates(5), approve }, () => true);
  assert.deepEqual([none.found, none.rejected?.consolidation.candidates.length], [undefined, 2]);
  const some = await search({ candidates: candidates(10), approve }, () => true);
  assert.equal(some.rejected, undefined);
});

/** Nodes of these types and capacity types, each with a pod of 500m. */
async function startNodes(
  t: TestContext,
  nodes: readonly (readonly [string, string])[],
  types: readonly InstanceType[],
) {
  const env = await startDisruptionEnvironment(t, { instanceTypes: types });
  await env.addPool();
  for (const [i, [type, capacityType]] of nodes.entries()) {
    await env.addNode(`n${i}`, { type, capacityType });
    await env.addPod(`p${i}`, `n${i}`, { requests: { cpu: '900m' } });
  }
  return env;
}

const describeFound = (found: Awaited<ReturnType<ConsolidationView['multi']>>['found']) =>
  found && [found.consolidation.candidates.map(candidateName).join(), describeOption(found.consolidation)];

test('04/110 three nodes become one, be they on demand, spot or of both', async (t) => {
  const types = [
    fakeType('now', {
      resources: { cpu: '1' },
      offerings: [makeOffering('test-zone-1', 'on-demand', 1), makeOffering('test-zone-1', 'spot', 1)],
    }),
    fakeType('new', {
      resources: { cpu: '4', pods: '40' },
      offerings: [makeOffering('test-zone-1', 'on-demand', 1.5), makeOffering('test-zone-1', 'spot', 1.2)],
    }),
  ];
  for (const capacityTypes of [
    ['on-demand', 'on-demand', 'on-demand'],
    ['spot', 'on-demand', 'spot'],
  ]) {
    const env = await startNodes(
      t,
      capacityTypes.map((one) => ['now', one] as const),
      types,
    );
    const { found } = await (await ConsolidationView.read(env)).multi();
    assert.deepEqual(describeFound(found), ['node-of-n0,node-of-n1,node-of-n2', 'replace by new spot']);
  }
  const env = await startNodes(
    t,
    [
      ['now', 'spot'],
      ['now', 'spot'],
      ['now', 'spot'],
    ],
    types,
  );
  assert.equal((await (await ConsolidationView.read(env)).multi()).found, undefined);
  const options = env.options as { featureGates: typeof env.options.featureGates };
  options.featureGates = { ...options.featureGates, SpotToSpotConsolidation: true };
  const { found } = await (await ConsolidationView.read(env)).multi();
  assert.deepEqual(describeFound(found), ['node-of-n0,node-of-n1,node-of-n2', 'replace by new spot']);
});

test('04/111 04/181 equal nodes are not replaced by one of their type, but the set counts as found for a while', async (t) => {
  const type = fakeType('only', {
    resources: { cpu: '2', pods: '10' },
    offerings: [makeOffering('test-zone-1', 'on-demand', 1)],
  });
  const env = await startNodes(
    t,
    [
      ['only', 'on-demand'],
      ['only', 'on-demand'],
    ],
    [type],
  );
  const view = await ConsolidationView.read(env);
  const { found, replaceable } = await view.multi({
    findOption: async (set) =>
      chooseOption(set, simulationOf(view.state.pools.get('default')!, [[type]]), view.context),
  });
  assert.equal(found, undefined);
  assert.deepEqual(
    replaceable.map((one) => one.candidates.length),
    [2],
  );
  assert.equal(await view.look('n0'), 'delete');
});

test('04/112 a set that the filter for equal types leaves too little variety is not replaced', async (t) => {
  const env = await startDisruptionEnvironment(t, { instanceTypes: ladder(4) });
  await env.addPool('default', {
    template: { requirements: [{ key: INSTANCE_TYPE_LABEL, operator: 'Exists', minValues: 2 }] },
  });
  for (const name of ['a', 'b']) {
    await env.addNode(name, { type: 'fake-it-1' });
    await env.addPod(`p-${name}`, name, { requests: { cpu: '800m' } });
  }
  const view = await ConsolidationView.read(env);
  assert.equal((await view.multi()).found?.consolidation.decision, undefined);
  assert.equal(await view.look('a'), 'delete');
});
