import { goQuote } from '@karpenter-ts/kubernetes';
import { type Flag, parseFlags } from './go-flags.ts';
import type { Option, OptionRows, Parsed } from './option.ts';
import type { ParseResult } from './option-type.ts';
import { usageText } from './usage.ts';

/** The options of one part of the program. */
export interface OptionGroup<R extends OptionRows> {
  readonly rows: R;
  /** Problems between values that are each valid. All are reported together. */
  check?(values: Parsed<R>): readonly string[];
}

/** Groups by their names in the program, in the order in which they are checked. */
export type OptionGroups = Readonly<Record<string, OptionGroup<OptionRows>>>;

/** The values of several groups. */
export type ParsedGroups<G extends OptionGroups> = { readonly [K in keyof G]: Parsed<G[K]['rows']> };

/** The settings to run with; or the text to print instead, with the exit code. */
export type ParsedOptions<G extends OptionGroups> =
  | { readonly kind: 'parsed'; readonly options: ParsedGroups<G>; readonly warnings: readonly string[] }
  /** The user asked for help, which is not a failure. */
  | { readonly kind: 'help'; readonly usage: string; readonly exitCode: 0 }
  /** `usage` is set if the command line itself is wrong, and is to be printed too. */
  | { readonly kind: 'refused'; readonly problem: string; readonly usage?: string; readonly exitCode: 2 };

/** Environment variables, such as `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The settings of a process: from flags, else from variables, else the defaults (spec 05 §1.1). Invalid flags are
 * errors. A variable that cannot be parsed counts as not set, with a warning; a text variable that is set to the empty
 * text counts as set.
 */
export function parseOptions<G extends OptionGroups>(
  groups: G,
  argv: readonly string[],
  env: Environment,
): ParsedOptions<G> {
  const rows = Object.values(groups).flatMap((group) => Object.values(group.rows));
  const fromFlags = new Map<Option<unknown>, ParseResult<unknown>>();
  const outcome = parseFlags(new Map(rows.map((row) => [row.flag, asFlag(row, fromFlags)])), argv);
  const usage = usageText(Object.fromEntries(rows.map((row) => [row.flag, row])));
  if (outcome.kind === 'help') return { kind: 'help', usage, exitCode: 0 };
  if (outcome.kind === 'refused') {
    return { kind: 'refused', problem: `parsing flags, ${outcome.problem}`, usage, exitCode: 2 };
  }
  const options: Record<string, unknown> = {};
  const warnings: string[] = [];
  for (const [name, group] of Object.entries(groups)) {
    const read = readGroup(group, { fromFlags, env });
    if ('problem' in read) return { kind: 'refused', problem: read.problem, exitCode: 2 };
    options[name] = read.values;
    warnings.push(...read.warnings);
  }
  return { kind: 'parsed', options: options as ParsedGroups<G>, warnings };
}

function asFlag(row: Option<unknown>, readings: Map<Option<unknown>, ParseResult<unknown>>): Flag {
  return {
    isBoolean: row.type.placeholder === '',
    set: (text) => {
      const reading = row.type.fromFlag(text, row.variable);
      readings.set(row, reading);
      return reading.kind === 'malformed' ? reading.problem : undefined;
    },
  };
}

interface Sources {
  readonly fromFlags: ReadonlyMap<Option<unknown>, ParseResult<unknown>>;
  readonly env: Environment;
}

type GroupReading =
  | { readonly values: Parsed<OptionRows>; readonly warnings: readonly string[] }
  | { readonly problem: string };

/**
 * The values of the group, or its problems: the first row that is not allowed, else everything that its check finds.
 */
function readGroup(group: OptionGroup<OptionRows>, { fromFlags, env }: Sources): GroupReading {
  const values: Record<string, unknown> = {};
  const warnings: string[] = [];
  for (const [name, row] of Object.entries(group.rows)) {
    const reading = fromFlags.get(row) ?? readVariable(row, env);
    if (reading.kind === 'refused') return reading;
    values[name] = reading.kind === 'value' ? reading.value : row.fallback;
    warnings.push(...(reading.kind === 'value' ? (reading.warnings ?? []) : [overlooked(row, env)]));
  }
  const problems = group.check?.(values) ?? [];
  return problems.length === 0 ? { values, warnings } : { problem: `validating options, ${problems.join('; ')}` };
}

function readVariable({ type, variable, fallback }: Option<unknown>, env: Environment): ParseResult<unknown> {
  const text = env[variable];
  return text === undefined ? { kind: 'value', value: fallback } : type.fromVariable(text, variable);
}

function overlooked({ type, variable, fallback }: Option<unknown>, env: Environment): string {
  const wanted = type.placeholder === '' ? 'bool' : type.placeholder;
  return `ignoring ${variable}=${goQuote(env[variable] ?? '')}: not a valid ${wanted}, using ${type.show(fallback)}`;
}
