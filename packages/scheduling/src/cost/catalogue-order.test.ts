import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InstanceType } from '../snapshot.ts';
import { ResourceTable } from '../model/resources/resource-table.ts';
import { makeOffering, makePod, makeType } from '../testing/builders.ts';
import { planSnapshot } from '../planner.ts';
import { finish } from '../progress.ts';
import { CHEAPEST } from '../testing/packing.ts';
import { outlineOf } from '../testing/plan-outline.ts';
import { randomFleet } from '../testing/random-fleet/fleet.ts';
import { type Random, seededRandom } from '@karpenter-ts/kubernetes/testing';
import { TestEnvironment } from '../testing/test-environment.ts';

/** Few sizes and many types, so that types tie on processors and memory and differ in the rest. */
function randomTypes(random: Random): readonly InstanceType[] {
  return Array.from({ length: 40 }, (_, i) => {
    const cpus = random.pick([4, 8, 16]);
    const memory = random.pick([2, 4]) * cpus;
    return makeType(`t-${i}`, {
      capacity: {
        cpu: String(cpus),
        memory: `${memory}Gi`,
        pods: String(random.pick([8, 12, 30])),
        'ephemeral-storage': `${random.pick([20, 50, 100])}Gi`,
        'example.com/gpu': String(random.pick([0, 1, 2])),
      },
      offerings: [makeOffering('zone-a', 'spot', 0.01 * cpus ** 1.2 + random.below(1000) / 10_000)],
    });
  });
}

test('the plan is the same whatever order the catalogue and the pods are listed in', () => {
  let cheaper = 0;
  for (let seed = 0; seed < 12; seed++) {
    const random = seededRandom(seed);
    const types = randomTypes(random);
    const pods = Array.from({ length: 30 }, (_, i) => {
      const extra = random.pick([{}, { 'ephemeral-storage': '5Gi' }, { 'example.com/gpu': '1' }]);
      const requests = { cpu: `${500 + 250 * random.below(8)}m`, memory: `${1 + random.below(6)}Gi`, ...extra };
      return makePod(`p-${i}`, { requests });
    });
    const outline = (order: <T>(list: readonly T[]) => readonly T[]) => {
      const plan = new TestEnvironment({ types: order(types), options: { packing: CHEAPEST } }).plan(...order(pods));
      if (plan.packing?.taken === 'cost-aware') cheaper++;
      return { ...outlineOf(plan), price: plan.pricePerHour };
    };
    const expected = outline((list) => list);
    assert.deepEqual(
      outline((list) => list.toReversed()),
      expected,
      `seed ${seed}`,
    );
    assert.deepEqual(
      outline((list) => [...list.slice(17), ...list.slice(0, 17)]),
      expected,
      `seed ${seed}`,
    );
  }
  assert.ok(cheaper > 12, `only ${cheaper} of 36 plans were cheaper`);
});

test('pools that list equal types get the plan of pools that share one list of them', () => {
  const { snapshot, options } = randomFleet(499050605);
  const pools = snapshot.pools.map((pool) => ({ ...pool, instanceTypes: snapshot.pools[0]!.instanceTypes }));
  const apart = pools.map((pool) => ({ ...pool, instanceTypes: [...pool.instanceTypes] }));
  const packing = { ...CHEAPEST, maxExtraNodes: 1 };
  const [shared, listed] = [pools, apart].map((each) => {
    return finish(planSnapshot({ ...snapshot, pools: each }, { ...options, packing }));
  });
  assert.equal(shared!.packing?.taken, 'cost-aware');
  assert.deepEqual(outlineOf(listed!), outlineOf(shared!));
});

test('resources are numbered by name, whichever pod asks for them first', () => {
  const namesOf = (...asked: readonly string[]) => new ResourceTable(asked).names;
  assert.deepEqual(namesOf('z', 'a', 'memory'), ['cpu', 'memory', 'pods', 'a', 'z']);
  assert.deepEqual(namesOf('a', 'z'), namesOf('z', 'a'));
});
