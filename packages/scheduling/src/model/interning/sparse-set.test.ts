import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BitSet } from './bit-set.ts';
import { SparseSet } from './sparse-set.ts';

test('a sparse set has what was added and not taken away, whether it is few or many', () => {
  const changes = fc.array(fc.tuple(fc.nat({ max: 200 }), fc.boolean()), { maxLength: 60 });
  fc.assert(
    fc.property(changes, (changes) => {
      const [set, expected] = [new SparseSet(), new Set<number>()];
      for (const [id, isAdded] of changes) {
        if (!isAdded) set.delete(id);
        else if (!expected.has(id)) set.add(id);
        if (isAdded) expected.add(id);
        else expected.delete(id);
      }
      const found = new BitSet();
      set.uniteInto(found);
      assert.deepEqual(
        [...found],
        [...expected].sort((a, b) => a - b),
      );
    }),
  );
});
