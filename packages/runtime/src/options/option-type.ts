import { DurationError, formatDuration, goQuote, parseDuration } from '@karpenter-ts/kubernetes';
import { formatFloat } from '../metrics/text-format.ts';
import { findBool, type LiteralProblem, parseDecimal, parseFloatLiteral, parseIntegerLiteral } from './go-literals.ts';

/** What a text turned out to be. */
export type Reading<T> =
  | { readonly kind: 'value'; readonly value: T; readonly warnings?: readonly string[] }
  /** Not written as such a value is: refused at once on the command line, overlooked in a variable. */
  | { readonly kind: 'malformed'; readonly problem: string }
  /** Well written but not allowed, wherever it comes from; said after all flags are read. */
  | { readonly kind: 'refused'; readonly problem: string };

/** How the values of an option are written. */
export interface OptionType<T> {
  /** Stands for the value in usage texts; empty for booleans, whose flags never take the next word. */
  readonly placeholder: string;
  /** `variable` names the option in problems, as upstream does for both sources. */
  readonly fromFlag: (text: string, variable: string) => Reading<T>;
  readonly fromVariable: (text: string, variable: string) => Reading<T>;
  /** A default in usage texts. */
  show(value: T): string;
}

/** A whole number: Go literals on the command line, decimal in variables. */
export const int: OptionType<number> = {
  placeholder: 'int',
  fromFlag: (text) => literal(parseIntegerLiteral(text)),
  fromVariable: (text) => literal(parseDecimal(text)),
  show: String,
};

/** A number with a fraction. */
export const float: OptionType<number> = {
  placeholder: 'float',
  fromFlag: (text) => literal(parseFloatLiteral(text)),
  fromVariable: (text) => literal(parseFloatLiteral(text)),
  show: formatFloat,
};

/** `true` or `false` on the command line, any of Go's words in variables. */
export const bool: OptionType<boolean> = {
  placeholder: '',
  fromFlag: (text) =>
    text === 'true' || text === 'false'
      ? { kind: 'value', value: text === 'true' }
      : { kind: 'malformed', problem: `${goQuote(text)} is not a valid value, must be true or false` },
  fromVariable: (text) => literal(findBool(text) ?? 'parse error'),
  show: String,
};

/** Milliseconds, written in Go's notation. */
export const goDuration: OptionType<number> = {
  placeholder: 'duration',
  ...same(readDuration),
  show: (value) => formatDuration(BigInt(Math.round(value * 1e6))),
};

/** Any text, the empty one included. */
export const text: OptionType<string> = {
  placeholder: 'string',
  ...same((value) => ({ kind: 'value', value })),
  show: goQuote,
};

/** Words between commas. */
export const list: OptionType<readonly string[]> = mapType<string, readonly string[]>(
  text,
  (value) => value.split(','),
  (words) => words.join(','),
);

/** One of some words, case and all. The empty text is one only if named. */
export function oneOf<const W extends readonly string[]>(...words: W): OptionType<W[number]> {
  return {
    placeholder: 'string',
    ...same((value, variable) =>
      words.includes(value)
        ? { kind: 'value', value }
        : {
            kind: 'refused',
            problem: `validating cli flags / env vars, invalid ${variable} ${goQuote(value)}`,
          },
    ),
    show: goQuote,
  };
}

/** A type whose values are made of another's; `unmap` undoes it for usage texts. */
export function mapType<T, U>(type: OptionType<T>, map: (value: T) => U, unmap: (value: U) => T): OptionType<U> {
  const mapped = (reading: Reading<T>): Reading<U> =>
    reading.kind === 'value' ? { ...reading, value: map(reading.value) } : reading;
  return {
    placeholder: type.placeholder,
    fromFlag: (written, variable) => mapped(type.fromFlag(written, variable)),
    fromVariable: (written, variable) => mapped(type.fromVariable(written, variable)),
    show: (value) => type.show(unmap(value)),
  };
}

/** Reads flags and variables alike. */
export function same<T>(
  read: (text: string, variable: string) => Reading<T>,
): Pick<OptionType<T>, 'fromFlag' | 'fromVariable'> {
  return { fromFlag: read, fromVariable: read };
}

function literal<T extends number | boolean>(value: T | LiteralProblem): Reading<T> {
  return typeof value === 'string' ? { kind: 'malformed', problem: value } : { kind: 'value', value };
}

function readDuration(written: string): Reading<number> {
  try {
    return { kind: 'value', value: Number(parseDuration(written)) / 1e6 };
  } catch (error) {
    if (error instanceof DurationError) return { kind: 'malformed', problem: 'parse error' };
    throw error;
  }
}
