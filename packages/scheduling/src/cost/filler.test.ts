import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sketchProblem } from '../testing/packing-problem-sketch.ts';
import { Effort } from './effort.ts';
import { Filler } from './filler.ts';
import type { PackingProblem } from './packing-problem.ts';

function fill(problem: PackingProblem, prices: readonly number[]) {
  const left = Int32Array.from(problem.groups, ({ units }) => units.length);
  return new Filler(problem, new Effort(0)).fill(0, Float64Array.from(prices), left);
}

const groups = fc.array(
  fc.record({
    requests: fc.tuple(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 1, max: 9 })),
    count: fc.integer({ min: 1, max: 20 }),
    price: fc.integer({ min: 1, max: 50 }),
    rules: fc.uniqueArray(
      fc.record({ id: fc.nat(5), most: fc.oneof(fc.nat(3), fc.constant(Number.POSITIVE_INFINITY)), counts: fc.nat(2) }),
      { selector: ({ id }) => id, maxLength: 6 },
    ),
  }),
  { minLength: 1, maxLength: 200 },
);

test('a load keeps to the room, to the units there are and to all host rules, and leaves out nothing that fits', () => {
  fc.assert(
    fc.property(groups, fc.tuple(fc.nat(60), fc.nat(60)), (sketches, room) => {
      const rules = sketches.map((sketch) => sketch.rules.toSorted((a, b) => a.id - b.id));
      const problem = sketchProblem(
        [{ room, costPerHour: 1 }],
        sketches.map(({ requests, count }, i) => ({ requests, count, hostRules: rules[i]! })),
      );
      const load = fill(
        problem,
        sketches.map(({ price }) => price),
      );
      const counts = sketches.map((_, group) => load.counts[load.groups.indexOf(group)] ?? 0);
      const isAllowed = (units: readonly number[]) =>
        units.every((count, group) => count <= sketches[group]!.count) &&
        [0, 1].every((r) => sum(units.map((count, group) => count * sketches[group]!.requests[r]!)) <= room[r]!) &&
        [0, 1, 2, 3, 4, 5].every((id) => {
          const own = rules.map((list) => list.find((rule) => rule.id === id));
          const counted = sum(units.map((count, group) => count * (own[group]?.counts ?? 0)));
          return own.every((rule, group) => rule === undefined || units[group] === 0 || counted <= rule.most);
        });
      assert.ok(isAllowed(counts));
      counts.forEach((count, group) => assert.ok(!isAllowed(counts.with(group, count + 1)), `another ${group} fits`));
      assert.equal(load.value, sum(counts.map((count, group) => count * sketches[group]!.price)));
    }),
  );
});

test('resources run out together where pod groups of different shapes have the same price', () => {
  const problem = sketchProblem(
    [{ room: [100, 100], costPerHour: 1 }],
    [
      { requests: [3, 1], count: 100 },
      { requests: [1, 3], count: 100 },
    ],
  );
  assert.deepEqual(
    [...fill(problem, [4, 4]).counts].sort((a, b) => a - b),
    [25, 25],
  );
});

test('the steps counted are the same every time', () => {
  const problem = sketchProblem(
    [{ room: [50], costPerHour: 1 }],
    [
      { requests: [3], count: 9 },
      { requests: [2], count: 9 },
    ],
  );
  const steps = () => {
    const effort = new Effort(0);
    new Filler(problem, effort).fill(0, Float64Array.of(3, 2), Int32Array.of(9, 9));
    return effort.spent;
  };
  assert.ok(steps() > 0);
  assert.equal(steps(), steps());
});

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
