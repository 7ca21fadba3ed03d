import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findMoneyRate, formatMoneyRate } from './money-rate.ts';
import { findPercentage, formatPercentage } from './percentage.ts';

test('a rate is a decimal number of dollars per hour and nothing else', () => {
  assert.deepEqual(['0/h', '0.05/h', '12.50/h'].map(findMoneyRate), [0, 0.05, 12.5]);
  for (const text of ['', '0.05', '/h', '.5/h', '1./h', '-1/h', '1e2/h', '$1/h', '1/hour', ' 1/h', '1/h ', '0x1/h']) {
    assert.equal(findMoneyRate(text), undefined, text);
  }
  assert.deepEqual([0, 0.05, 12.5].map(formatMoneyRate), ['0/h', '0.05/h', '12.5/h']);
});

test('a percentage goes from nothing to all, decimals allowed', () => {
  assert.deepEqual(['0%', '5%', '7.5%', '100%'].map(findPercentage), [0, 0.05, 0.075, 1]);
  for (const text of ['', '5', '%', '.5%', '5.%', '-5%', '100.1%', '1e1%', '5 %', ' 5%']) {
    assert.equal(findPercentage(text), undefined, text);
  }
  assert.deepEqual([0, 0.05, 0.07, 0.075, 1].map(formatPercentage), ['0%', '5%', '7%', '7.5%', '100%']);
});
