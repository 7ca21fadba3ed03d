import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  addQuantities,
  canonicalQuantity,
  compareQuantities,
  findQuantity,
  formatQuantity,
  milliUnitsOf,
  parseQuantity,
  type Quantity,
  QuantityError,
  subtractQuantities,
  unitsOf,
  ZERO_QUANTITY,
} from './quantity.ts';

/**
 * Written by k8s.io/apimachinery v0.35.4: a text and its error, or how it prints as parsed, how it prints once computed
 * with, and, where Go's answer fits an int64 and is not negative, its Value and MilliValue.
 */
type Golden = Record<string, string | readonly [printed: string, canonical: string, units?: string, milli?: string]>;
const golden: Golden = JSON.parse(readFileSync(new URL('quantity.golden.json', import.meta.url), 'utf8'));

const SUFFIX_VALUES: Record<string, readonly [numerator: bigint, denominator: bigint]> = {
  n: [1n, 10n ** 9n],
  m: [1n, 1000n],
  '': [1n, 1n],
  k: [1000n, 1n],
  E: [10n ** 18n, 1n],
  Ki: [1024n, 1n],
  Gi: [1024n ** 3n, 1n],
  'e-2': [1n, 100n],
  e5: [10n ** 5n, 1n],
};

/** A written quantity beside its exact value as a fraction. Small enough for no cap, with few enough digits for no rounding. */
const written = fc
  .record({
    negative: fc.boolean(),
    digits: fc.bigInt({ min: 0n, max: 10n ** 9n }),
    suffix: fc.constantFrom(...Object.keys(SUFFIX_VALUES)),
    point: fc.nat({ max: 4 }),
  })
  .map(({ negative, digits, suffix, point }) => {
    const places = suffix === 'n' ? 0 : point;
    const text = String(digits).padStart(places + 1, '0');
    const number = places === 0 ? text : `${text.slice(0, -places)}.${text.slice(-places)}`;
    const [numerator, denominator] = SUFFIX_VALUES[suffix]!;
    return {
      text: `${negative ? '-' : ''}${number}${suffix}`,
      numerator: (negative ? -digits : digits) * numerator,
      denominator: denominator * 10n ** BigInt(places),
    };
  });

const quantity: fc.Arbitrary<Quantity> = fc.record({
  nanos: fc.oneof(
    fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }),
    fc.bigInt({ min: -4096n, max: 4096n }).map((units) => units * 1024n ** 2n * 10n ** 9n),
  ),
  format: fc.constantFrom('DecimalSI', 'BinarySI', 'DecimalExponent'),
});

test('every text reads and prints as in Go, errors included', () => {
  for (const [text, expected] of Object.entries(golden)) {
    if (typeof expected === 'string') {
      assert.throws(() => parseQuantity(text), { name: 'QuantityError', message: expected, input: text }, text);
      assert.throws(() => canonicalQuantity(text), QuantityError, text);
      assert.equal(findQuantity(text), undefined, text);
      continue;
    }
    const [printed, canonical, units, milli] = expected;
    const parsed = parseQuantity(text);
    assert.equal(canonicalQuantity(text), printed, text);
    assert.equal(formatQuantity(parsed), canonical, text);
    assert.deepEqual(findQuantity(text), parsed);
    if (units !== undefined) assert.equal(String(unitsOf(parsed)), units, text);
    if (milli !== undefined) assert.equal(String(milliUnitsOf(parsed)), milli, text);
  }
});

test('a number of YAML reads as its text would', () => {
  assert.equal(canonicalQuantity(1000), '1k');
  assert.equal(canonicalQuantity(0.5), '500m');
  assert.equal(canonicalQuantity(-0), '0');
  assert.deepEqual(parseQuantity(1e21), { nanos: 10n ** 30n, format: 'DecimalExponent' });
  assert.equal(findQuantity(Number.NaN), undefined);
  assert.equal(findQuantity(Number.POSITIVE_INFINITY), undefined);
});

test('what is less than a nano counts as one, away from zero', () => {
  assert.equal(parseQuantity('0.0000000001').nanos, 1n);
  assert.equal(parseQuantity('-1e-2147483648').nanos, -1n);
  assert.equal(parseQuantity('1.0000000001').nanos, 1_000_000_001n);
});

test('binary quantities end at 2^63 - 1, decimal ones do not', () => {
  assert.equal(unitsOf(parseQuantity('8Ei')), 2n ** 63n - 1n);
  assert.equal(unitsOf(parseQuantity('-9Ei')), 1n - 2n ** 63n);
  assert.equal(unitsOf(parseQuantity('100E')), 10n ** 20n);
});

test('beyond the last suffix the mantissa grows, where Go would drop the suffix', () => {
  assert.equal(canonicalQuantity('1000E'), '1000E');
  assert.equal(formatQuantity({ nanos: 1024n ** 7n * 10n ** 9n, format: 'BinarySI' }), '1024Ei');
});

test('whole and milli units round away from zero', () => {
  assert.equal(unitsOf(parseQuantity('1500m')), 2n);
  assert.equal(unitsOf(parseQuantity('-1500m')), -2n);
  assert.equal(milliUnitsOf(parseQuantity('100u')), 1n);
  assert.equal(milliUnitsOf(parseQuantity('-100u')), -1n);
});

test('a sum or difference keeps the format of its first operand, unless that is zero', () => {
  const binary = parseQuantity('1Gi');
  const decimal = parseQuantity('1G');
  assert.equal(addQuantities(binary, decimal).format, 'BinarySI');
  assert.equal(subtractQuantities(decimal, binary).format, 'DecimalSI');
  assert.equal(formatQuantity(addQuantities(ZERO_QUANTITY, binary)), '1Gi');
  assert.equal(formatQuantity(subtractQuantities(ZERO_QUANTITY, binary)), '-1Gi');
});

test('the canonical text parses back to the same value', () => {
  fc.assert(
    fc.property(quantity, (q) => {
      const back = parseQuantity(formatQuantity(q));
      const isCapped = back.format === 'BinarySI' && back.nanos !== q.nanos;
      assert.equal(back.nanos, isCapped ? (q.nanos < 0n ? -1n : 1n) * (2n ** 63n - 1n) * 10n ** 9n : q.nanos);
    }),
  );
});

test('values and their order are those of exact fractions', () => {
  fc.assert(
    fc.property(written, written, (a, b) => {
      const left = parseQuantity(a.text);
      assert.equal(left.nanos * a.denominator, a.numerator * 10n ** 9n);
      const difference = a.numerator * b.denominator - b.numerator * a.denominator;
      const order = difference === 0n ? 0 : difference < 0n ? -1 : 1;
      assert.equal(compareQuantities(left, parseQuantity(b.text)), order);
    }),
  );
});

test('subtracting what was added gives the same value', () => {
  fc.assert(
    fc.property(quantity, quantity, (a, b) => {
      assert.equal(compareQuantities(subtractQuantities(addQuantities(a, b), b), a), 0);
    }),
  );
});

test('a megabyte of anything, and any exponent, is refused at once', () => {
  const start = performance.now();
  for (const char of ['1', '0', '.', 'e', '+', 'K', '\u00e9']) {
    assert.throws(() => parseQuantity(`${char.repeat(2 ** 20)}!`), QuantityError);
    assert.throws(() => parseQuantity(`1e${char.repeat(2 ** 20)}!`), QuantityError);
  }
  assert.throws(() => parseQuantity('1'.repeat(2 ** 20)), QuantityError);
  assert.throws(() => parseQuantity('1e1001'), { message: 'unable to parse numeric part of quantity' });
  assert.throws(() => parseQuantity('1e2147483647'), QuantityError);
  assert.ok(performance.now() - start < 5000);
});
