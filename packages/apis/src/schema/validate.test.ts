import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderFieldError } from './field-error.ts';
import type { Json, StructuralSchema } from '@karpenter-ts/kubernetes';
import { validateSchema } from './validate.ts';

const at = (schema: StructuralSchema): StructuralSchema => ({ type: 'object', properties: { a: schema } });

function problems(schema: StructuralSchema, value: Json, old?: Json): readonly string[] {
  const before = old === undefined ? undefined : { a: old };
  return validateSchema({ a: value }, at(schema), before).map(renderFieldError);
}

test('numbers are held to their bounds, inclusive or exclusive, and their factor', () => {
  const bounds: StructuralSchema = { type: 'integer', minimum: 1, maximum: 5 };
  assert.deepEqual(problems(bounds, 1), []);
  assert.deepEqual(problems(bounds, 5), []);
  assert.deepEqual(problems(bounds, 0), ['a: Invalid value: 0: a in body should be greater than or equal to 1']);
  assert.deepEqual(problems(bounds, 6), ['a: Invalid value: 6: a in body should be less than or equal to 5']);
  const open: StructuralSchema = { ...bounds, exclusiveMinimum: true, exclusiveMaximum: true };
  assert.deepEqual(problems(open, 1), ['a: Invalid value: 1: a in body should be greater than 1']);
  assert.deepEqual(problems(open, 5), ['a: Invalid value: 5: a in body should be less than 5']);
  assert.deepEqual(problems({ type: 'integer', multipleOf: 3 }, 4), [
    'a: Invalid value: 4: a in body should be a multiple of 3',
  ]);
  assert.deepEqual(problems({ type: 'number' }, 3), []);
});

test('however many errors there are, all are told', () => {
  const list = Array.from({ length: 150_000 }, () => 'x');
  assert.equal(problems({ type: 'array', items: { type: 'integer' } }, list).length, 150_000);
  const members = Object.fromEntries(list.map((value, index) => [`k${index}`, value]));
  assert.equal(problems({ type: 'object', additionalProperties: { type: 'integer' } }, members).length, 150_000);
});

test('a wrong type is named by what was wanted and what came', () => {
  const wrong = (schema: StructuralSchema, value: Json) => problems(schema, value);
  assert.deepEqual(wrong({ type: 'integer' }, 'x'), [
    'a: Invalid value: "string": a in body must be of type integer: "string"',
  ]);
  assert.deepEqual(wrong({ type: 'integer', format: 'int32' }, true), [
    'a: Invalid value: "boolean": a in body must be of type integer: "boolean"',
  ]);
  assert.deepEqual(wrong({ type: 'string' }, []), [
    'a: Invalid value: "array": a in body must be of type string: "array"',
  ]);
  assert.deepEqual(wrong({ type: 'string' }, null), [
    'a: Invalid value: "null": a in body must be of type string: "null"',
  ]);
  assert.deepEqual(wrong({ type: 'string', nullable: true }, null), []);
  assert.deepEqual(wrong({ type: 'string', format: 'date-time' }, 5), [
    'a: Invalid value: "int64": a in body must be of type date-time: "int64"',
  ]);
});

test('lengths count characters, not UTF-16 units', () => {
  assert.deepEqual(problems({ type: 'string', maxLength: 2 }, '😀😀'), []);
  assert.deepEqual(problems({ type: 'string', maxLength: 1 }, '😀😀'), ['a: Too long: may not be more than 1 byte']);
  assert.deepEqual(problems({ type: 'string', minLength: 3 }, '😀😀'), [
    'a: Invalid value: "😀😀": a in body should be at least 3 chars long',
  ]);
});

test('lists and maps are held to their sizes', () => {
  const list: StructuralSchema = { type: 'array', items: { type: 'integer' }, minItems: 1, maxItems: 2 };
  assert.deepEqual(problems(list, []), ['a: Invalid value: 0: a in body should have at least 1 items']);
  assert.deepEqual(problems(list, [1, 2, 3]), ['a: Too many: 3: must have at most 2 items']);
  assert.deepEqual(problems({ type: 'array', uniqueItems: true }, [1, { a: 1 }, { a: 1 }]), [
    `a: Invalid value: "": a in body shouldn't contain duplicates`,
  ]);
  const map: StructuralSchema = {
    type: 'object',
    additionalProperties: { type: 'string' },
    minProperties: 1,
    maxProperties: 1,
  };
  assert.deepEqual(problems(map, {}), ['a: Invalid value: 0: a in body should have at least 1 properties']);
  assert.deepEqual(problems(map, { x: '', y: '' }), ['a: Too many: 2: must have at most 1 item']);
});

test('date-times are RFC 3339, without leap seconds', () => {
  const time: StructuralSchema = { type: 'string', format: 'date-time' };
  for (const text of ['2026-01-31T23:59:59Z', '2026-01-31t10:00:00.5+02:00'])
    assert.deepEqual(problems(time, text), []);
  for (const text of ['2026-02-30T10:00:00Z', '2026-01-31T24:00:00Z', '2026-01-31T10:00:60Z', '2026-01-31', '']) {
    assert.equal(problems(time, text).length, 1, text);
  }
});

test('anyOf, oneOf, allOf and not combine schemas', () => {
  const text: StructuralSchema = { type: 'string' };
  const small: StructuralSchema = { maximum: 5 };
  assert.deepEqual(problems({ anyOf: [text, small] }, 3), []);
  assert.deepEqual(problems({ anyOf: [small, { minimum: 10 }] }, 7), [
    '<nil>: Invalid value: "": "a" must validate at least one schema (anyOf)',
    'a: Invalid value: 7: a in body should be less than or equal to 5',
  ]);
  assert.deepEqual(problems({ oneOf: [small, { maximum: 9 }] }, 3), [
    '<nil>: Invalid value: "": "a" must validate one and only one schema (oneOf). Found 2 valid alternatives',
  ]);
  assert.deepEqual(problems({ allOf: [small, { minimum: 2 }] }, 1), [
    'a: Invalid value: 1: a in body should be greater than or equal to 2',
    '<nil>: Invalid value: "": "a" must validate all the schemas (allOf)',
  ]);
  assert.deepEqual(problems({ not: small }, 3), ['<nil>: Invalid value: "": "a" must not validate the schema (not)']);
});

test('an unchanged fault does not block an update, a changed one does', () => {
  const strict: StructuralSchema = { type: 'integer', maximum: 5 };
  assert.deepEqual(problems(strict, 9, 9), []);
  assert.equal(problems(strict, 8, 9).length, 1);
  const list: StructuralSchema = {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['k'],
    items: { type: 'object', properties: { k: { type: 'string' }, v: strict } },
  };
  assert.deepEqual(
    problems(
      list,
      [
        { k: 'b', v: 1 },
        { k: 'a', v: 9 },
      ],
      [{ k: 'a', v: 9 }],
    ),
    [],
  );
  const atomic: StructuralSchema = { ...list, 'x-kubernetes-list-type': 'atomic' };
  assert.equal(
    problems(
      atomic,
      [
        { k: 'b', v: 1 },
        { k: 'a', v: 9 },
      ],
      [{ k: 'a', v: 9 }],
    ).length,
    1,
  );
});

test('any number of errors is told', () => {
  const list: StructuralSchema = { type: 'array', items: { type: 'string' } };
  const schema: StructuralSchema = { type: 'object', properties: { l: list } };
  assert.equal(validateSchema({ l: Array.from({ length: 200_000 }, () => 1) }, schema).length, 200_000);
});

test('a required field is there only if the object itself has it, whatever JavaScript objects inherit', () => {
  const schema: StructuralSchema = { type: 'object', required: ['constructor'], properties: {} };
  assert.deepEqual(problems(schema, {}), ['a.constructor: Required value']);
  assert.deepEqual(problems(schema, { constructor: 1 }), []);
  assert.deepEqual(problems({ type: 'object', properties: {} }, { toString: 1, valueOf: {} }), []);
});
