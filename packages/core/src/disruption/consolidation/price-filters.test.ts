import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CAPACITY_TYPE_LABEL, INSTANCE_TYPE_LABEL, type RequirementSpec, toRequirements } from '@karpenter-ts/apis';
import fc from 'fast-check';
import { LaunchPriceIndexes } from '@karpenter-ts/scheduling';
import { FAKE_PROFILE, fakeType, makeOffering } from '@karpenter-ts/scheduling/testing';
import { admitsCapacityType, cheaperThan, countNeededTypes, findShortages, pinCapacityType } from './price-filters.ts';

const requiring = (...specs: readonly RequirementSpec[]) => toRequirements(specs, FAKE_PROFILE);
const FAMILY = 'special';

/** Types of these families, the cheapest first. */
function typesOf(families: readonly string[]) {
  return families.map((family, i) =>
    fakeType(`type-${i}`, {
      offerings: [makeOffering('zone-1', 'on-demand', i + 1)],
      requirements: [{ key: FAMILY, operator: 'In', values: [family] }],
    }),
  );
}

test('a type that costs exactly the limit is not cheaper', () => {
  const types = typesOf(['x', 'x', 'x']);
  const prices = new LaunchPriceIndexes(FAKE_PROFILE).of(types).under(requiring());
  const cheaper = (limit: number) => cheaperThan(limit, types, prices).length;
  assert.deepEqual([0, 1, 2, 2.5, Infinity].map(cheaper), [0, 0, 1, 2, 3]);
});

test('a type that cannot be had costs too much, whatever the limit', () => {
  const types = [fakeType('gone', { offerings: [makeOffering('zone-1', 'spot', 1, { available: false })] })];
  const prices = new LaunchPriceIndexes(FAKE_PROFILE).of(types).under(requiring());
  assert.deepEqual(cheaperThan(Infinity, types, prices), []);
});

const families = fc.array(fc.constantFrom('x', 'y', 'z'), { minLength: 1, maxLength: 8 });
const minimum = fc.integer({ min: 1, max: 5 });

test('as many types are needed as it takes to have the values, and too few values are a shortage', () =>
  fc.assert(
    fc.property(families, minimum, minimum, (listed, minFamilies, minTypes) => {
      const requirements = requiring(
        { key: FAMILY, operator: 'Exists', minValues: minFamilies },
        { key: INSTANCE_TYPE_LABEL, operator: 'Exists', minValues: minTypes },
      );
      const types = typesOf(listed);
      const isEnough = (count: number) =>
        new Set(listed.slice(0, count)).size >= minFamilies && Math.min(count, listed.length) >= minTypes;
      const counts = listed.map((_, i) => i + 1);
      assert.equal(countNeededTypes(types, requirements), counts.find(isEnough) ?? listed.length);
      const short = findShortages(types, requirements).map(({ label }) => label);
      const expected = [
        ...(minTypes > listed.length ? [INSTANCE_TYPE_LABEL] : []),
        ...(minFamilies > new Set(listed).size ? [FAMILY] : []),
      ];
      assert.deepEqual(short, expected);
    }),
  ));

test('without minValues no type is needed, and without types nothing is short', () => {
  assert.equal(countNeededTypes(typesOf(['x']), requiring()), 0);
  const two = requiring({ key: FAMILY, operator: 'Exists', minValues: 2 });
  assert.deepEqual(findShortages([], two), []);
});

test('pinned requirements admit one capacity type, and keep what else they ask', () => {
  const asked = requiring(
    { key: CAPACITY_TYPE_LABEL, operator: 'In', values: ['spot', 'on-demand'], minValues: 1 },
    { key: FAMILY, operator: 'In', values: ['x'] },
  );
  const pinned = pinCapacityType(asked, 'spot');
  assert.deepEqual([...pinned.get(CAPACITY_TYPE_LABEL)!.values], ['spot']);
  assert.equal(pinned.get(CAPACITY_TYPE_LABEL)!.minValues, 1);
  assert.equal(pinned.get(FAMILY), asked.get(FAMILY));
  const admitted = (requirements = asked) =>
    (['reserved', 'spot', 'on-demand'] as const).filter((one) => admitsCapacityType(requirements, one));
  assert.deepEqual([admitted(), admitted(pinned)], [['spot', 'on-demand'], ['spot']]);
  assert.deepEqual(admitted(requiring()), ['reserved', 'spot', 'on-demand']);
});
