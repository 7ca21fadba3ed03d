import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatLabelSelector, LabelSelectorError, matchesLabels } from './label-selector.ts';
import { parseLabelSelector } from './label-selector-syntax.ts';

/** Written by k8s.io/apimachinery v0.35.4: a text and how its selector prints. */
const READS: readonly (readonly [text: string, printed: string])[] = [
  ['', ''],
  ['a', 'a'],
  ['!a', '!a'],
  ['a=b', 'a=b'],
  ['a==b', 'a==b'],
  ['a!=b', 'a!=b'],
  ['a in (c,b,c)', 'a in (b,c)'],
  ['a notin (x)', 'a notin (x)'],
  ['a in ()', 'a in ()'],
  ['a in (,)', 'a in ()'],
  ['a in (b,)', 'a in (,b)'],
  ['a in (b,,c)', 'a in (,b,c)'],
  ['a>5', 'a>5'],
  ['a<5', 'a<5'],
  ['x/y=z,b,!a', '!a,b,x/y=z'],
  [' a = b , c ', 'a=b,c'],
  ['in in (in,notin)', 'in in (in,notin)'],
  ['a=', 'a='],
  ['a=,b', 'a=,b'],
  ['a\0', 'a'],
  ['\0a', ''],
];

const ERRORS: readonly (readonly [text: string, message: string])[] = [
  ['=', "found '=', expected: !, identifier, or 'end of string'"],
  [',a', "found ',', expected: !, identifier, or 'end of string'"],
  ['!=', "found '!=', expected: !, identifier, or 'end of string'"],
  ['a=b c', "found 'c', expected: ',' or 'end of string'"],
  ['!a=b', "found '=', expected: ',' or 'end of string'"],
  ['a=b,', "found '', expected: identifier after ','"],
  ['a=b,,c', "found ',', expected: identifier after ','"],
  ['!', "unable to parse requirement: found '', expected: identifier"],
  ['a=(', "unable to parse requirement: found '(', expected: identifier"],
  ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
  ['a\0b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
  ['a in b', "unable to parse requirement: found 'b' expected: '('"],
  ['a in (=)', "unable to parse requirement: found '=', expected: ',', ')' or identifier"],
  ['a in (b c)', "unable to parse requirement: found 'c', expected: ',' or ')'"],
  ['a in (b', "unable to parse requirement: found '', expected: ',' or ')'"],
  ['a in (b,=)', "unable to parse requirement: found '=', expected: ',', or identifier"],
  ['a in (b,', "unable to parse requirement: found '', expected: ',', or identifier"],
  [
    'a>b',
    "unable to parse requirement: values[0]: Invalid value: \"b\": for 'Gt', 'Lt' operators, the value must be an integer",
  ],
  [
    '-a=b',
    "unable to parse requirement: <nil>: Invalid value: \"-a\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
  ],
  [
    'a="b"',
    "unable to parse requirement: values[0][a]: Invalid value: \"\\\"b\\\"\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
  ],
];

test('a selector reads and prints as in Go', () => {
  for (const [text, printed] of READS) assert.equal(formatLabelSelector(parseLabelSelector(text)), printed, text);
});

test('what is no selector is refused in the words of the server', () => {
  for (const [text, message] of ERRORS) {
    assert.throws(() => parseLabelSelector(text), { name: 'LabelSelectorError', message }, text);
  }
});

test('a missing label meets only what asks for no value', () => {
  for (const text of ['', '!a', 'a!=b', 'a notin (b)']) assert.ok(matchesLabels(parseLabelSelector(text), {}), text);
  for (const text of ['a', 'a=', 'a=b', 'a in (,b)', 'a>1', 'a<1']) {
    assert.equal(matchesLabels(parseLabelSelector(text), {}), false, text);
  }
});

test('greater and less compare integers, and nothing else', () => {
  const matches = (text: string, value: string): boolean => matchesLabels(parseLabelSelector(text), { a: value });
  assert.equal(matches('a>9', '10'), true);
  assert.equal(matches('a>9', '9'), false);
  assert.equal(matches('a<9', '-10'), true);
  assert.equal(matches('a<9', '8.5'), false);
  assert.equal(matches('a>9007199254740992', '9007199254740993'), true);
});

test('a printed selector reads back as the same', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'in', '1', 'X'), minLength: 1, maxLength: 3 });
  const values = fc.array(word, { minLength: 1, maxLength: 3 }).map((list) => `(${list.join(',')})`);
  const requirement = fc.oneof(
    word,
    word.map((key) => `!${key}`),
    fc.tuple(word, fc.constantFrom('=', '==', '!='), word).map((parts) => parts.join('')),
    fc.tuple(word, fc.constantFrom('in', 'notin'), values).map((parts) => parts.join(' ')),
  );
  fc.assert(
    fc.property(fc.array(requirement, { maxLength: 4 }), (requirements) => {
      const selector = parseLabelSelector(requirements.join(','));
      assert.deepEqual(parseLabelSelector(formatLabelSelector(selector)), selector);
    }),
  );
});

test('a megabyte of anything is refused at once', () => {
  const start = performance.now();
  for (const char of ['a', ' ', '(', '!', '=', ',', 'a in ', 'a in (,', '\u00e9', '"']) {
    assert.throws(() => parseLabelSelector(`${char.repeat(2 ** 20)}!`), LabelSelectorError);
  }
  assert.ok(performance.now() - start < 5000);
});
