import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RESOURCES } from '@karpenter-ts/apis';
import type { Json, StructuralSchema } from '@karpenter-ts/kubernetes';
import { CelCompileError, type CelOutcome, type CelScope, compileCel } from './compile.ts';
import { toCel } from './values.ts';

const OBJECT: StructuralSchema = {
  type: 'object',
  properties: {
    n: { type: 'integer' },
    s: { type: 'string' },
    list: { type: 'array', items: { type: 'integer' } },
  },
};

function evaluate(rule: string, self: Json, schema: StructuralSchema = OBJECT): CelOutcome {
  return compileCel(rule, { self: schema }).evaluate({ self: toCel(self, schema) });
}

function refusal(rule: string, scope: CelScope = { self: OBJECT }): string {
  try {
    compileCel(rule, scope);
  } catch (error) {
    if (error instanceof CelCompileError) return error.reason;
    throw error;
  }
  return 'none';
}

test('a rule uses oldSelf when the name occurs in it, not when the text does', () => {
  const uses = (rule: string): boolean => compileCel(rule, { self: OBJECT }).usesOldSelf;
  assert.equal(uses('self.n >= oldSelf.n'), true);
  assert.equal(uses("self.s != 'oldSelf'"), false);
  assert.equal(uses('self.n > 1 // oldSelf'), false);
});

test('oldSelf is an error where there is no old value, and an empty optional where the rule asks for one', () => {
  const plain = compileCel('oldSelf.n == 1', { self: OBJECT });
  assert.deepEqual(plain.evaluate({ self: toCel({}, OBJECT) }), { error: 'no such attribute(s): oldSelf' });
  const optional = compileCel('oldSelf.?n.orValue(5) == self.n', { self: OBJECT, optionalOldSelf: true });
  assert.deepEqual(optional.evaluate({ self: toCel({ n: 5 }, OBJECT) }), { value: true });
  assert.deepEqual(optional.evaluate({ self: toCel({ n: 5 }, OBJECT), oldSelf: toCel({ n: 4 }, OBJECT) }), {
    value: false,
  });
});

test('a messageExpression gives a string and nothing else', () => {
  const scope: CelScope = { self: OBJECT, gives: 'string' };
  const message = compileCel("'n is ' + string(self.n)", scope);
  assert.deepEqual(message.evaluate({ self: toCel({ n: 3 }, OBJECT) }), { value: 'n is 3' });
  assert.equal(refusal('self.n', scope), 'messageExpression must evaluate to a string');
  assert.match(
    refusal('self.x', scope),
    /^messageExpression compilation failed: ERROR: <input>:1:5: undefined field 'x'/,
  );
  assert.equal(
    refusal("self.s.find('[')", scope),
    'messageExpression instantiation failed: error parsing regexp: missing closing ]: `[`',
  );
});

test('the error of a rule that does not compile names the rule and the reason', () => {
  assert.throws(() => compileCel('self.n', { self: OBJECT }), {
    name: 'CelCompileError',
    message: 'CEL rule "self.n": cel expression must evaluate to a bool',
    rule: 'self.n',
    reason: 'cel expression must evaluate to a bool',
  });
});

test('data without a type cannot be ruled on', () => {
  const untyped: StructuralSchema = { 'x-kubernetes-preserve-unknown-fields': true };
  assert.equal(refusal('true', { self: untyped }), 'failed to convert to declType for CEL validation rules');
});

test('an error is dropped where another operand decides the outcome, on either side', () => {
  const error = { error: 'no such key: s' };
  assert.deepEqual(evaluate("self.s == '' || self.n == 1", { n: 1 }), { value: true });
  assert.deepEqual(evaluate("self.n == 1 || self.s == ''", { n: 1 }), { value: true });
  assert.deepEqual(evaluate("self.s == '' && self.n == 2", { n: 1 }), { value: false });
  assert.deepEqual(evaluate("self.s == '' || self.n == 2", { n: 1 }), error);
  assert.deepEqual(evaluate("self.s == '' && self.n == 1", { n: 1 }), error);
});

test('a quantifier drops the errors of elements when another element decides it', () => {
  const zero = { error: 'division by zero' };
  assert.deepEqual(evaluate('self.list.all(x, 1 / x > 1)', { list: [0, 1] }), { value: false });
  assert.deepEqual(evaluate('self.list.exists(x, 1 / x == 1)', { list: [0, 1] }), { value: true });
  assert.deepEqual(evaluate('self.list.all(x, 1 / x == 1)', { list: [0, 1] }), zero);
  assert.deepEqual(evaluate('self.list.exists_one(x, 1 / x == 1)', { list: [0, 1] }), zero);
});

test('patterns are RE2, which has no lookahead', () => {
  assert.match(refusal("self.s.matches('(?=a)')"), /invalid matches argument/);
  assert.deepEqual(evaluate("self.s.matches('^(?i)ABC$')", { s: 'abc' }), { value: true });
});

test('a rule that would take too long is cancelled', () => {
  const cancelled = { error: 'operation cancelled: actual cost limit exceeded' };
  const many = { list: Array.from({ length: 2000 }, (_, i) => i) };
  const hostile: Readonly<Record<string, Json>> = {
    'self.list.all(a, self.list.all(b, self.list.all(c, a + b + c >= 0)))': many,
    'self.list.all(a, self.list == self.list)': many,
    'lists.range(1000000000).size() > 0': {},
    "self.s.replace('', self.s).replace('', self.s).replace('', self.s).size() > 0": { s: 'x'.repeat(3000) },
    'self.list.map(a, self.list).map(b, b + b).all(c, sets.equivalent(c, c))': many,
    "self.list.all(a, !self.s.matches('(x+x+)+y'))": { ...many, s: 'x'.repeat(100_000) },
  };
  for (const [rule, self] of Object.entries(hostile)) {
    const start = performance.now();
    assert.deepEqual(evaluate(rule, self), cancelled, rule);
    assert.ok(performance.now() - start < 2000, rule);
  }
});

test('being cancelled is not an error a rule can drop', () => {
  assert.deepEqual(evaluate('lists.range(1000000000).size() > 0 || true', {}), {
    error: 'operation cancelled: actual cost limit exceeded',
  });
});

test('an expression that is too long or too deep is refused', () => {
  const tooLong = `true ${'|| true '.repeat(20_000)}`;
  assert.match(refusal(tooLong), /expression code point size exceeds limit: size: 160005, limit 100000/);
  assert.match(refusal(`${'('.repeat(300)}true${')'.repeat(300)}`), /expression recursion limit exceeded: 250/);
  assert.match(refusal(`self.n${' + 1'.repeat(300)} > 0`), /expression recursion limit exceeded: 250/);
  assert.deepEqual(evaluate(`true ${'&& true '.repeat(5000)}`, {}), { value: true });
});

test('the rules of all our kinds compile fast enough to do it at start', () => {
  const start = performance.now();
  let count = 0;
  const compileAll = (schema: StructuralSchema): void => {
    for (const { rule } of schema['x-kubernetes-validations'] ?? []) {
      compileCel(rule, { self: schema });
      count++;
    }
    const below = [...Object.values(schema.properties ?? {}), schema.items, schema.additionalProperties];
    for (const child of below) if (typeof child === 'object') compileAll(child);
  };
  for (const { schema } of RESOURCES.aws) compileAll(schema);
  assert.ok(count > 60);
  assert.ok(performance.now() - start < 1000, 'about 50 ms on an idle machine');
});
