import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Filler } from './filler.ts';
import type { HostRule } from './host-rules.ts';
import type { Lot } from './lot.ts';
import type { Machine } from './machine.ts';
import { Tender } from './tender.ts';

/** What a filler reads of a lot. */
interface LotSketch {
  readonly requests: readonly number[];
  readonly count: number;
  readonly hostRules?: readonly HostRule[];
}

/** One machine that all lots may be on. */
function tenderOf(room: readonly number[], lots: readonly LotSketch[], hostRules = 0): Tender {
  const sketched = lots.map(({ requests, count, hostRules: own = [] }, id) => ({
    id,
    requests: Float64Array.from(requests),
    units: Array.from({ length: count }),
    hostRules: own,
  })) as unknown as readonly Lot[];
  const machine = { room: Float64Array.from(room), costPerHour: 1, lots: Int32Array.from(lots.keys()) };
  return new Tender({ lots: sketched, machines: [machine as unknown as Machine], hostRules });
}

function fill(tender: Tender, bids: readonly number[]) {
  const left = Int32Array.from(tender.lots, ({ units }) => units.length);
  return new Filler(tender).fill(0, Float64Array.from(bids), left);
}

const lots = fc.array(
  fc.record({
    requests: fc.tuple(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 1, max: 9 })),
    count: fc.integer({ min: 1, max: 20 }),
    bid: fc.integer({ min: 1, max: 50 }),
    rule: fc.option(fc.record({ id: fc.nat(2), most: fc.nat(3), counts: fc.nat(2) }), { nil: undefined }),
  }),
  { minLength: 1, maxLength: 200 },
);

test('a load keeps to the room, to the units there are and to all host rules, and leaves out nothing that fits', () => {
  fc.assert(
    fc.property(lots, fc.tuple(fc.nat(60), fc.nat(60)), (sketches, room) => {
      const rules = sketches.map(({ rule }) => (rule === undefined ? [] : [rule]));
      const tender = tenderOf(
        room,
        sketches.map(({ requests, count }, i) => ({ requests, count, hostRules: rules[i]! })),
        3,
      );
      const load = fill(
        tender,
        sketches.map(({ bid }) => bid),
      );
      const counts = sketches.map((_, lot) => load.counts[load.lots.indexOf(lot)] ?? 0);
      const isAllowed = (units: readonly number[]) =>
        units.every((count, lot) => count <= sketches[lot]!.count) &&
        [0, 1].every((r) => sum(units.map((count, lot) => count * sketches[lot]!.requests[r]!)) <= room[r]!) &&
        [0, 1, 2].every((id) => {
          const own = rules.map((list) => list.find((rule) => rule.id === id));
          const counted = sum(units.map((count, lot) => count * (own[lot]?.counts ?? 0)));
          return own.every((rule, lot) => rule === undefined || units[lot] === 0 || counted <= rule.most);
        });
      assert.ok(isAllowed(counts));
      counts.forEach((count, lot) => assert.ok(!isAllowed(counts.with(lot, count + 1)), `another ${lot} fits`));
      assert.equal(load.value, sum(counts.map((count, lot) => count * sketches[lot]!.bid)));
    }),
  );
});

test('resources run out together where lots of different shapes bid alike', () => {
  const tender = tenderOf(
    [100, 100],
    [
      { requests: [3, 1], count: 100 },
      { requests: [1, 3], count: 100 },
    ],
  );
  const counts = fill(tender, [4, 4]).counts;
  assert.deepEqual(
    [...counts].sort((a, b) => a - b),
    [25, 25],
  );
});

test('the steps counted are the same every time', () => {
  const tender = tenderOf(
    [50],
    [
      { requests: [3], count: 9 },
      { requests: [2], count: 9 },
    ],
  );
  const steps = () => {
    const filler = new Filler(tender);
    filler.fill(0, Float64Array.of(3, 2), Int32Array.of(9, 9));
    return filler.steps;
  };
  assert.ok(steps() > 0);
  assert.equal(steps(), steps());
});

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
