import { scaleToInteger } from '@karpenter-ts/kubernetes';

// Doubles as Go prints them. JavaScript finds the same shortest digits but places point and exponent by other rules.

/** Go's `%g`, which `%v` is too: with an exponent, of two digits at least, outside of 1e-4 … 1e6. */
export function formatDouble(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
  const [digits = '', exponent = ''] = value.toExponential().split('e');
  const power = Number(exponent);
  if (power >= -4 && power < 6) return formatFixed(value);
  return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}

/** Go's `%f` with as many decimals as it takes to read the same double back. */
export function formatFixed(value: number): string {
  if (Object.is(value, -0)) return '-0';
  const [mantissa = '', exponent = '0'] = value.toExponential().split('e');
  const negative = mantissa.startsWith('-');
  const digits = mantissa.replace(/[-.]/g, '');
  const point = Number(exponent) + 1;
  const whole = point > 0 ? digits.slice(0, point).padEnd(point, '0') : '0';
  const fraction = point > 0 ? digits.slice(point) : '0'.repeat(-point) + digits;
  return `${negative ? '-' : ''}${whole}${/[1-9]/.test(fraction) ? `.${fraction}` : ''}`;
}

/** Go's `%.<places>e` of a finite double, in two parts. */
export function formatScientific(value: number, places: number): { mantissa: string; power: number } {
  let power = Number(value.toExponential().split('e')[1]);
  let digits = scaleToInteger(Math.abs(value), places - power).toString();
  if (digits.length > places + 1) digits = scaleToInteger(Math.abs(value), places - ++power).toString(); // 9.99 rounds to 10
  const padded = digits.padStart(places + 1, '0');
  return { mantissa: `${value < 0 ? '-' : ''}${padded[0]}.${padded.slice(1)}`, power };
}

const DECIMAL = /^[+-]?(?:\d+(?:_\d+)*(?:\.(?:\d+(?:_\d+)*)?)?|\.\d+(?:_\d+)*)(?:e[+-]?\d+(?:_\d+)*)?$/i;
const HEXADECIMAL = /^([+-]?)0x_?([\da-f]+(?:_[\da-f]+)*)?(?:\.([\da-f]+(?:_[\da-f]+)*)?)?p([+-]?\d+)$/i;

/** Go's `strconv.ParseFloat`, or undefined where that is an error: out of range, white space, a bare point. */
export function findDouble(text: string): number | undefined {
  const special = /^(?:([+-]?)inf(?:inity)?|(nan))$/i.exec(text);
  if (special !== null) return special[2] === undefined ? Number(`${special[1]}Infinity`) : Number.NaN;
  const value = DECIMAL.test(text) ? Number(text.replaceAll('_', '')) : hexadecimal(text);
  return value !== undefined && Number.isFinite(value) ? value : undefined;
}

function hexadecimal(text: string): number | undefined {
  const match = HEXADECIMAL.exec(text);
  if (match === null) return undefined;
  const [, sign, whole = '', fraction = '', power = ''] = match;
  const places = fraction.replaceAll('_', '');
  const digits = (whole + fraction).replaceAll('_', '');
  if (digits === '') return undefined;
  const value = Number(BigInt(`0x${digits}`)) * 2 ** (Number(power) - 4 * places.length);
  return sign === '-' ? -value : value;
}
