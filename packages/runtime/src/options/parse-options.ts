import { goQuote } from '@karpenter-ts/kubernetes';
import { type Flag, parseFlags } from './go-flags.ts';
import type { Option, OptionRows, Parsed } from './option.ts';
import type { Reading } from './option-type.ts';
import { usageText } from './usage.ts';

/** Options of one part of the program. */
export interface OptionGroup<R extends OptionRows> {
  readonly rows: R;
  /** What is wrong with values that are each well written; all of it is reported together. */
  check?(values: Parsed<R>): readonly string[];
}

/** Groups by the name the program knows them by; checked in order. */
export type OptionGroups = Readonly<Record<string, OptionGroup<OptionRows>>>;

/** The values of groups. */
export type ParsedGroups<G extends OptionGroups> = { readonly [K in keyof G]: Parsed<G[K]['rows']> };

/** Settings to run with, or what to print instead and the code to exit with. */
export type ParsedOptions<G extends OptionGroups> =
  | { readonly kind: 'parsed'; readonly options: ParsedGroups<G>; readonly warnings: readonly string[] }
  /** Asked for, so it is no failure. */
  | { readonly kind: 'help'; readonly usage: string; readonly exitCode: 0 }
  /** `usage` is to be shown too when the command line itself is at fault. */
  | { readonly kind: 'refused'; readonly problem: string; readonly usage?: string; readonly exitCode: 2 };

/** Variables, such as `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The settings of a process: from its flags, else its variables, else the defaults (spec 05 §1.1). Flags are strict. A
 * variable that cannot be read counts as not set, with a warning; a text variable set to nothing counts as set.
 */
export function parseOptions<G extends OptionGroups>(
  groups: G,
  argv: readonly string[],
  env: Environment,
): ParsedOptions<G> {
  const rows = Object.values(groups).flatMap((group) => Object.values(group.rows));
  const fromFlags = new Map<Option<unknown>, Reading<unknown>>();
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

function asFlag(row: Option<unknown>, readings: Map<Option<unknown>, Reading<unknown>>): Flag {
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
  readonly fromFlags: ReadonlyMap<Option<unknown>, Reading<unknown>>;
  readonly env: Environment;
}

type GroupReading =
  | { readonly values: Parsed<OptionRows>; readonly warnings: readonly string[] }
  | { readonly problem: string };

/** The group's values, or what is wrong with them: the first row that is refused, else all that its check finds. */
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

function readVariable({ type, variable, fallback }: Option<unknown>, env: Environment): Reading<unknown> {
  const text = env[variable];
  return text === undefined ? { kind: 'value', value: fallback } : type.fromVariable(text, variable);
}

function overlooked({ type, variable, fallback }: Option<unknown>, env: Environment): string {
  const wanted = type.placeholder === '' ? 'bool' : type.placeholder;
  return `ignoring ${variable}=${goQuote(env[variable] ?? '')}: not a valid ${wanted}, using ${type.show(fallback)}`;
}
