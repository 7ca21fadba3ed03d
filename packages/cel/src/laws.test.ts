import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Json, StructuralSchema } from '@karpenter-ts/kubernetes';
import { compileCel } from './compile.ts';
import { toCel } from './values.ts';

// Equations that hold whatever the values are. Each is a rule, so it also tells of parser, checker and evaluator.

const STRINGS: StructuralSchema = { type: 'array', items: { type: 'string' } };
const SCHEMA: StructuralSchema = {
  type: 'object',
  properties: {
    a: { type: 'string' },
    b: { type: 'string' },
    i: { type: 'integer' },
    j: { type: 'integer' },
    k: { type: 'integer' },
    list: { type: 'array', items: { type: 'integer' } },
    strings: STRINGS,
  },
};

const text = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '😀', ' ', ','), maxLength: 6 });
const int = fc.integer({ min: -3, max: 3 });
const object = fc.record({
  a: text,
  b: text,
  i: int,
  j: int,
  k: int,
  list: fc.array(int, { maxLength: 4 }),
  strings: fc.array(text, { maxLength: 4 }),
});

function holds(...laws: readonly string[]): void {
  const rules = laws.map((law) => compileCel(law, { self: SCHEMA }));
  fc.assert(
    fc.property(object, (self: Json) => {
      const value = toCel(self, SCHEMA);
      rules.forEach((rule, n) => assert.deepEqual(rule.evaluate({ self: value }), { value: true }, laws[n]));
    }),
  );
}

test('text is made of code points', () => {
  holds(
    'self.a.split(self.b).join(self.b) == self.a',
    'self.a.size() == self.a.split("").size()',
    'self.a.split("").map(c, c).join() == self.a',
    '(self.a + self.b).substring(self.a.size()) == self.b',
    '(self.a + self.b).substring(0, self.a.size()) == self.a',
    'self.a.contains(self.b) == (self.a.indexOf(self.b) >= 0)',
    'self.a.indexOf(self.b) <= self.a.lastIndexOf(self.b)',
    'self.a.replace(self.b, self.b) == self.a',
    'string(bytes(self.a)) == self.a',
  );
});

test('what is not true of all is false of some', () => {
  holds(
    'self.list.all(x, x > self.i) == !self.list.exists(x, !(x > self.i))',
    'self.list.filter(x, x == self.i).size() == 1 ? self.list.exists_one(x, x == self.i) : true',
    '(self.i in self.list) == self.list.exists(x, x == self.i)',
    'self.list.map(x, x > self.i, x) == self.list.filter(x, x > self.i)',
    'self.list.transformList(n, x, x) == self.list',
    'self.list.all(n, x, self.list[n] == x)',
  );
});

test('sorting, reversing and sets keep the elements', () => {
  holds(
    'self.list.sort().isSorted()',
    'self.list.sort().reverse() == self.list.sortBy(x, -x)',
    'self.list.reverse().reverse() == self.list',
    'sets.equivalent(self.list, self.list.distinct())',
    'self.list.sum() == self.list.reverse().sum()',
    'self.list.size() == 0 || self.list.max() == self.list.sort().last().value()',
    '(self.strings + [self.a]).indexOf(self.a) <= self.strings.size()',
  );
});

test('arithmetic is that of integers, and binds as in other languages', () => {
  holds(
    'self.i + self.j * self.k == self.i + (self.j * self.k)',
    'self.i - self.j - self.k == (self.i - self.j) - self.k',
    'self.i - (self.j - self.k) == self.i - self.j + self.k',
    'self.j == 0 || (self.i / self.j) * self.j + self.i % self.j == self.i',
    '-self.i - -self.j == self.j - self.i',
    '!(self.i < self.j) == (self.i >= self.j)',
    'self.i < self.j && self.j < self.k ? self.i < self.k : true',
    'int(double(self.i)) == self.i && int(string(self.i)) == self.i',
  );
});

test('optional access is access where there is something', () => {
  holds(
    'self.list[?self.i].hasValue() == (self.i >= 0 && self.i < self.list.size())',
    'self.list[?self.i].optMap(x, x + 1).orValue(0) == (self.i in [0, 1, 2, 3] && self.i < self.list.size() ? self.list[self.i] + 1 : 0)',
    '[?self.list.first(), ?self.list.last()].size() == (self.list.size() == 0 ? 0 : 2)',
    'self.?a.orValue("") == self.a',
  );
});
