import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PropagatedMap } from './propagated-map.ts';

function mapAt(start: number) {
  const clock = { now: start };
  return { clock, map: new PropagatedMap<string>(() => clock.now, 1000) };
}

test('readers see a change after their delay, the writer at once', () => {
  const { clock, map } = mapAt(5000);
  map.set('a', 'one');
  assert.equal(map.latest('a'), 'one');
  assert.equal(map.seen('a', 300), undefined);
  clock.now += 300;
  assert.equal(map.seen('a', 300), 'one');
  assert.equal(map.seen('a', 400), undefined);
  map.set('a', 'two');
  assert.deepEqual([...map.allSeen(300)], ['one']);
  assert.deepEqual([...map.allLatest()], ['two']);
});

test('readers see what is deleted until their delay is over', () => {
  const { clock, map } = mapAt(0);
  map.set('a', 'one');
  clock.now = 1000;
  map.delete('a');
  assert.equal(map.latest('a'), undefined);
  assert.equal(map.seen('a', 500), 'one');
  clock.now = 1500;
  assert.equal(map.seen('a', 500), undefined);
});

test('a change soon after another hides neither from readers who are late', () => {
  const { clock, map } = mapAt(0);
  for (const [at, value] of [
    [0, 'one'],
    [900, 'two'],
    [1800, 'three'],
    [2000, 'four'],
  ] as const) {
    clock.now = at;
    map.set('a', value);
  }
  assert.equal(map.seen('a', 1000), 'two');
  assert.equal(map.seen('a', 200), 'three');
});
