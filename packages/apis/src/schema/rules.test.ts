import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderFieldError } from './field-error.ts';
import { validateRules } from './rules.ts';
import type { Json, StructuralSchema, ValidationRule } from '@karpenter-ts/kubernetes';

const object = (rule: ValidationRule, property: StructuralSchema = { type: 'integer' }): StructuralSchema => ({
  type: 'object',
  properties: { s: { type: 'object', properties: { n: property }, 'x-kubernetes-validations': [rule] } },
});
const problems = (schema: StructuralSchema, value: Json, old?: Json) =>
  validateRules({ s: value }, schema, old === undefined ? undefined : { s: old }).map(renderFieldError);

test('a broken rule is named by its message, or by itself', () => {
  assert.deepEqual(problems(object({ rule: 'self.n > 1', message: ' too small ' }), { n: 1 }), [
    's: Invalid value: too small',
  ]);
  assert.deepEqual(problems(object({ rule: 'self.n > 1' }), { n: 1 }), ['s: Invalid value: failed rule: self.n > 1']);
  assert.deepEqual(problems(object({ rule: 'self.n > 1' }), { n: 2 }), []);
});

test('a rule that cannot be evaluated fails with the type in place of the value', () => {
  assert.deepEqual(problems(object({ rule: 'self.n > 1', message: 'm' }), {}), [
    's: Invalid value: "object": no such key: n evaluating rule: m',
  ]);
});

test('a rule on a scalar shows the value', () => {
  const schema = object(
    { rule: 'true' },
    { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self > 1', message: 'm' }] },
  );
  assert.deepEqual(problems(schema, { n: 1 }), ['s.n: Invalid value: 1: m']);
});

test('rules about a map name the key in brackets', () => {
  const schema: StructuralSchema = {
    type: 'object',
    properties: {
      s: {
        type: 'object',
        additionalProperties: { type: 'string', 'x-kubernetes-validations': [{ rule: "self != ''", message: 'm' }] },
      },
    },
  };
  assert.deepEqual(problems(schema, { 'a.b': '' }), ['s[a.b]: Invalid value: "": m']);
});

test('a rule that names oldSelf runs on updates only', () => {
  const schema = object({ rule: 'self.n >= oldSelf.n', message: 'shrinks' });
  assert.deepEqual(problems(schema, { n: 1 }), []);
  assert.deepEqual(problems(schema, { n: 1 }, { n: 2 }), ['s: Invalid value: shrinks']);
  assert.deepEqual(problems(schema, { n: 3 }, { n: 2 }), []);
});

test('what was broken before and did not change is let through', () => {
  const schema = object({ rule: 'self.n > 1', message: 'm' });
  assert.deepEqual(problems(schema, { n: 1 }, { n: 1 }), []);
  assert.deepEqual(problems(schema, { n: 0 }, { n: 1 }), ['s: Invalid value: m']);
});

test('a rule that compares with oldSelf counts also where nothing changed', () => {
  const schema = object({ rule: 'self.n > oldSelf.n', message: 'must grow' });
  assert.deepEqual(problems(schema, { n: 1 }, { n: 1 }), ['s: Invalid value: must grow']);
});

test('a rule may give its own reason', () => {
  assert.deepEqual(problems(object({ rule: 'false', message: 'm', reason: 'FieldValueForbidden' }), {}), [
    's: Forbidden: m',
  ]);
  assert.deepEqual(problems(object({ rule: 'false', message: 'm', reason: 'FieldValueRequired' }), {}), [
    's: Required value: m',
  ]);
});

test('a message may be computed, and the fixed one stands in when that fails', () => {
  const computed = (messageExpression: string) => object({ rule: 'false', message: 'fixed', messageExpression });
  assert.deepEqual(problems(computed("'n is ' + string(self.n)"), { n: 1 }), ['s: Invalid value: n is 1']);
  assert.deepEqual(problems(computed("'n is ' + string(self.n)"), {}), ['s: Invalid value: fixed']);
  assert.deepEqual(problems(computed("'two\\nlines'"), {}), ['s: Invalid value: fixed']);
});

test('an optional oldSelf is there on create too', () => {
  const schema = object({ rule: 'oldSelf.hasValue() || self.n == 1', message: 'm', optionalOldSelf: true });
  assert.deepEqual(problems(schema, { n: 2 }), ['s: Invalid value: m']);
  assert.deepEqual(problems(schema, { n: 2 }, { n: 3 }), []);
});

test('rules at the root may read the name', () => {
  const schema: StructuralSchema = {
    type: 'object',
    properties: {},
    'x-kubernetes-validations': [{ rule: "self.metadata.name != 'x'", message: 'm' }],
  };
  assert.equal(validateRules({ metadata: { name: 'x' } }, schema).length, 1);
  assert.equal(validateRules({ metadata: { name: 'y' } }, schema).length, 0);
});

/** A list of lists of numbers, with a rule on each inner list that costs about four units for each pair of its numbers. */
const PAIRS: StructuralSchema = {
  type: 'object',
  properties: {
    s: {
      type: 'array',
      items: {
        type: 'array',
        items: { type: 'integer' },
        'x-kubernetes-validations': [{ rule: 'self.all(a, self.all(b, a + b >= 0))', message: 'm' }],
      },
    },
  },
};

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);

test('the rules of one object share a budget, and the one that exceeds it is the last that is run', () => {
  const hundreds = (lists: number) => problems(PAIRS, [...Array.from({ length: lists }, () => numbers(300)), [-1]]);
  assert.deepEqual(hundreds(2), ['s[2]: Invalid value: m']);
  const [error, ...others] = hundreds(2_000);
  assert.match(
    error!,
    /^s\[\d+\]: Invalid value: "array": validation failed due to running out of cost budget, no further validation rules will be run$/,
  );
  assert.deepEqual(others, []);
});

test('one rule that costs too much ends the run, in the words of the server', () => {
  assert.deepEqual(problems(PAIRS, [numbers(1_000), [-1]]), [
    's[0]: Invalid value: "array": \'operation cancelled: actual cost limit exceeded\': no further validation rules will be run due to call cost exceeds limit for rule: m',
  ]);
});
