import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR } from '../clock.ts';
import { AdjustableClock } from '../testing/adjustable-clock.ts';
import { ChangeMonitor } from './change-monitor.ts';

test('a value is worth a line when new, when changed, and after a day', async () => {
  const clock = new AdjustableClock();
  const monitor = new ChangeMonitor(clock);
  assert.equal(monitor.hasChanged('subnets', ['a', 'b']), true);
  assert.equal(monitor.hasChanged('subnets', ['b', 'a']), false);
  assert.equal(monitor.hasChanged('subnets', ['b', 'c']), true);
  assert.equal(monitor.hasChanged('zones', ['b', 'c']), true);
  clock.setWallBy(-5 * HOUR);
  await clock.advance(23 * HOUR);
  assert.equal(monitor.hasChanged('subnets', ['c', 'b']), false);
  await clock.advance(1 * HOUR);
  assert.equal(monitor.hasChanged('subnets', ['c', 'b']), true);
});

test('objects are equal whatever the order of their keys', () => {
  const monitor = new ChangeMonitor(new AdjustableClock());
  assert.equal(monitor.hasChanged('ami', { id: 1, tags: [{ a: 1, b: 2 }] }), true);
  assert.equal(monitor.hasChanged('ami', { tags: [{ b: 2, a: 1 }], id: 1 }), false);
});
