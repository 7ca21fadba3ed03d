import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  DurationError,
  formatDuration,
  nanosToMilliseconds,
  parseDuration,
  parseNillableDuration,
} from './duration.ts';

/** Written by Go 1.26: a text, its nanoseconds, and how they print. */
const READS: readonly (readonly [text: string, nanos: bigint, printed: string])[] = [
  ['0', 0n, '0s'],
  ['+0', 0n, '0s'],
  ['-0', 0n, '0s'],
  ['0s', 0n, '0s'],
  ['1s', 1_000_000_000n, '1s'],
  ['-1.5s', -1_500_000_000n, '-1.5s'],
  ['+5s', 5_000_000_000n, '5s'],
  ['720h', 2_592_000_000_000_000n, '720h0m0s'],
  ['1h30m5s', 5_405_000_000_000n, '1h30m5s'],
  ['1h1h', 7_200_000_000_000n, '2h0m0s'],
  ['1.5h', 5_400_000_000_000n, '1h30m0s'],
  ['.5m', 30_000_000_000n, '30s'],
  ['5.s', 5_000_000_000n, '5s'],
  ['1ns', 1n, '1ns'],
  ['1us', 1_000n, '1\u00b5s'],
  ['1\u00b5s', 1_000n, '1\u00b5s'],
  ['1\u03bcs', 1_000n, '1\u00b5s'],
  ['1.5ms', 1_500_000n, '1.5ms'],
  ['1.0001s', 1_000_100_000n, '1.0001s'],
  ['0.9ns', 0n, '0s'],
  ['1.9999999999s', 1_999_999_999n, '1.999999999s'],
  ['0.3333333333333333333h', 1_200_000_000_000n, '20m0s'], // in float64, as Go
  ['0.9223372036854775807h', 3_320_413_933_267n, '55m20.413933267s'],
  ['0.830103483285477580700h', 2_988_372_539_827n, '49m48.372539827s'],
  ['00000000000000000000000000001h', 3_600_000_000_000n, '1h0m0s'],
  ['2562047h47m16.854775807s', 2n ** 63n - 1n, '2562047h47m16.854775807s'],
  ['-9223372036854775808ns', -(2n ** 63n), '-2562047h47m16.854775808s'],
];

const ERRORS: readonly (readonly [text: string, message: string])[] = [
  ['', 'time: invalid duration ""'],
  ['-', 'time: invalid duration "-"'],
  ['s', 'time: invalid duration "s"'],
  ['.', 'time: invalid duration "."'],
  ['+.s', 'time: invalid duration "+.s"'],
  ['--1s', 'time: invalid duration "--1s"'],
  ['Never', 'time: invalid duration "Never"'],
  ['FooNever', 'time: invalid duration "FooNever"'],
  ['3000000h', 'time: invalid duration "3000000h"'],
  ['9223372036854775808ns', 'time: invalid duration "9223372036854775808ns"'],
  ['2562047h47m16.854775808s', 'time: invalid duration "2562047h47m16.854775808s"'],
  ['3', 'time: missing unit in duration "3"'],
  ['1.2.3s', 'time: missing unit in duration "1.2.3s"'],
  ['1d', 'time: unknown unit "d" in duration "1d"'],
  ['1hr', 'time: unknown unit "hr" in duration "1hr"'],
  ['1h 30m', 'time: unknown unit "h " in duration "1h 30m"'],
  ['1"h', String.raw`time: unknown unit "\"h" in duration "1\"h"`],
  ['1\\h', String.raw`time: unknown unit "\\h" in duration "1\\h"`],
  ['1\0s', String.raw`time: unknown unit "\x00s" in duration "1\x00s"`],
  ['1\u00e9', String.raw`time: unknown unit "\xc3\xa9" in duration "1\xc3\xa9"`],
];

test('a duration reads and prints as in Go', () => {
  for (const [text, nanos, printed] of READS) {
    assert.equal(parseDuration(text), nanos, text);
    assert.equal(formatDuration(nanos), printed, text);
  }
});

test('what is no duration is refused in the words of Go', () => {
  for (const [text, message] of ERRORS)
    assert.throws(() => parseDuration(text), { name: 'DurationError', message }, text);
});

test('Never is no duration but the lack of one', () => {
  assert.equal(parseNillableDuration('Never'), undefined);
  assert.equal(parseNillableDuration('0s'), 0n);
  assert.throws(() => parseNillableDuration('never'), DurationError);
});

test('milliseconds leave off what is less than one', () => {
  assert.equal(nanosToMilliseconds(1_999_999n), 1);
  assert.equal(nanosToMilliseconds(-1_999_999n), -1);
  assert.equal(nanosToMilliseconds(parseDuration('720h')), 30 * 24 * 3600 * 1000);
});

test('a printed duration reads back as it was', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), fc.nat({ max: 62 }), (int64, shift) => {
      const nanos = int64 >> BigInt(shift);
      assert.equal(parseDuration(formatDuration(nanos)), nanos);
    }),
  );
});

test('a megabyte of anything is refused at once', () => {
  const start = performance.now();
  for (const char of ['1', '.', 'h', '1h', '-', ' ', '\\', '\u00e9']) {
    assert.throws(() => parseDuration(`${char.repeat(2 ** 20)}!`), DurationError);
  }
  assert.ok(performance.now() - start < 5000);
});
