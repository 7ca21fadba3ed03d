// Parses numbers and booleans like Go's strconv, because flags and variables are written for upstream.

/** Why a text is not a valid value, in the words of Go's flag package. */
export type LiteralProblem = 'parse error' | 'value out of range';

const MAX_INT64 = 2n ** 63n - 1n;
const MIN_INT64 = -(2n ** 63n);

/** An optional sign, then digits in one of Go's bases (0x, 0o or a leading 0, 0b). Underscores may separate digits. */
const INTEGER =
  /^([+-]?)(0[xX](?:_?[0-9a-fA-F])+|0[bB](?:_?[01])+|0[oO](?:_?[0-7])+|0(?:_?[0-7])+|0|[1-9](?:_?[0-9])*)$/;

/** An int64 literal, as in flags. */
export function parseIntegerLiteral(text: string): number | LiteralProblem {
  const match = INTEGER.exec(text);
  if (match === null) return 'parse error';
  const digits = match[2]!.replaceAll('_', '').replace(/^0(?=[0-7])/, '0o');
  return withinInt64(match[1]!, digits);
}

/** A decimal int64, as in environment variables. */
export function parseDecimal(text: string): number | LiteralProblem {
  const match = /^([+-]?)([0-9]+)$/.exec(text);
  return match === null ? 'parse error' : withinInt64(match[1]!, match[2]!);
}

/**
 * A decimal number with fraction or exponent, or one of Go's words for infinity and NaN. The hexadecimal form is not
 * supported.
 */
export function parseFloatLiteral(text: string): number | LiteralProblem {
  const special = /^([+-]?)(?:(inf|infinity)|nan)$/i.exec(text);
  if (special !== null) return special[2] === undefined ? NaN : special[1] === '-' ? -Infinity : Infinity;
  if (!/^[+-]?(?:D(?:\.D?)?|\.D)(?:[eE][+-]?D)?$/.test(text.replace(/[0-9](?:_?[0-9])*/g, 'D'))) return 'parse error';
  const value = Number(text.replaceAll('_', ''));
  return Number.isFinite(value) ? value : 'value out of range';
}

/** Parses one of Go's words for true and false; undefined for any other text. */
export function findBool(text: string): boolean | undefined {
  if (['1', 't', 'T', 'TRUE', 'true', 'True'].includes(text)) return true;
  return ['0', 'f', 'F', 'FALSE', 'false', 'False'].includes(text) ? false : undefined;
}

function withinInt64(sign: string, digits: string): number | LiteralProblem {
  const value = sign === '-' ? -BigInt(digits) : BigInt(digits);
  return value < MIN_INT64 || value > MAX_INT64 ? 'value out of range' : Number(value);
}
