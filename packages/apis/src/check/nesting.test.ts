import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isTooDeep } from './nesting.ts';

const lines = (count: number, indentOf: (line: number) => number): string =>
  Array.from({ length: count }, (_, line) => `${' '.repeat(indentOf(line))}a:`).join('\n');

test('what is nested by indentation alone is as deep as it has indents one within the other', () => {
  assert.equal(isTooDeep(lines(1_000, (line) => line)), true);
  assert.equal(isTooDeep(lines(200, (line) => line)), false);
  assert.equal(isTooDeep(lines(10_000, (line) => line % 50)), false);
});

test('brackets and dashes that open without end are too deep, closed ones are not', () => {
  assert.equal(isTooDeep('['.repeat(1_000)), true);
  assert.equal(isTooDeep('- '.repeat(1_000)), true);
  assert.equal(isTooDeep('[]'.repeat(1_000)), false);
});
