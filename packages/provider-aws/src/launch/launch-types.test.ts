import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RequirementSpec } from '@karpenter-ts/apis';
import { InsufficientCapacityError } from '@karpenter-ts/cloudprovider';
import type { InstanceType } from '@karpenter-ts/scheduling';
import { chooseLaunchTypes } from './launch-types.ts';
import { filterInput, offering, outline, reserved, typeOf } from './testing/types.ts';

function choose(
  types: readonly InstanceType[],
  {
    requirements = [],
    policy = 'Strict',
  }: { requirements?: readonly RequirementSpec[]; policy?: 'Strict' | 'BestEffort' } = {},
) {
  return chooseLaunchTypes(types, filterInput(types, { requirements }).demand, policy);
}

test('07/58 the sixty cheapest types are chosen, the cheapest first, and equal ones by name', () => {
  const dear = Array.from({ length: 40 }, (_, index) => typeOf(`m5.${index}`, [offering('spot', 9 + index)]));
  const cheap = Array.from({ length: 30 }, (_, index) => typeOf(`c5.${index}`, [offering('spot', 5 - index / 10)]));
  const equal = [typeOf('b.large', [offering('spot', 1)]), typeOf('a.large', [offering('spot', 1)])];
  const { types } = choose([...dear, ...cheap, ...equal]);
  assert.equal(types.length, 60);
  assert.deepEqual(outline(types.slice(0, 3)), ['a.large: 1', 'b.large: 1', 'c5.29: 2.1']);
  assert.equal(types.at(-1)!.name, 'm5.27');
});

test('the price of a type is that of its cheapest offering that can be had', () => {
  const types = [
    typeOf('a.large', [offering('spot', 1, { available: false }), offering('spot', 7)]),
    typeOf('b.large', [offering('spot', 6)]),
  ];
  assert.deepEqual(outline(choose(types).types), ['b.large: 6', 'a.large: 1 7']);
});

test('07/61 types that do not vary as much as minValues asks for are a lack of capacity', () => {
  const types = Array.from({ length: 70 }, (_, index) =>
    typeOf(`${index < 65 ? 'm5' : 'c5'}.${index}`, [offering('spot', index)]),
  );
  const families = { key: 'karpenter.k8s.aws/instance-family', operator: 'Exists', minValues: 2 };
  assert.throws(
    () => choose(types, { requirements: [families] }),
    (error) =>
      error instanceof InsufficientCapacityError &&
      error.message ===
        'insufficient capacity, truncating instance types based on the passed-in requirements, validating minValues, ' +
          'minValues requirement is not met for label(s) (label(s)=[karpenter.k8s.aws/instance-family])',
  );
  assert.equal(choose(types, { requirements: [families], policy: 'BestEffort' }).types.length, 60);
});

for (const operator of ['In', 'Exists'] as const) {
  test(`07/129 minValues of a requirement with ${operator} keeps as many types in the request`, () => {
    const types = ['m5.large', 'm5.xlarge', 'c5.large'].map((name, index) => typeOf(name, [offering('spot', index)]));
    const values = operator === 'In' ? { values: types.map(({ name }) => name) } : {};
    const requirements = [
      { key: 'node.kubernetes.io/instance-type', operator, minValues: 2, ...values },
      { key: 'karpenter.k8s.aws/instance-family', operator: 'Exists', minValues: 2 },
    ];
    const chosen = choose(types, { requirements }).types;
    assert.ok(chosen.length >= 2);
    assert.equal(new Set(chosen.map(({ name }) => name.split('.')[0])).size, 2);
  });
}

test('07/57 where no type is left, that is a lack of capacity', () => {
  const type = { key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['x.unknown'] };
  assert.throws(
    () => choose([typeOf('m5.large', [offering('spot', 1)])], { requirements: [type] }),
    new InsufficientCapacityError(new Error('all requested instance types were unavailable during launch')),
  );
});

test('what filters have taken out is told by filter, except for what could not be had', () => {
  const { rejections } = choose([
    typeOf('m5.large', [offering('on-demand', 1)]),
    typeOf('m5.metal', [offering('on-demand', 1)]),
    typeOf('m5.gone', [offering('on-demand', 1, { available: false })]),
    typeOf('r5.large', [offering('spot', 2)]),
  ]);
  assert.deepEqual(rejections, [
    { filter: 'exotic-instance-filter', names: ['m5.metal'] },
    { filter: 'spot-offering-filter', names: ['r5.large'] },
  ]);
});

test('reserved capacity goes before everything else, also on metal', () => {
  const { types, rejections } = choose([
    typeOf('m5.large', [offering('spot', 1)]),
    typeOf('m5.metal', [offering('on-demand', 1), reserved('cr-1', 0.1)]),
  ]);
  assert.deepEqual(outline(types), ['m5.metal: 0.1']);
  assert.deepEqual(rejections, [{ filter: 'capacity-reservation-type-filter', names: ['m5.large'] }]);
});
