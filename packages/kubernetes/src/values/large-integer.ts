import { MAX_INT64, MIN_INT64 } from './int64.ts';

/**
 * A whole number of 64 bits that no JavaScript number holds, such as the greatest of all, which people write for "never".
 * JSON.stringify writes its digits as they came; where it is computed with, it counts as the nearest number.
 */
export class LargeInteger {
  /** Decimal, with a sign if it is negative. A member of its own: whoever compares objects by members tells two apart. */
  readonly digits: string;

  private constructor(digits: string) {
    this.digits = digits;
  }

  /** As a number where that is exact. Beyond 64 bits it is the nearest number, since Go takes it for a float there. */
  static from(value: bigint): number | LargeInteger {
    const isNumber = BigInt(Number.MIN_SAFE_INTEGER) <= value && value <= BigInt(Number.MAX_SAFE_INTEGER);
    if (isNumber || value < MIN_INT64 || value > MAX_INT64) return Number(value);
    return new LargeInteger(String(value));
  }

  valueOf(): number {
    return Number(this.digits);
  }

  toString(): string {
    return this.digits;
  }

  toJSON(): unknown {
    return rawJson(this.digits);
  }
}

/** Not in TypeScript's library yet. */
const { rawJSON: rawJson } = JSON as unknown as { readonly rawJSON: (text: string) => unknown };

/** Finds a number of sixteen digits or more, and hardly anything else: digits in quotes have no colon or comma before. */
const MANY_DIGITS = /[:,[]\s*-?\d{16}/;
const INTEGER = /^-?\d{16,19}$/;

/**
 * JSON.parse that keeps whole numbers of 64 bits as they are. Costs hardly more than that: only a text that seems to hold
 * such a number is read number by number.
 */
export function parseExactJson(text: string): unknown {
  if (!MANY_DIGITS.test(text)) return JSON.parse(text);
  const revive: Reviver = (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && INTEGER.test(source)
      ? LargeInteger.from(BigInt(source))
      : value;
  return JSON.parse(text, revive as Parameters<typeof JSON.parse>[1]);
}

/** With the text a number was read from, which is not in TypeScript's library yet. */
type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;
