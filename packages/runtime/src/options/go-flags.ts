import { goQuote } from '@karpenter-ts/kubernetes';

/** What the parser must know about a flag. */
export interface Flag {
  /** The flag of a boolean never takes the next argument as its value: without `=` it means `true`. */
  readonly isBoolean: boolean;
  /** Sets the value from its text. Returns the problem, if there is one. */
  readonly set: (text: string) => string | undefined;
}

/** The result of parsing a command line. */
export type FlagsOutcome =
  | { readonly kind: 'parsed' }
  | { readonly kind: 'help' }
  | { readonly kind: 'refused'; readonly problem: string };

const PARSED: FlagsOutcome = { kind: 'parsed' };

/**
 * Parses a command line like Go's flag package: one dash or two, `-flag=value` or `-flag value`; the last of repeated
 * flags counts; `--` or the first argument that is no flag ends the flags. Problems are reported in Go's words. Unlike
 * Go, arguments after the flags are refused: Go would silently ignore them, and so every flag after `-bool false`.
 */
export function parseFlags(flags: ReadonlyMap<string, Flag>, argv: readonly string[]): FlagsOutcome {
  const words = [...argv];
  while (words.length > 0) {
    const word = words[0]!;
    if (word.length < 2 || !word.startsWith('-')) return refused(leftover(word));
    words.shift();
    if (word === '--') return words.length === 0 ? PARSED : refused(leftover(words[0]!));
    const outcome = parseFlag(flags, word, words);
    if (outcome !== PARSED) return outcome;
  }
  return PARSED;
}

/** Sets one flag, taking its value from the following arguments if it needs one. */
function parseFlag(flags: ReadonlyMap<string, Flag>, word: string, following: string[]): FlagsOutcome {
  const body = word.replace(/^--?/, '');
  if (body === '' || body.startsWith('-') || body.startsWith('=')) return refused(`bad flag syntax: ${word}`);
  const equals = body.indexOf('=');
  const name = equals < 0 ? body : body.slice(0, equals);
  const attached = equals < 0 ? undefined : body.slice(equals + 1);
  const flag = flags.get(name);
  if (flag === undefined) {
    return name === 'help' || name === 'h' ? { kind: 'help' } : refused(`flag provided but not defined: -${name}`);
  }
  const value = attached ?? (flag.isBoolean ? 'true' : following.shift());
  if (value === undefined) return refused(`flag needs an argument: -${name}`);
  const problem = flag.set(value);
  if (problem === undefined) return PARSED;
  const what = flag.isBoolean
    ? `boolean value ${goQuote(value)} for -${name}`
    : `value ${goQuote(value)} for flag -${name}`;
  return refused(`invalid ${what}: ${problem}`);
}

function leftover(word: string): string {
  return `unexpected argument ${goQuote(word)}: it is no flag, and booleans are written --flag=value`;
}

function refused(problem: string): FlagsOutcome {
  return { kind: 'refused', problem };
}
