import { goQuote } from '@karpenter-ts/kubernetes';

/** What the grammar must know of a flag. */
export interface Flag {
  /** A boolean never takes the next word: alone it means `true`. */
  readonly isBoolean: boolean;
  /** Takes a value as written; the problem with it, if there is one. */
  readonly set: (text: string) => string | undefined;
}

/** How a command line was taken. */
export type FlagsOutcome =
  | { readonly kind: 'parsed' }
  | { readonly kind: 'help' }
  | { readonly kind: 'refused'; readonly problem: string };

const PARSED: FlagsOutcome = { kind: 'parsed' };

/**
 * Reads a command line as Go's flag package does: one dash or two, `-flag=value` or `-flag value`, a repeated flag
 * counts last, `--` or the first other word ends it. Problems are in Go's words, except the last: Go would overlook
 * words at the end, and with them every flag after `-bool false`.
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

/** Sets one flag, taking its value from the words that follow if it must. */
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
