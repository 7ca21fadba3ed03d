import type { ResourceVector } from '../model/resources/resource-table.ts';

/**
 * Rooms that at least `count` of some node options have in common: for each two resources the largest ones, from much of
 * the first and little of the second to the opposite. O(node options × count) for each two resources.
 */
export function commonRooms(rooms: readonly ResourceVector[], count: number): readonly ResourceVector[] {
  if (rooms.length < count) return [];
  const differing = [...rooms[0]!.keys()].filter((r) => rooms.some((room) => room[r] !== rooms[0]![r]));
  const common: ResourceVector[] = [];
  for (const [i, first] of differing.entries()) {
    for (const second of differing.slice(i + 1)) common.push(...staircase(rooms, count, first, second));
  }
  return common;
}

/**
 * With ever less of the first resource there are more node options to choose from, so those with little of the second go.
 */
function* staircase(
  rooms: readonly ResourceVector[],
  count: number,
  first: number,
  second: number,
): Generator<ResourceVector> {
  const chosen: ResourceVector[] = []; // most of the second first, then as they come
  const byFirst = (a: ResourceVector, b: ResourceVector) =>
    b[first]! - a[first]! || b[second]! - a[second]! || compareRooms(b, a);
  for (const room of rooms.toSorted(byFirst)) {
    let at = chosen.length;
    while (at > 0 && chosen[at - 1]![second]! < room[second]!) at--;
    if (at === count) continue;
    chosen.splice(at, 0, room);
    chosen.length = Math.min(chosen.length, count);
    if (chosen.length === count) yield meet(chosen);
  }
}

/** By the first resource of which they have different amounts: the order in which a catalogue lists them is no tie-break. */
export function compareRooms(a: ResourceVector, b: ResourceVector): number {
  for (let r = 0; r < a.length; r++) if (a[r] !== b[r]) return a[r]! - b[r]!;
  return 0;
}

function meet(rooms: readonly ResourceVector[]): ResourceVector {
  return rooms[0]!.map((_, r) => Math.min(...rooms.map((room) => room[r]!)));
}
