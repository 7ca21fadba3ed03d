import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { QuantileSketch } from './quantile-sketch.ts';

const QUANTILES = [0, 0.5, 0.9, 0.99, 1];

function sketchOf(values: Iterable<number>): QuantileSketch {
  const sketch = new QuantileSketch();
  for (const value of values) sketch.add(value);
  return sketch;
}

test('few values give exact quantiles by nearest rank, over however many sketches they are spread', () => {
  const double = fc.double({ noNaN: true, noDefaultInfinity: true });
  fc.assert(
    fc.property(fc.array(double, { minLength: 1 }), fc.array(double), (first, second) => {
      const sorted = [...first, ...second].sort((a, b) => a - b);
      const exact = QUANTILES.map((quantile) => sorted[Math.max(0, Math.ceil(quantile * sorted.length) - 1)]!);
      const found = QuantileSketch.quantiles([sketchOf(first), sketchOf(second)], QUANTILES);
      assert.deepEqual(
        found.map((value) => value + 0),
        exact.map((value) => value + 0),
      ); // -0 is 0
    }),
  );
});

test('nothing seen is NaN', () => {
  assert.deepEqual(
    QuantileSketch.quantiles([new QuantileSketch()], QUANTILES),
    QUANTILES.map(() => NaN),
  );
});

const COUNT = 100_000; // 50 times what a level holds
const ORDERS: Readonly<Record<string, (i: number) => number>> = {
  rising: (i) => i,
  falling: (i) => COUNT - i,
  scattered: (i) => (i * 48_271) % 100_003,
  'in saw teeth': (i) => (i % 1000) * 100 + Math.floor(i / 1000),
};

for (const [order, valueAt] of Object.entries(ORDERS)) {
  test(`many values ${order} are ranked within 0.01, the extremes exactly`, () => {
    const values = Float64Array.from({ length: COUNT }, (_, i) => valueAt(i));
    const found = QuantileSketch.quantiles([sketchOf(values)], QUANTILES);
    const sorted = values.toSorted();
    assert.equal(found[0], sorted[0]);
    assert.equal(found.at(-1), sorted.at(-1));
    for (const [index, quantile] of QUANTILES.entries()) {
      const rank = sorted.findLastIndex((value) => value <= found[index]!) / COUNT;
      assert.ok(Math.abs(rank - quantile) <= 0.01, `${quantile} has rank ${rank}`);
    }
  });
}
