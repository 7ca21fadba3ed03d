import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { finish } from '../progress.ts';
import { seededRandom } from '@karpenter-ts/kubernetes/testing';
import { sketchProblem } from '../testing/packing-problem-sketch.ts';
import { searchPrices } from './price-search.ts';
import { Effort } from './effort.ts';
import { Filler } from './filler.ts';
import { Round } from './round.ts';
import type { PackingProblem } from './packing-problem.ts';

/** Enough for some rounds, and for more until anything is found. */
function search(problem: PackingProblem, mostNodes: number) {
  const whole = new Effort(400_000);
  return searchPrices(problem, mostNodes, whole.part(100_000), whole);
}

function buy(problem: PackingProblem, mostNodes = Number.POSITIVE_INFINITY) {
  const bought = finish(search(problem, mostNodes));
  if (bought === undefined) return undefined;
  const { loads } = bought;
  return {
    options: loads.map(({ option }) => option).sort((a, b) => a - b),
    cost: loads.reduce((sum, { option }) => sum + problem.options[option]!.costPerHour, 0),
    assigned: problem.groups.map(({ id }) =>
      loads.reduce((sum, { groups, counts }) => sum + (counts[groups.indexOf(id)] ?? 0), 0),
    ),
  };
}

test('units of different shapes share nodes on which both resources are used up', () => {
  const problem = sketchProblem(
    [{ room: [8, 8], costPerHour: 1 }],
    [
      { requests: [3, 1], count: 16 },
      { requests: [1, 3], count: 16 },
    ],
  );
  assert.equal(buy(problem)?.cost, 8); // two of each on every one; apart they would take sixteen
});

test('large units get the large node, and small ones do not follow them there', () => {
  const problem = sketchProblem(
    [
      { room: [4], costPerHour: 1 },
      { room: [16], costPerHour: 6 },
    ],
    [
      { requests: [10], count: 1 },
      { requests: [1], count: 26 },
    ],
  );
  assert.deepEqual(buy(problem)?.options, [0, 0, 0, 0, 0, 1]);
});

test('as many small nodes are bought as are allowed beside large ones, though all units are alike', () => {
  const problem = sketchProblem(
    [
      { room: [10], costPerHour: 1 },
      { room: [50], costPerHour: 7 },
    ],
    [{ requests: [1], count: 1000 }],
  );
  assert.equal(buy(problem)?.cost, 100);
  assert.equal(buy(problem, 20)?.cost, 140);
  const between = buy(problem, 60)!;
  assert.ok(between.options.length <= 60);
  assert.ok(between.cost <= 122, String(between.cost)); // 50 small and 10 large ones are 120
});

test('with fewer nodes than it takes nothing is bought', () => {
  const problem = sketchProblem([{ room: [10], costPerHour: 1 }], [{ requests: [6], count: 3 }]);
  assert.equal(buy(problem, 2), undefined);
  assert.deepEqual(buy(problem, 3)?.options, [0, 0, 0]);
});

/** Random pod groups, and node options for them. */
function randomProblem(seed: number): PackingProblem {
  const random = seededRandom(seed);
  const options = Array.from({ length: 6 }, () => {
    const room = [9 + random.below(50), 9 + random.below(50)];
    return { room, costPerHour: (room[0]! * room[1]!) / 500 + random.below(10) / 10 };
  });
  const groups = Array.from({ length: 1 + random.below(seed === 0 ? 200 : 12) }, () => ({
    requests: [random.below(9), 1 + random.below(9)],
    count: 1 + random.below(12),
    hostRules: random.chance(0.2) ? [{ id: random.below(3), most: 1 + random.below(3), counts: 1 }] : [],
  }));
  return sketchProblem(
    options.sort((a, b) => a.costPerHour - b.costPerHour),
    groups,
  );
}

test('a search ends where it did when this was written, in as many steps', () => {
  const measure = (problem: PackingProblem, mostNodes: number) => {
    const effort = new Effort(400_000);
    finish(searchPrices(problem, mostNodes, effort.part(100_000), effort));
    return { steps: Math.round(effort.spent), ...buy(problem, mostNodes) };
  };
  const found = [0, 1, 2, 3, 4, 5, 6, 7].map((seed) => {
    const problem = randomProblem(seed);
    const free = measure(problem, Number.POSITIVE_INFINITY);
    const tight = measure(problem, Math.floor(0.8 * free.options!.length));
    return [free, tight].map(({ steps, cost }) => `${steps} ${cost?.toFixed(2)}`).join(', ');
  });
  assert.deepEqual(found, [
    '108557 211.06, 173766 215.32',
    '3951 7.72, 11440 11.07',
    '29187 24.97, 43321 undefined',
    '4591 8.01, 6243 9.86',
    '12154 18.87, 15672 20.15',
    '14082 19.12, 28350 19.69',
    '6128 20.37, 9749 21.00',
    '6014 17.28, 10434 undefined',
  ]);
});

test('a round that knows what node options were filled with before takes less than half the steps', () => {
  const random = seededRandom(5);
  const options = Array.from({ length: 60 }, () => {
    const room = [9 + random.below(50), 9 + random.below(50)];
    return { room, costPerHour: (room[0]! + room[1]!) / 20 + random.below(10) / 10 };
  });
  const problem = sketchProblem(
    options.sort((a, b) => a.costPerHour - b.costPerHour),
    Array.from({ length: 40 }, () => ({ requests: [random.below(9), 1 + random.below(9)], count: 5 })),
  );
  const prices = Float64Array.from(problem.groups, ({ requests }) => requests[0]! + requests[1]!);
  const effort = new Effort(10_000_000);
  const filler = new Filler(problem, effort);
  const measure = () => {
    const before = effort.spent;
    const round = new Round(problem, filler, { prices, surcharge: 0, reserve: undefined }, { effort, most: effort });
    const { costPerHour: cost } = finish(round.run())!;
    return { cost, steps: effort.spent - before };
  };
  const first = measure();
  const second = measure();
  assert.ok(second.steps < first.steps / 2, `${second.steps} after ${first.steps}`);
  assert.ok(second.cost <= first.cost * 1.05, `${second.cost} after ${first.cost}`);
});

const sizes = fc.tuple(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 8 }));
const groups = fc.array(fc.record({ requests: sizes, count: fc.integer({ min: 1, max: 30 }) }), {
  minLength: 1,
  maxLength: 12,
});

test('every unit gets one place, for no less than resources cost, and hardly more than pod groups by themselves', () => {
  const options = [
    { room: [8, 8], costPerHour: 1 },
    { room: [16, 20], costPerHour: 2.2 },
    { room: [40, 30], costPerHour: 4 },
  ];
  fc.assert(
    fc.property(groups, (sketches) => {
      const bought = buy(sketchProblem(options, sketches))!;
      assert.deepEqual(
        bought.assigned,
        sketches.map(({ count }) => count),
      );
      const leastFor = (r: 0 | 1) =>
        sketches.reduce((sum, { requests, count }) => sum + requests[r] * count, 0) *
        Math.min(...options.map(({ room, costPerHour }) => costPerHour / room[r]!));
      assert.ok(bought.cost >= Math.max(leastFor(0), leastFor(1)) - 1e-9);
      const alone = sketches.map(({ requests, count }) => Math.ceil(count / Math.floor(8 / Math.max(...requests))));
      // A search that buys what is best first may end with an odd unit: five on a large node and three on two small ones,
      // where four small ones would have been cheaper. Besides, a node option is not filled again while its last load is
      // worth too little, although it may be the best once the pod group is gone that made this load a poor one. Hence
      // the margin of a tenth.
      const most = 1.1 * alone.reduce((sum, one) => sum + one, 0) + options[0]!.costPerHour;
      assert.ok(bought.cost <= most);
    }),
    { numRuns: 60 },
  );
});
