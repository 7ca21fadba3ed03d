/** A text is no Go duration. The message is Go's, to the letter. */
export class DurationError extends Error {
  override readonly name = 'DurationError';
}

const UNIT_NANOS: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1_000n],
  ['\u00b5s', 1_000n], // the micro sign
  ['\u03bcs', 1_000n], // the Greek letter that looks like it
  ['ms', 1_000_000n],
  ['s', 1_000_000_000n],
  ['m', 60_000_000_000n],
  ['h', 3_600_000_000_000n],
]);

const SECOND = 1_000_000_000n;
const LIMIT = 2n ** 63n; // nanoseconds; itself only as a negative duration

/**
 * Nanoseconds of a duration in Go's syntax (`1h30m`, `-1.5s`, `0`), as `time.ParseDuration` has them: a fraction is
 * cut off below the nanosecond, and beyond int64 the text is refused. Throws `DurationError`.
 */
export function parseDuration(text: string): bigint {
  const negative = text.startsWith('-');
  const unsigned = /^[+-]/.test(text) ? text.slice(1) : text;
  if (unsigned === '0') return 0n;
  if (unsigned === '') throw invalid(text);
  const term = /([0-9]*)(?:\.([0-9]*))?([^0-9.]*)/y; // digits, fraction, unit
  let nanos = 0n;
  while (term.lastIndex < unsigned.length) {
    const [, whole = '', fraction = '', unit = ''] = term.exec(unsigned)!;
    nanos += termNanos(text, { whole, fraction, unit });
    if (nanos > LIMIT) throw invalid(text);
  }
  if (nanos === LIMIT && !negative) throw invalid(text);
  return negative ? -nanos : nanos;
}

/** As `parseDuration`, with `undefined` for `Never`: the setting is off. */
export function parseNillableDuration(text: string): bigint | undefined {
  return text === 'Never' ? undefined : parseDuration(text);
}

/** As Go prints a duration: `720h0m0s`, `1.5s`, `250ms`, `0s`. */
export function formatDuration(nanos: bigint): string {
  if (nanos < 0n) return `-${formatDuration(-nanos)}`;
  if (nanos === 0n) return '0s';
  if (nanos < 1_000n) return `${nanos}ns`;
  if (nanos < 1_000_000n) return `${decimal(nanos, 3)}\u00b5s`;
  if (nanos < SECOND) return `${decimal(nanos, 6)}ms`;
  const minutes = nanos / (60n * SECOND);
  const seconds = `${decimal(nanos % (60n * SECOND), 9)}s`;
  if (minutes === 0n) return seconds;
  return minutes < 60n ? `${minutes}m${seconds}` : `${minutes / 60n}h${minutes % 60n}m${seconds}`;
}

/** Whole milliseconds, what is less cut off: the unit of our clock. */
export function nanosToMilliseconds(nanos: bigint): number {
  return Number(nanos / 1_000_000n);
}

interface Term {
  readonly whole: string;
  readonly fraction: string;
  readonly unit: string;
}

function termNanos(text: string, { whole, fraction, unit }: Term): bigint {
  const digits = whole.replace(/^0+/, '');
  if ((whole === '' && fraction === '') || digits.length > 19 || BigInt(digits) > LIMIT) throw invalid(text);
  if (unit === '') throw new DurationError(`time: missing unit in duration ${quote(text)}`);
  const unitNanos = UNIT_NANOS.get(unit);
  if (unitNanos === undefined) {
    throw new DurationError(`time: unknown unit ${quote(unit)} in duration ${quote(text)}`);
  }
  const nanos = BigInt(digits) * unitNanos + fractionNanos(fraction, unitNanos);
  if (nanos > LIMIT) throw invalid(text);
  return nanos;
}

/** In float64 as Go does it, so that both cut off at the same nanosecond; digits that int64 cannot hold are dropped. */
function fractionNanos(fraction: string, unitNanos: bigint): bigint {
  let value = 0n;
  let scale = 1;
  for (const digit of fraction) {
    if (value > (LIMIT - 1n) / 10n) break;
    const next = value * 10n + BigInt(digit);
    if (next > LIMIT) break;
    value = next;
    scale *= 10;
  }
  return BigInt(Math.trunc(Number(value) * (Number(unitNanos) / scale)));
}

/** `value / 10^places` without trailing zeros. */
function decimal(value: bigint, places: number): string {
  const digits = String(value).padStart(places + 1, '0');
  const fraction = digits.slice(-places).replace(/0+$/, '');
  const whole = digits.slice(0, -places);
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

function invalid(text: string): DurationError {
  return new DurationError(`time: invalid duration ${quote(text)}`);
}

/** The quoting of Go's time package, which writes all but plain ASCII as bytes. */
function quote(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&').replace(/[^ -\u007f]+/g, hexBytes)}"`;
}

function hexBytes(text: string): string {
  return Buffer.from(text).toString('hex').replace(/../g, '\\x$&');
}
