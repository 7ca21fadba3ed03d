import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Filtered, FilterInput } from './filters.ts';
import { keepLargestReservations, keepOneCapacityBlock, keepOneReservationKind } from './reserved-filters.ts';
import { filterInput, offering, outline, reserved, typeOf } from './testing/types.ts';

const ALL: readonly ((input: FilterInput) => Filtered)[] = [
  keepOneReservationKind,
  keepOneCapacityBlock,
  keepLargestReservations,
];
const capacityTypes = (...values: readonly string[]) => ({ key: 'karpenter.sh/capacity-type', operator: 'In', values });
const block = { type: 'capacity-block' } as const;
const interruptible = { interruptible: true } as const;

test('07/125 where reserved capacity is not admitted, or none is available, nothing changes', () => {
  const types = [typeOf('m5.large', [offering('on-demand', 1), reserved('cr-1', 0.1)])];
  for (const filter of ALL) {
    const input = filterInput(types, { requirements: [capacityTypes('on-demand', 'spot')] });
    assert.equal(filter(input).kept, types, filter.name);
  }
  const exhausted = [typeOf('m5.large', [offering('on-demand', 1), reserved('cr-1', 0.1, { capacity: 0 })])];
  for (const filter of ALL) assert.equal(filter(filterInput(exhausted)).kept, exhausted, filter.name);
  const onlyExhaustedBlock = [typeOf('p5.large', [reserved('cr-1', 0.1, { ...block, capacity: 0 })])];
  for (const filter of ALL) {
    assert.equal(filter(filterInput(onlyExhaustedBlock)).kept, onlyExhaustedBlock, filter.name);
  }
});

test('07/106 the kind of reservation with the cheapest offering is chosen, and all other offerings go', () => {
  const types = [
    typeOf('m5.large', [offering('on-demand', 5), reserved('cr-1', 0.3), reserved('cr-2', 0.5, block)]),
    typeOf('c5.large', [offering('spot', 1), reserved('cr-3', 0.2, block)]),
    typeOf('r5.large', [offering('spot', 1), reserved('cr-4', 0.4, interruptible)]),
  ];
  const { kept, rejected } = keepOneReservationKind(filterInput(types));
  assert.deepEqual(outline(kept), ['m5.large: 0.5', 'c5.large: 0.2']);
  assert.deepEqual(outline(rejected), ['r5.large: 1 0.4']);
});

test('07/106 of kinds that cost the same, default comes before blocks, and blocks before interruptible', () => {
  const chosen = (...offerings: Parameters<typeof typeOf>[1]) =>
    keepOneReservationKind(filterInput([typeOf('m5.large', offerings)])).kept[0]!.offerings.map(
      ({ reservation }) => reservation?.id,
    );
  const [plain, ofBlock, ofInterruptible] = [
    reserved('cr-1', 1),
    reserved('cr-2', 1, block),
    reserved('cr-3', 1, interruptible),
  ];
  assert.deepEqual(chosen(ofInterruptible, ofBlock, plain), ['cr-1']);
  assert.deepEqual(chosen(ofInterruptible, ofBlock), ['cr-2']);
  assert.deepEqual(chosen(offering('spot', 0.5), ofInterruptible), ['cr-3']);
});

test('a kind counts by what is available and compatible', () => {
  const zone = { key: 'topology.kubernetes.io/zone', operator: 'In', values: ['a'] };
  const types = [
    typeOf('m5.large', [reserved('cr-1', 0.1, { zone: 'b' }), reserved('cr-2', 0.5, block)]),
    typeOf('c5.large', [reserved('cr-3', 0.2, { capacity: 0 })]),
  ];
  const { kept } = keepOneReservationKind(filterInput(types, { requirements: [zone] }));
  assert.deepEqual(outline(kept), ['m5.large: 0.5']);
});

test('07/126 of capacity blocks of several types, one type with its cheapest block is left', () => {
  const types = [
    typeOf('p5.large', [reserved('cr-1', 3, block), reserved('cr-2', 2, { ...block, zone: 'b' })]),
    typeOf('p4d.large', [reserved('cr-3', 1, { ...block, capacity: 0 }), reserved('cr-4', 4, block)]),
  ];
  const { kept, rejected } = keepOneCapacityBlock(filterInput(types));
  assert.deepEqual(outline(kept), ['p5.large: 2']);
  assert.deepEqual(outline(rejected), ['p4d.large: 1 4']);
});

test('blocks are not chosen among while anything else is left', () => {
  const types = [typeOf('p5.large', [offering('on-demand', 9), reserved('cr-1', 3, block)])];
  assert.equal(keepOneCapacityBlock(filterInput(types)).kept, types);
  const plain = [typeOf('p5.large', [reserved('cr-2', 3), reserved('cr-1', 3, block)])];
  assert.equal(keepOneCapacityBlock(filterInput(plain)).kept, plain);
});

test('07/79 of the reservations of a type in a zone, the one with most left is chosen', () => {
  const types = [
    typeOf('m5.large', [
      offering('on-demand', 1),
      reserved('cr-1', 0.1, { capacity: 2 }),
      reserved('cr-2', 0.1, { capacity: 7 }),
      reserved('cr-3', 0.2, { zone: 'b', capacity: 1 }),
      reserved('cr-4', 0.2, { zone: 'b', capacity: 9, available: false }),
    ]),
    typeOf('c5.large', [offering('on-demand', 1)]),
  ];
  const { kept, rejected } = keepLargestReservations(filterInput(types));
  assert.deepEqual(
    kept.map(({ offerings }) => offerings.map(({ reservation }) => reservation?.id)),
    [['cr-2', 'cr-3']],
  );
  assert.deepEqual(outline(rejected), ['c5.large: 1']);
});
