import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BitSet } from '../../model/interning/bit-set.ts';
import { ShrinkingHeadroom } from './shrinking-headroom.ts';

const rooms = fc.array(fc.array(fc.integer({ min: -1, max: 2 ** 40 }), { minLength: 1, maxLength: 4 }), {
  maxLength: 40,
});

test('nodes with enough room are never passed over, and those with much less are, whenever it was first asked', () => {
  fc.assert(
    fc.property(rooms, fc.integer({ min: 0, max: 2 ** 40 }), fc.nat({ max: 40 }), (history, amount, firstAsked) => {
      const bands = new ShrinkingHeadroom();
      const last = history.map((list, node) => {
        const falling = list.toSorted((a, b) => b - a);
        for (const room of falling) {
          bands.set(node, room);
          if (node === firstAsked) bands.restrict(new BitSet(), amount);
        }
        return falling.at(-1)!;
      });
      const nodes = BitSet.upTo(history.length);
      bands.restrict(nodes, amount);
      last.forEach((room, node) => {
        if (room >= amount) assert.ok(nodes.has(node), `${room} is enough for ${amount}`);
        if (room + 1 < (amount + 1) / 1.2) assert.ok(!nodes.has(node), `${room} is far from ${amount}`);
      });
    }),
  );
});
