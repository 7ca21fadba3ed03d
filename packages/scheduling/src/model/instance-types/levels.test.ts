import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BitSet } from '../interning/bit-set.ts';
import { Levels } from './levels.ts';

const amounts = fc.array(fc.integer({ min: -3, max: 12 }), { maxLength: 40 });

test('ids with at least, or at most, an amount are those a comparison finds', () => {
  fc.assert(
    fc.property(amounts, fc.integer({ min: -5, max: 15 }), (list, amount) => {
      const where = (holds: (one: number) => boolean) => list.flatMap((one, id) => (holds(one) ? [id] : []));
      const levels = new Levels(list);
      assert.deepEqual(
        [...levels.atLeast(amount)],
        where((one) => one >= amount),
      );
      assert.deepEqual(
        [...levels.atMost(amount)],
        where((one) => one <= amount),
      );
    }),
  );
});

test('the largest and the smallest of some ids are those of their amounts', () => {
  fc.assert(
    fc.property(amounts, fc.array(fc.nat({ max: 39 })), (list, some) => {
      const ids = new BitSet();
      for (const id of some) if (id < list.length) ids.add(id);
      const chosen = [...ids].map((id) => list[id]!);
      const levels = new Levels(list);
      assert.equal(levels.largest(ids), chosen.length === 0 ? undefined : Math.max(...chosen));
      assert.equal(levels.smallest(ids), chosen.length === 0 ? undefined : Math.min(...chosen));
    }),
  );
});

test('the least amount that is enough is found among the amounts there are', () => {
  fc.assert(
    fc.property(amounts, fc.nat({ max: 40 }), (list, count) => {
      const found = new Levels(list).leastWhere((ids) => ids.count() >= count);
      assert.equal(found, list.toSorted((a, b) => a - b)[Math.max(count - 1, 0)]);
    }),
  );
});
