import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deepFreeze, shared } from './shared.ts';

test('objects from shared caches are frozen through and through in tests', () => {
  assert.equal(process.env['KARPENTER_FREEZE'], '1', 'run the tests with npm test, which sets this');
  const cached = shared({ metadata: { labels: { a: 'b' } }, list: [{ x: 1 }] });
  assert.throws(() => Object.assign(cached.metadata.labels, { a: 'c' }), TypeError);
  assert.throws(() => cached.list.push({ x: 2 }), TypeError);
  assert.throws(() => Object.assign(cached.list[0]!, { x: 2 }), TypeError);
});

test('freezing stops at what is frozen already, so cycles end', () => {
  const cycle: { self?: unknown } = {};
  cycle.self = cycle;
  assert.equal(Object.isFrozen(deepFreeze(cycle)), true);
});
