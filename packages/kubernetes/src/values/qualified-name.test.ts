import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  generateNameProblems,
  labelValueProblems,
  qualifiedNameProblems,
} from './qualified-name.ts';

// The texts of k8s.io/apimachinery v0.35.4.
const NAME =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const VALUE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LABEL =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

test('a key is a name of up to 63, after an optional DNS prefix of up to 253', () => {
  for (const key of ['a', 'A_b.c-9', 'karpenter.sh/nodepool', `${'a'.repeat(253)}/${'B'.repeat(63)}`]) {
    assert.deepEqual(qualifiedNameProblems(key), [], key);
  }
  assert.deepEqual(qualifiedNameProblems(''), ['name part must be non-empty', `name part ${NAME}`]);
  assert.deepEqual(qualifiedNameProblems('/a'), ['prefix part must be non-empty']);
  assert.deepEqual(qualifiedNameProblems('Test.com/'), [
    `prefix part ${SUBDOMAIN}`,
    'name part must be non-empty',
    `name part ${NAME}`,
  ]);
  assert.deepEqual(qualifiedNameProblems('a/b/c'), [
    `a valid label key ${NAME} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
  ]);
  assert.deepEqual(qualifiedNameProblems(`${'a'.repeat(254)}/${'b'.repeat(64)}`), [
    'prefix part must be no more than 253 bytes',
    'name part must be no more than 63 bytes',
  ]);
});

test('a label value is empty or a name of up to 63 bytes', () => {
  assert.deepEqual(labelValueProblems(''), []);
  assert.deepEqual(labelValueProblems('a.B_c-1'), []);
  assert.deepEqual(labelValueProblems('-a'), [VALUE]);
  assert.deepEqual(labelValueProblems('a'.repeat(64)), ['must be no more than 63 bytes']);
  assert.deepEqual(labelValueProblems('\u00e9'.repeat(32)), ['must be no more than 63 bytes', VALUE]);
});

test('a DNS name is of lower case, dots and inner dashes', () => {
  assert.deepEqual(dns1123SubdomainProblems('a.b-c.9'), []);
  for (const name of ['', 'A', 'a..b', '.a', 'a.', '-a', 'a-', 'a.-b', 'a_b', 'a\n']) {
    assert.deepEqual(dns1123SubdomainProblems(name), [SUBDOMAIN], name);
  }
  assert.deepEqual(dns1123SubdomainProblems('a'.repeat(254)), ['must be no more than 253 characters']);
  assert.deepEqual(dns1123LabelProblems('a-b'), []);
  assert.deepEqual(dns1123LabelProblems('a.b'), ['must not contain dots']);
  assert.deepEqual(dns1123LabelProblems('A'.repeat(64)), ['must be no more than 63 characters', LABEL]);
});

test('a name to generate from may end in a dash', () => {
  assert.deepEqual(generateNameProblems('default-'), []);
  assert.deepEqual(generateNameProblems('-'), [SUBDOMAIN]);
  assert.deepEqual(generateNameProblems('a\u00e9-'), [SUBDOMAIN]);
});

test('what passes is what the pattern in the message matches', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'B', '7', '-', '_', '.', '\n', '\u00e9'), maxLength: 9 });
  const patternOf = (message: string): RegExp => new RegExp(`^(?:${/is '(.*)'\)$/.exec(message)![1]})$`);
  fc.assert(
    fc.property(text, (value) => {
      assert.equal(qualifiedNameProblems(value).length === 0, patternOf(NAME).test(value));
      assert.equal(labelValueProblems(value).length === 0, patternOf(VALUE).test(value));
      assert.equal(dns1123SubdomainProblems(value).length === 0, patternOf(SUBDOMAIN).test(value));
      assert.equal(dns1123LabelProblems(value).length === 0, patternOf(LABEL).test(value));
    }),
  );
});

test('a megabyte of anything is judged at once', () => {
  const start = performance.now();
  for (const char of ['a', '-', '.', 'a.', 'a-', '/', '\u00e9']) {
    const value = `${char.repeat(2 ** 20)}!`;
    for (const problemsOf of [
      qualifiedNameProblems,
      labelValueProblems,
      dns1123SubdomainProblems,
      dns1123LabelProblems,
    ]) {
      assert.notDeepEqual(problemsOf(value), []);
    }
  }
  assert.ok(performance.now() - start < 5000);
});
