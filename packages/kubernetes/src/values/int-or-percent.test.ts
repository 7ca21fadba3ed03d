import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scaledValue } from './int-or-percent.ts';

test('a number is taken as it is', () => {
  assert.equal(scaledValue(3, 10, 'up'), 3);
  assert.equal(scaledValue(0, 10, 'down'), 0);
});

test('a share that is no whole number is rounded as told', () => {
  assert.equal(scaledValue('25%', 10, 'up'), 3);
  assert.equal(scaledValue('25%', 10, 'down'), 2);
  assert.equal(scaledValue('100%', 7, 'down'), 7);
  assert.equal(scaledValue('1%', 1, 'up'), 1);
});
