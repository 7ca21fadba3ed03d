import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderFieldError } from './field-error.ts';
import { findOldItem, validateListTypes } from './list-types.ts';
import type { Json, StructuralSchema } from '@karpenter-ts/kubernetes';

const schema: StructuralSchema = {
  properties: {
    set: { type: 'array', 'x-kubernetes-list-type': 'set' },
    one: { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] },
    two: { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k', 'p'] },
    deep: { additionalProperties: { type: 'array', 'x-kubernetes-list-type': 'set' } },
  },
};
const problems = (value: Json) => validateListTypes(value, schema).map(renderFieldError);

test('the second of equal members is named, the third is not', () => {
  assert.deepEqual(problems({ set: ['a', 'b', 'a', 'a'] }), ['set[2]: Duplicate value: "a"']);
});

test('however many members are repeated, all are named', () => {
  const set = Array.from({ length: 300_000 }, (_, index) => index >> 1);
  assert.equal(problems({ set }).length, 150_000);
});

test('items that share their keys are named by them', () => {
  assert.deepEqual(
    problems({
      one: [
        { k: 'a', v: 1 },
        { k: 'a', v: 2 },
      ],
    }),
    ['one[1]: Duplicate value: {"k":"a"}'],
  );
  assert.deepEqual(problems({ one: [{}, {}] }), ['one[1]: Duplicate value: {}']);
  assert.deepEqual(
    problems({
      two: [
        { k: 'a', p: 1 },
        { k: 'a', p: 2 },
      ],
    }),
    [],
  );
});

test('a map-like list holds objects', () => {
  assert.deepEqual(problems({ one: [{ k: 'a' }, 'x'] }), [
    'one[1]: Invalid value: "x": must be an object for an array of list-type map',
  ]);
});

test('a map key stands in brackets', () => {
  assert.deepEqual(problems({ deep: { x: [1, 1] } }), ['deep[x][1]: Duplicate value: 1']);
});

test('the old items of a long list are found without looking through it for each', () => {
  const keyed: StructuralSchema = {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['name'],
    items: { type: 'object', properties: { name: { type: 'string' } } },
  };
  let reads = 0;
  const old = Array.from({ length: 2_000 }, (_, i) => ({
    get name() {
      reads++;
      return `n${i}`;
    },
  }));
  for (let i = 0; i < old.length; i++) assert.equal(findOldItem({ name: `n${i}` }, keyed, old), old[i]);
  assert.equal(findOldItem({ name: 'other' }, keyed, old), undefined);
  assert.ok(reads < 10 * old.length, `${reads}`);
});
