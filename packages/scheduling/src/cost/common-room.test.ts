import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { commonRooms } from './common-room.ts';

const common = (rooms: readonly (readonly number[])[], count: number) =>
  commonRooms(
    rooms.map((room) => Float64Array.from(room)),
    count,
  ).map((room) => [...room]);

test('what two node options have in common is much of one resource or much of the other', () => {
  const rooms = [
    [96, 192],
    [64, 512],
    [48, 768],
    [8, 16],
  ];
  assert.deepEqual(common(rooms, 2), [
    [64, 192],
    [48, 512],
  ]);
  assert.deepEqual(common(rooms, 4), [[8, 16]]);
  assert.deepEqual(common(rooms, 5), []);
});

const sizes = fc.integer({ min: 1, max: 6 });
const options = fc.array(fc.tuple(sizes, sizes), { minLength: 1, maxLength: 12 });
const covers = (room: readonly number[], other: readonly number[]) => room.every((amount, r) => amount >= other[r]!);

test('enough node options have each room, and of two differing resources no larger room is common to as many', () => {
  fc.assert(
    fc.property(options, fc.integer({ min: 2, max: 4 }), (rooms, count) => {
      const found = common(rooms, count);
      const sharers = (room: readonly number[]) => rooms.filter((one) => covers(one, room)).length;
      for (const room of found) assert.ok(sharers(room) >= count);
      if ([0, 1].some((r) => rooms.every((room) => room[r] === rooms[0]![r]))) return;
      for (let first = 1; first <= 6; first++) {
        for (let second = 1; second <= 6; second++) {
          const any = [first, second];
          if (sharers(any) >= count) assert.ok(found.some((room) => covers(room, any)));
        }
      }
    }),
    { numRuns: 300 },
  );
});

test('common rooms are the same whatever order node options are listed in, also where they tie on two of three resources', () => {
  const triples = fc.array(fc.tuple(sizes, sizes, sizes), { minLength: 4, maxLength: 12 });
  fc.assert(
    fc.property(triples, fc.integer({ min: 2, max: 4 }), (rooms, count) => {
      const texts = (list: readonly (readonly number[])[]) => new Set(common(list, count).map((room) => room.join()));
      assert.deepEqual(texts(rooms.toReversed()), texts(rooms));
    }),
    { numRuns: 300 },
  );
});
