import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isLinear } from './linear-prices.ts';

const cpus = [1, 2, 4, 8, 16, 32];
const bytes = [2, 8, 8, 64, 64, 128].map((gib) => gib * 2 ** 30);
const gpus = [0, 0, 0, 1, 0, 4];
const disks = cpus.map(() => 20 * 2 ** 30);
const sizes = [cpus, bytes, gpus, disks];
const linear = cpus.map((cpu, i) => 0.04 * cpu + (0.005 * bytes[i]!) / 2 ** 30 + 0.9 * gpus[i]!);

test('prices that are so much per core, byte and device are linear, in each way to buy', () => {
  assert.equal(isLinear({ sizes, prices: [linear, linear.map((price) => price * 0.7)] }), true);
});

test('one price off the line is enough', () => {
  const bent = linear.with(3, linear[3]! * 1.001);
  assert.equal(isLinear({ sizes, prices: [linear, bent] }), false);
});

test('a part of the price that is the same for all types is none for their size', () => {
  assert.equal(isLinear({ sizes, prices: [linear.map((price) => price + 0.1)] }), false);
});

test('types that cannot be had in some way do not count for it', () => {
  const gaps = linear.with(0, Number.POSITIVE_INFINITY);
  assert.equal(isLinear({ sizes, prices: [linear, gaps] }), true);
});

test('a few types prove nothing', () => {
  assert.equal(isLinear({ sizes: [[4, 8]], prices: [[0.1, 0.2]] }), false);
  assert.equal(isLinear({ sizes: [[4, 8, 16]], prices: [[0.1, 0.2, 0.4]] }), true);
  assert.equal(
    isLinear({
      sizes: [
        [4, 8, 16, 32],
        [1, 5, 2, 9],
        [3, 3, 7, 8],
      ],
      prices: [[1, 5, 2, 7]],
    }),
    false,
  );
});

test('rounding to a millionth does not hide that prices are linear, and noise of a thousandth does', () => {
  const rates = fc.double({ min: 0.01, max: 1, noNaN: true });
  fc.assert(
    fc.property(rates, rates, fc.nat(5), (perCpu, perGib, at) => {
      const exact = cpus.map((cpu, i) => perCpu * cpu + (perGib * bytes[i]!) / 2 ** 30);
      assert.equal(isLinear({ sizes, prices: [exact.map((price) => price * (1 + 1e-8))] }), true);
      assert.equal(isLinear({ sizes: [cpus, bytes], prices: [exact.with(at, exact[at]! * 1.01)] }), false);
    }),
  );
});

test('prices that fall as a resource grows are not linear: there is something to gain by buying more of it', () => {
  const falling = cpus.map((cpu, i) => 0.4 * cpu - (0.01 * bytes[i]!) / 2 ** 30);
  assert.ok(falling.every((price) => price > 0));
  assert.equal(isLinear({ sizes: [cpus, bytes], prices: [falling] }), false);
  assert.equal(isLinear({ sizes: [bytes, cpus], prices: [falling] }), false);
  assert.equal(isLinear({ sizes, prices: [linear, falling] }), false);
});

test('resources that cost nothing, or come in fixed proportions with others, leave prices linear', () => {
  const pods = cpus.map((cpu) => 8 * cpu);
  assert.equal(isLinear({ sizes: [cpus, pods, bytes], prices: [cpus.map((cpu) => 0.05 * cpu)] }), true);
  const rates = fc.double({ min: 0, max: 1, noNaN: true });
  fc.assert(
    fc.property(rates, rates, rates, (perCpu, perGib, perGpu) => {
      fc.pre(perCpu + perGib > 0.01);
      const prices = cpus.map((cpu, i) => perCpu * cpu + (perGib * bytes[i]!) / 2 ** 30 + perGpu * gpus[i]!);
      assert.equal(isLinear({ sizes, prices: [prices] }), true);
    }),
  );
});
