import { parseInt64 } from './int64.ts';

/** The family of suffixes a quantity was written with; it is printed with the same. */
type QuantityFormat = 'DecimalSI' | 'BinarySI' | 'DecimalExponent';

/** An amount of a resource: an exact count of billionths, as Kubernetes keeps nothing smaller. */
export interface Quantity {
  readonly nanos: bigint;
  readonly format: QuantityFormat;
}

/** Nothing of a resource: what one that is not mentioned counts as. */
export const ZERO_QUANTITY: Quantity = { nanos: 0n, format: 'DecimalSI' };

/** The text is no quantity. The message is the API server's, to the letter; it does not repeat the text. */
export class QuantityError extends Error {
  override readonly name = 'QuantityError';
  readonly input: string;

  constructor(problem: Problem, input: string) {
    super(problem);
    this.input = input;
  }
}

const WRONG_FORMAT =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'" as const;
const WRONG_NUMBER = 'unable to parse numeric part of quantity' as const;
const WRONG_SUFFIX = "unable to parse quantity's suffix" as const;
type Problem = typeof WRONG_FORMAT | typeof WRONG_NUMBER | typeof WRONG_SUFFIX;

const DECIMAL_SUFFIXES = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'] as const; // 10^-9 … 10^18
const BINARY_SUFFIXES = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'] as const; // 2^0 … 2^60

interface Suffix {
  readonly format: QuantityFormat;
  readonly exponent: number; // of 2 for BinarySI, else of 10
}

const SUFFIXES: ReadonlyMap<string, Suffix> = new Map([
  ...BINARY_SUFFIXES.map((text, i): [string, Suffix] => [text, { format: 'BinarySI', exponent: 10 * i }]),
  ...DECIMAL_SUFFIXES.map((text, i): [string, Suffix] => [text, { format: 'DecimalSI', exponent: 3 * i - 9 }]),
]);

const NANOS_PER_UNIT = 10n ** 9n;
const NANOS_PER_MILLI = 10n ** 6n;
const MAX_BINARY_NANOS = (2n ** 63n - 1n) * NANOS_PER_UNIT;

// Digits, and powers of ten, that we take. Go has no bound: there `1e999999999` is accepted and the first comparison
// with it never returns.
const MAX_DIGITS = 1000;

/** Reads a quantity from text, or from a number as YAML has it. Throws `QuantityError`. */
export function parseQuantity(input: string | number): Quantity {
  const text = String(input);
  const scanned = scan(text);
  if (typeof scanned === 'string') throw new QuantityError(scanned, text);
  return evaluate(scanned);
}

/** The quantity, or `undefined` where `parseQuantity` would throw. */
export function findQuantity(input: string | number): Quantity | undefined {
  const scanned = scan(String(input));
  return typeof scanned === 'string' ? undefined : evaluate(scanned);
}

/**
 * The canonical text: no fraction and the largest suffix of the quantity's family that leaves none. A binary quantity
 * below 1024, or with a fraction, is printed as a decimal. Parses back to the same value; where Go runs out of
 * suffixes and prints `1` for `1000E`, this stays at the last one.
 */
export function formatQuantity({ nanos, format }: Quantity): string {
  if (nanos === 0n) return '0';
  const isSmall = -1024n * NANOS_PER_UNIT < nanos && nanos < 1024n * NANOS_PER_UNIT;
  if (format === 'BinarySI' && !isSmall && nanos % NANOS_PER_UNIT === 0n) {
    const [mantissa, power] = extract(nanos / NANOS_PER_UNIT, 1024n, BINARY_SUFFIXES.length - 1);
    return `${mantissa}${BINARY_SUFFIXES[power]}`;
  }
  if (format === 'DecimalExponent') {
    const [mantissa, power] = extract(nanos, 1000n, Number.POSITIVE_INFINITY);
    return power === 3 ? `${mantissa}` : `${mantissa}e${3 * power - 9}`;
  }
  const [mantissa, power] = extract(nanos, 1000n, DECIMAL_SUFFIXES.length - 1);
  return `${mantissa}${DECIMAL_SUFFIXES[power]}`;
}

/**
 * What Go prints for a quantity it has just parsed and not yet computed with. That is the canonical text, except where
 * a glance at the input finds no reason to reformat it: `1.234`, `+1` and `1E3` stay. Throws `QuantityError`.
 */
export function canonicalQuantity(input: string | number): string {
  const text = String(input);
  const scanned = scan(text);
  if (typeof scanned === 'string') throw new QuantityError(scanned, text);
  return looksCanonical(scanned) ? text : formatQuantity(evaluate(scanned));
}

/** -1, 0 or 1 as `a` is less than, equal to or greater than `b`; formats do not count. */
export function compareQuantities(a: Quantity, b: Quantity): -1 | 0 | 1 {
  if (a.nanos === b.nanos) return 0;
  return a.nanos < b.nanos ? -1 : 1;
}

/** The sum, in the format of `a`, or of `b` where `a` is zero. */
export function addQuantities(a: Quantity, b: Quantity): Quantity {
  return { nanos: a.nanos + b.nanos, format: a.nanos === 0n ? b.format : a.format };
}

/** The difference, which may be negative, in the format of `a`, or of `b` where `a` is zero. */
export function subtractQuantities(a: Quantity, b: Quantity): Quantity {
  return { nanos: a.nanos - b.nanos, format: a.nanos === 0n ? b.format : a.format };
}

/** Whole units (cores, bytes), a fraction counting as one: rounded away from zero. */
export function unitsOf(quantity: Quantity): bigint {
  return divideAwayFromZero(quantity.nanos, NANOS_PER_UNIT);
}

/** Whole thousandths, as CPU is counted, rounded away from zero. */
export function milliUnitsOf(quantity: Quantity): bigint {
  return divideAwayFromZero(quantity.nanos, NANOS_PER_MILLI);
}

interface Scanned {
  readonly negative: boolean;
  readonly whole: string; // without leading zeros, so empty for 0
  readonly fraction: string;
  readonly suffix: Suffix;
}

// The two runs of digits cannot meet, so that no input makes the match try them against each other.
const SHAPE = /^([+-]?)([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]+[+-]?[0-9]*|[+-][0-9]*)?$/;

function scan(text: string): Scanned | Problem {
  const match = SHAPE.exec(text);
  if (match === null || text === '') return WRONG_FORMAT;
  const [, sign, digits = '', fraction = '', ending = ''] = match;
  const suffix = findSuffix(ending);
  if (suffix === undefined) return WRONG_SUFFIX;
  if (digits === '' && fraction === '' && !isZeroWithoutDigits(suffix)) return WRONG_NUMBER;
  const isHuge = digits.length + fraction.length > MAX_DIGITS || suffix.exponent > MAX_DIGITS;
  return isHuge ? WRONG_NUMBER : { negative: sign === '-', whole: digits.replace(/^0+/, ''), fraction, suffix };
}

function findSuffix(text: string): Suffix | undefined {
  const known = SUFFIXES.get(text);
  if (known !== undefined) return known;
  if (!/^[eE]./.test(text)) return undefined;
  const exponent = parseInt64(text.slice(1));
  return typeof exponent === 'string' ? undefined : { format: 'DecimalExponent', exponent: Number(exponent) };
}

/** Go takes `Gi`, `.` and `-` for zero, though not `Pi` or `e-10`, which leave its fast path. */
function isZeroWithoutDigits({ format, exponent }: Suffix): boolean {
  return format === 'BinarySI' ? exponent < 50 : exponent >= -9;
}

function evaluate({ negative, whole, fraction, suffix }: Scanned): Quantity {
  const isBinary = suffix.format === 'BinarySI';
  const digits = BigInt(whole + fraction);
  const mantissa = isBinary ? digits << BigInt(suffix.exponent) : digits;
  // So far down every digit is below a nano, and further down is no different.
  const exponent = isBinary ? 0 : Math.max(suffix.exponent, -2 * MAX_DIGITS);
  const tens = exponent - fraction.length + 9;
  let nanos = tens >= 0 ? mantissa * 10n ** BigInt(tens) : divideAwayFromZero(mantissa, 10n ** BigInt(-tens));
  if (isBinary && nanos > MAX_BINARY_NANOS) nanos = MAX_BINARY_NANOS; // decimals have no cap
  const isBelowOne = 0n < nanos && nanos < NANOS_PER_UNIT;
  return { nanos: negative ? -nanos : nanos, format: isBinary && isBelowOne ? 'DecimalSI' : suffix.format };
}

/** Go's test, with its gaps: signs, leading zeros, the case of `e` and a fraction of whole thousandths pass it. */
function looksCanonical({ whole, fraction, suffix }: Scanned): boolean {
  if (suffix.format === 'BinarySI') {
    const fitsInt64 = whole.length + 0.3 * suffix.exponent <= 14;
    return fraction === '' && fitsInt64 && Number(whole) % 8 !== 0;
  }
  const digits = whole + fraction;
  const scale = suffix.exponent - fraction.length;
  return whole !== '' && digits.length <= 18 && scale >= -9 && scale % 3 === 0 && !digits.endsWith('000');
}

/** Takes the factor out as often as it divides, up to `limit` times: `value = mantissa × factor^power`. */
function extract(value: bigint, factor: bigint, limit: number): [mantissa: bigint, power: number] {
  let mantissa = value;
  let power = 0;
  while (power < limit && mantissa % factor === 0n) {
    mantissa /= factor;
    power++;
  }
  return [mantissa, power];
}

function divideAwayFromZero(value: bigint, divisor: bigint): bigint {
  const quotient = value / divisor;
  if (quotient * divisor === value) return quotient;
  return value < 0n ? quotient - 1n : quotient + 1n;
}
