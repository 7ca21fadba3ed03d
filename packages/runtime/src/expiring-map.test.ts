import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from './virtual-clock.ts';
import { ExpiringMap } from './expiring-map.ts';

test('an entry is gone when its time is up, and setting it again begins its time anew', async () => {
  const clock = new VirtualClock();
  const map = new ExpiringMap<string, number>(clock, 10);
  map.set('a', 1);
  await clock.advance(9);
  assert.equal(map.get('a'), 1);
  map.set('a', 2);
  await clock.advance(9);
  assert.equal(map.get('a'), 2);
  await clock.advance(1);
  assert.equal(map.get('a'), undefined);
  assert.equal(map.has('a'), false);
});

test('what has expired is dropped as others come', async () => {
  const clock = new VirtualClock();
  const map = new ExpiringMap<number, number>(clock, 10);
  for (let i = 0; i < 100; i++) {
    map.set(i, i);
    await clock.advance(1);
  }
  assert.equal(map.size, 10);
  map.delete(99);
  assert.equal(map.get(99), undefined);
});
