import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '@karpenter-ts/kubernetes/testing';
import { Headroom } from './headroom.ts';

function found(room: readonly number[], amount: number): readonly number[] {
  return [...new Headroom(Float64Array.from(room)).withAbout(amount)];
}

test('every node with enough room is found, and of the others few', () => {
  const random = seededRandom(3);
  const room = Array.from({ length: 5000 }, () => random.below(100_000));
  for (const amount of [0, 1, 777, 50_000, 99_000, 100_001]) {
    const nodes = found(room, amount);
    const enough = room.flatMap((one, node) => (one >= amount ? [node] : []));
    assert.deepEqual(
      enough.filter((node) => !nodes.includes(node)),
      [],
    );
    assert.ok(nodes.length - enough.length <= 2 * (5000 / 64), `${nodes.length} for ${enough.length}`);
  }
});

test('where nodes are alike none is found that is too full', () => {
  const room = Array.from({ length: 1000 }, (_, node) => (node % 4) * 1000);
  assert.deepEqual(found(room, 3001), []);
  assert.deepEqual(found(room, 2001).length, 250);
  assert.deepEqual(found(room, 1).length, 750);
  assert.deepEqual(found([], 0), []);
  assert.deepEqual(found([-5, 3], 0), [1]);
});
