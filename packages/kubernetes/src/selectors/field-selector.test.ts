import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FieldSelectorError, matchesFields, parseFieldSelector } from './field-selector.ts';

test('terms read as in Go, sorted, empty ones dropped', () => {
  const read = (text: string): string[] =>
    parseFieldSelector(text).map(({ field, operator, value }) => `${field}|${operator}|${value}`);
  assert.deepEqual(read(''), []);
  assert.deepEqual(read('a=b'), ['a|=|b']);
  assert.deepEqual(read('a==b'), ['a|=|b']);
  assert.deepEqual(read('spec.nodeName!=b,metadata.name=a'), ['metadata.name|=|a', 'spec.nodeName|!=|b']);
  assert.deepEqual(read(',,a=b,'), ['a|=|b']);
  assert.deepEqual(read('a='), ['a|=|']);
  assert.deepEqual(read('=b'), ['|=|b']);
  assert.deepEqual(read('=,!='), []);
  assert.deepEqual(read(String.raw`a=b\,c`), ['a|=|b,c']);
  assert.deepEqual(read(String.raw`a=\=\\`), ['a|=|=\\']);
});

test('what is no selector is refused in the words of the server', () => {
  const errors: readonly (readonly [string, string])[] = [
    ['a', "invalid selector: 'a'; can't understand 'a'"],
    ['a=b,c', "invalid selector: 'a=b,c'; can't understand 'c'"],
    ['a=b=c', 'invalid field selector: unescaped character in value: 61'],
    ['a===b', 'invalid field selector: unescaped character in value: 61'],
    ['a=\\x', 'invalid field selector: invalid escape sequence: \\x'],
    ['a=b\\', 'invalid field selector: invalid escape sequence: \\'],
    ['a=\\\u{1f600}', 'invalid field selector: invalid escape sequence: \\\u{1f600}'],
  ];
  for (const [text, message] of errors) {
    assert.throws(() => parseFieldSelector(text), { name: 'FieldSelectorError', message }, text);
  }
});

test('all terms must hold, and a field that is missing is empty', () => {
  const fields = new Map([
    ['metadata.name', 'a'],
    ['status.phase', 'Running'],
  ]);
  const matches = (text: string): boolean => matchesFields(parseFieldSelector(text), (path) => fields.get(path));
  assert.equal(matches('metadata.name=a,status.phase!=Pending'), true);
  assert.equal(matches('metadata.name=a,status.phase=Pending'), false);
  assert.equal(matches('spec.nodeName='), true);
  assert.equal(matches('spec.nodeName!='), false);
  assert.equal(matches(''), true);
});

test('an escaped value reads as what it was', () => {
  const text = fc.string({ unit: fc.constantFrom('a', '\\', ',', '=', '!', '\u{1f600}') });
  fc.assert(
    fc.property(text, (value) => {
      const [term] = parseFieldSelector(`x=${value.replace(/[\\,=]/g, '\\$&')}`);
      assert.equal(term?.value, value);
    }),
  );
});

test('a megabyte of anything is refused at once', () => {
  const start = performance.now();
  for (const char of ['a', '\\', '=', '!', ',', '\u00e9']) {
    assert.throws(() => parseFieldSelector(`a=${char.repeat(2 ** 20)}\\x,a`), FieldSelectorError);
  }
  assert.ok(performance.now() - start < 5000);
});
