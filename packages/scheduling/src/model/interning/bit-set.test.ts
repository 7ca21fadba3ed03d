import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BitSet } from './bit-set.ts';

const SIZE = 100; // not a multiple of 32: the last word is part full
const ids = fc.uniqueArray(fc.nat({ max: SIZE - 1 }));

function setOf(members: readonly number[], size = 0): BitSet {
  const set = new BitSet(size);
  for (const id of members) set.add(id);
  return set;
}

const ascending = (members: Iterable<number>) => [...members].sort((a, b) => a - b);

test('intersecting, subtracting and uniting do as sets do, and say whether anything is left', () => {
  fc.assert(
    fc.property(ids, ids, fc.nat({ max: SIZE }), (a, b, size) => {
      const [mine, theirs] = [new Set(a), new Set(b)];
      const both = setOf(a, size);
      assert.equal(both.intersect(setOf(b)), mine.intersection(theirs).size > 0);
      assert.deepEqual([...both], ascending(mine.intersection(theirs)));
      const rest = setOf(a, size);
      assert.equal(rest.subtract(setOf(b)), mine.difference(theirs).size > 0);
      assert.deepEqual([...rest], ascending(mine.difference(theirs)));
      const all = setOf(a, size);
      all.unite(setOf(b));
      assert.deepEqual([...all], ascending(mine.union(theirs)));
      assert.equal(setOf(a).overlaps(setOf(b)), mine.intersection(theirs).size > 0);
      assert.equal(setOf(a, size).countCommon(setOf(b)), mine.intersection(theirs).size);
      assert.equal(setOf(a, size).includes(setOf(b)), theirs.isSubsetOf(mine));
    }),
  );
});

test('members are found, counted, dropped and copied', () => {
  fc.assert(
    fc.property(ids, ids, fc.nat({ max: SIZE + 40 }), (a, b, from) => {
      const set = setOf(a);
      assert.equal(set.count(), a.length);
      assert.equal(set.isEmpty(), a.length === 0);
      assert.equal(set.next(from), ascending(a).find((id) => id >= from) ?? -1);
      for (let id = 0; id < SIZE + 40; id++) assert.equal(set.has(id), a.includes(id));
      const copy = setOf(b, 2 * SIZE);
      copy.copyFrom(set);
      assert.deepEqual([...copy], ascending(a));
      const clone = set.clone();
      for (const id of b) clone.delete(id);
      assert.deepEqual([...clone], ascending(new Set(a).difference(new Set(b))));
      assert.deepEqual([...set], ascending(a));
      set.clear();
      assert.ok(set.isEmpty());
    }),
  );
});

test('a set up to a count has all below it and nothing else', () => {
  for (const count of [0, 1, 31, 32, 33, 64, 100]) {
    assert.deepEqual(
      [...BitSet.upTo(count)],
      Array.from({ length: count }, (_, id) => id),
    );
    const reused = setOf([5, 99]);
    reused.fill(count);
    assert.equal(reused.count(), count);
  }
});
