export const MAX_INT64 = 2n ** 63n - 1n;
export const MIN_INT64 = -(2n ** 63n);

/** Why a text is no int64, in the words of Go's strconv. */
export type Int64Problem = 'invalid syntax' | 'value out of range';

/** Reads a decimal int64 as Go's `strconv.ParseInt(text, 10, 64)` does: an optional sign, then digits only. */
export function parseInt64(text: string): bigint | Int64Problem {
  const match = /^([+-]?)([0-9]+)$/.exec(text);
  if (match === null) return 'invalid syntax';
  const digits = match[2]!.replace(/^0+/, '');
  if (digits.length > 19) return 'value out of range'; // before BigInt, which takes its time over a megabyte of digits
  const value = match[1] === '-' ? -BigInt(digits) : BigInt(digits);
  return value < MIN_INT64 || value > MAX_INT64 ? 'value out of range' : value;
}
