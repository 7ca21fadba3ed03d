import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultsOf } from '@karpenter-ts/runtime';
import { operatorOptions } from '../../options/operator-options.ts';
import { commandsPerPass, searchLimit } from './search-limits.ts';

test('searches take as long as upstream’s, or as the flags say while their extension is on', () => {
  const options = defaultsOf(operatorOptions);
  assert.deepEqual([searchLimit('multi', options), searchLimit('single', options)], [60_000, 180_000]);
  const set = { ...options, multiNodeConsolidationTimeout: 5000, singleNodeConsolidationTimeout: 0 };
  assert.deepEqual([searchLimit('multi', set), searchLimit('single', set)], [5000, Infinity]);
  const off = { ...set, extensions: new Set(['B1']) };
  assert.deepEqual([searchLimit('multi', off), searchLimit('single', off)], [60_000, 180_000]);
});

test('a pass consolidates one single node, or as many as the flag says while its extension is on', () => {
  const options = defaultsOf(operatorOptions);
  assert.equal(commandsPerPass(options), 1);
  const set = { ...options, consolidationCommandsPerPass: 20 };
  assert.equal(commandsPerPass(set), 20);
  assert.equal(commandsPerPass({ ...set, extensions: new Set() }), 1);
});
