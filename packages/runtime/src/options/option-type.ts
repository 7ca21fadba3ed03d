import { DurationError, formatDuration, goQuote, parseDuration } from '@karpenter-ts/kubernetes';
import { formatFloat } from '../metrics/text-format.ts';
import { findBool, type LiteralProblem, parseDecimal, parseFloatLiteral, parseIntegerLiteral } from './go-literals.ts';

/** The result of parsing a text as the value of an option. */
export type ParseResult<T> =
  | { readonly kind: 'value'; readonly value: T; readonly warnings?: readonly string[] }
  /** The syntax is wrong. On the command line this is refused at once; a variable is ignored. */
  | { readonly kind: 'malformed'; readonly problem: string }
  /** The syntax is right, but the value is not allowed, from either source. Reported after all flags are parsed. */
  | { readonly kind: 'refused'; readonly problem: string };

/** The syntax of an option's values. */
export interface OptionType<T> {
  /** The placeholder of the value in usage texts. Empty for booleans, whose flags never take the next argument. */
  readonly placeholder: string;
  /** `variable` is the name of the option in problems from both sources, as upstream has it. */
  readonly fromFlag: (text: string, variable: string) => ParseResult<T>;
  readonly fromVariable: (text: string, variable: string) => ParseResult<T>;
  /** Formats a default for usage texts. */
  show(value: T): string;
}

/** An integer: a Go literal on the command line, decimal in variables. */
export const int: OptionType<number> = {
  placeholder: 'int',
  fromFlag: (text) => literal(parseIntegerLiteral(text)),
  fromVariable: (text) => literal(parseDecimal(text)),
  show: String,
};

/** A floating-point number. */
export const float: OptionType<number> = {
  placeholder: 'float',
  fromFlag: (text) => literal(parseFloatLiteral(text)),
  fromVariable: (text) => literal(parseFloatLiteral(text)),
  show: formatFloat,
};

/** A boolean: `true` or `false` on the command line, any of Go's words in variables. */
export const bool: OptionType<boolean> = {
  placeholder: '',
  fromFlag: (text) =>
    text === 'true' || text === 'false'
      ? { kind: 'value', value: text === 'true' }
      : { kind: 'malformed', problem: `${goQuote(text)} is not a valid value, must be true or false` },
  fromVariable: (text) => literal(findBool(text) ?? 'parse error'),
  show: String,
};

/** A duration in milliseconds, written in Go's notation. */
export const goDuration: OptionType<number> = {
  placeholder: 'duration',
  ...same(readDuration),
  show: (value) => formatDuration(BigInt(Math.round(value * 1e6))),
};

/** Any text, including the empty one. */
export const text: OptionType<string> = {
  placeholder: 'string',
  ...same((value) => ({ kind: 'value', value })),
  show: goQuote,
};

/** A comma-separated list. */
export const list: OptionType<readonly string[]> = mapType<string, readonly string[]>(
  text,
  (value) => value.split(','),
  (words) => words.join(','),
);

/** One of the given words, case-sensitive. The empty text is allowed only if it is among them. */
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

/** A type whose values are computed from those of another. `unmap` is the inverse, for usage texts. */
export function mapType<T, U>(type: OptionType<T>, map: (value: T) => U, unmap: (value: U) => T): OptionType<U> {
  const mapped = (reading: ParseResult<T>): ParseResult<U> =>
    reading.kind === 'value' ? { ...reading, value: map(reading.value) } : reading;
  return {
    placeholder: type.placeholder,
    fromFlag: (written, variable) => mapped(type.fromFlag(written, variable)),
    fromVariable: (written, variable) => mapped(type.fromVariable(written, variable)),
    show: (value) => type.show(unmap(value)),
  };
}

/** Parses flags and variables with the same function. */
export function same<T>(
  read: (text: string, variable: string) => ParseResult<T>,
): Pick<OptionType<T>, 'fromFlag' | 'fromVariable'> {
  return { fromFlag: read, fromVariable: read };
}

function literal<T extends number | boolean>(value: T | LiteralProblem): ParseResult<T> {
  return typeof value === 'string' ? { kind: 'malformed', problem: value } : { kind: 'value', value };
}

function readDuration(written: string): ParseResult<number> {
  try {
    return { kind: 'value', value: Number(parseDuration(written)) / 1e6 };
  } catch (error) {
    if (error instanceof DurationError) return { kind: 'malformed', problem: 'parse error' };
    throw error;
  }
}
