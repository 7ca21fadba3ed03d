import {
  addQuantities,
  canonicalQuantity,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  type Quantity,
  QuantityError,
  subtractQuantities,
} from '@karpenter-ts/kubernetes';
import { CelError, type CelResult, type CelValue, NO_SUCH_OVERLOAD, Opaque } from '../runtime/value.ts';
import { global, member, type Overload } from './overload.ts';

/**
 * A quantity as Go keeps it. `scale` is the power of ten its number is counted in, undefined where the number does not
 * fit an int64: whether a quantity is an integer depends on how it was written, so that `1000m` is none.
 */
class CelQuantity extends Opaque {
  readonly typeName = 'kubernetes.Quantity';
  readonly amount: Quantity;
  readonly scale: number | undefined;
  /** As it was written, until it is computed with. */
  readonly #text: string | undefined;

  constructor(amount: Quantity, scale: number | undefined, text?: string) {
    super();
    this.amount = amount;
    this.scale = scale;
    this.#text = text;
  }

  /** On the right the API server takes parsed quantities only: `a == b.add(c)` is an error there, and so here. */
  equals(other: CelValue): boolean | CelError {
    if (!(other instanceof CelQuantity) || other.#text === undefined) return NO_SUCH_OVERLOAD;
    return compareQuantities(this.amount, other.amount) === 0;
  }

  toString(): string {
    return this.#text ?? formatQuantity(this.amount);
  }
}

const compare = (a: CelQuantity, b: CelQuantity): number => compareQuantities(a.amount, b.amount);

/** Kubernetes' resource quantities. */
export const quantity: readonly Overload[] = [
  global('quantity(string): Quantity', toQuantity),
  global('isQuantity(string): bool', (text: string) => toQuantity(text) instanceof CelQuantity),
  global('sign(Quantity): int', ({ amount }: CelQuantity) => (amount.nanos > 0n ? 1n : amount.nanos < 0n ? -1n : 0n)),
  member('Quantity', 'isGreaterThan(Quantity): bool', (a: CelQuantity, b: CelQuantity) => compare(a, b) > 0),
  member('Quantity', 'isLessThan(Quantity): bool', (a: CelQuantity, b: CelQuantity) => compare(a, b) < 0),
  member('Quantity', 'compareTo(Quantity): int', (a: CelQuantity, b: CelQuantity) => BigInt(compare(a, b))),
  member('Quantity', 'asApproximateFloat(): double', asApproximateFloat),
  member('Quantity', 'asInteger(): int', (value: CelQuantity) => integerOf(value) ?? NO_INTEGER),
  member('Quantity', 'isInteger(): bool', (value: CelQuantity) => integerOf(value) !== undefined),
  member('Quantity', 'add(Quantity): Quantity', (a: CelQuantity, b: CelQuantity) => combine(a, b, addQuantities)),
  member('Quantity', 'add(int): Quantity', (a: CelQuantity, b: bigint) => combine(a, whole(b), addQuantities)),
  member('Quantity', 'sub(Quantity): Quantity', (a: CelQuantity, b: CelQuantity) => combine(a, b, subtractQuantities)),
  member('Quantity', 'sub(int): Quantity', (a: CelQuantity, b: bigint) => combine(a, whole(b), subtractQuantities)),
];

const NO_INTEGER = new CelError('cannot convert value to integer');
const NANOS = 10n ** 9n;

function toQuantity(text: string): CelResult {
  try {
    const amount = parseQuantity(text);
    return new CelQuantity(amount, scaleOf(text, amount), canonicalQuantity(text));
  } catch (error) {
    if (error instanceof QuantityError) return new CelError(error.message);
    throw error;
  }
}

const SUFFIX_SCALES: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };

/** Go's fast path: up to 18 digits, and of binary quantities only whole ones of about 15. */
function scaleOf(text: string, { format }: Quantity): number | undefined {
  const [, digits = '', fraction = '', suffix = ''] = /^[+-]?0*(\d*)\.?(\d*)(.*)$/.exec(text)!;
  const isBinary = format === 'BinarySI' || suffix.endsWith('i');
  if (isBinary) {
    const power = 10 * ' KMGTPE'.indexOf(suffix[0]!);
    return fraction === '' && 14 - digits.length - Math.trunc(power * 0.3) >= 0 ? 0 : undefined;
  }
  const scale = (SUFFIX_SCALES[suffix] ?? Number(suffix.slice(1))) - fraction.length;
  return digits.length + fraction.length <= 18 && scale >= -9 ? scale : undefined;
}

function whole(value: bigint): CelQuantity {
  return new CelQuantity({ nanos: value * NANOS, format: 'DecimalExponent' }, 0);
}

function combine(a: CelQuantity, b: CelQuantity, operation: (x: Quantity, y: Quantity) => Quantity): CelQuantity {
  const amount = operation(a.amount, b.amount);
  return new CelQuantity(amount, combinedScale(a, b, amount));
}

/** The finer of both scales, unless one of the operands is zero, or the number no longer fits. */
function combinedScale(a: CelQuantity, b: CelQuantity, { nanos }: Quantity): number | undefined {
  if (a.scale === undefined || b.scale === undefined) return undefined;
  if (b.amount.nanos === 0n) return a.scale;
  if (a.amount.nanos === 0n) return b.scale;
  const scale = Math.min(a.scale, b.scale);
  return isInt64(numberAt(scale, nanos)) ? scale : undefined;
}

function integerOf({ amount, scale }: CelQuantity): bigint | undefined {
  const units = amount.nanos / NANOS;
  return scale !== undefined && scale >= 0 && isInt64(units) ? units : undefined;
}

function asApproximateFloat({ amount, scale }: CelQuantity): number {
  if (scale === undefined) return Number(amount.nanos) / 1e9;
  return scale === 0 ? Number(amount.nanos / NANOS) : Number(numberAt(scale, amount.nanos)) * Number(`1e${scale}`);
}

function numberAt(scale: number, nanos: bigint): bigint {
  return nanos / 10n ** BigInt(scale + 9);
}

const isInt64 = (value: bigint): boolean => BigInt.asIntN(64, value) === value;
