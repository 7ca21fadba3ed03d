import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { generateName, randomUid, xorshift32 } from './identity.ts';

test('what is random follows from the seed', () => {
  const draw = (seed: number) => {
    const random = xorshift32(seed);
    return Array.from({ length: 5 }, () => randomUid(random));
  };
  assert.deepEqual(draw(7), draw(7));
  assert.notDeepEqual(draw(7), draw(8));
  assert.equal(new Set(draw(0)).size, 5);
});

test('a UID is a UUID of version 4', () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      assert.match(
        randomUid(xorshift32(seed)),
        /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      );
    }),
  );
});

test('a generated name has at most 63 letters', () => {
  fc.assert(
    fc.property(fc.string(), fc.integer(), (prefix, seed) => {
      const name = generateName(prefix, xorshift32(seed));
      assert.ok(name.length <= 63);
      assert.match(name, /[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    }),
  );
});
