// npm run bench -- <suite> [part…] [--json FILE]: runs a suite, prints its bounds and figures, and exits 1 if a bound
// was missed.
import { writeFile } from 'node:fs/promises';
import { parseCommandLine, parseCount, readOrExit, UsageError } from '../tools/command-line.ts';
import { isMet, type Row, renderTable } from './report.ts';

/** The command line options; not every suite uses all of them. */
interface SuiteOptions {
  /** Where to write the figures. */
  readonly json?: string | undefined;
  /** Fail if upstream cannot be measured in the same run, which needs Go. */
  readonly upstream?: boolean | undefined;
  /** Use stored figures of upstream, even if it could be measured. */
  readonly stored?: boolean | undefined;
  readonly seed?: number | undefined;
  /** How many random fleets. */
  readonly fleets?: number | undefined;
  /** Measure on a real control plane, beside upstream; needs Go. */
  readonly lab?: boolean | undefined;
  /** What of the suite to run, by name; all of it if none. */
  readonly parts: readonly string[];
}

/** Runs a suite, and returns whether all figures are within their bounds. */
type Suite = (options: SuiteOptions) => Promise<boolean>;

const SUITES: Readonly<Record<string, Suite>> = {
  aws: async (options) => report('aws', await (await import('./aws.ts')).measureAws(options.parts), options),
  consolidation: async (options) => (await import('./consolidation.ts')).run(options),
  e2e: async (options) =>
    report('e2e', await (await import('./e2e.ts')).measureE2e(options.parts, options.lab ?? false), options),
  embedded: async (options) => report('embedded', await (await import('./embedded.ts')).measureEmbedded(), options),
  interruption: async (options) =>
    report('interruption', await (await import('./interruption.ts')).measureInterruption(), options),
  money: async (options) => (await import('./money.ts')).run(options),
  planning: async (options) => (await import('./planning.ts')).run(options),
  runtime: async (options) => report('runtime', await (await import('./runtime.ts')).measureRuntime(), options),
  shrink: async (options) => report('shrink', await (await import('./shrink.ts')).measureShrinking(), options),
  whatif: async (options) => (await import('./whatif.ts')).run(options),
};

async function report(suite: string, rows: readonly Row[], { json }: SuiteOptions): Promise<boolean> {
  process.stdout.write(renderTable(rows));
  if (json !== undefined) await writeFile(json, `${JSON.stringify({ suite, rows }, undefined, 2)}\n`);
  return rows.every(isMet);
}

const USAGE = `usage: npm run bench -- <${Object.keys(SUITES).join('|')}> [part…] [--json FILE] [--seed N] [--fleets N] [--upstream|--stored] [--lab]\n`;

const { run, options } = readOrExit('bench', USAGE, (): { readonly run: Suite; readonly options: SuiteOptions } => {
  const { positionals, values } = parseCommandLine({
    allowPositionals: true,
    options: {
      json: { type: 'string' },
      upstream: { type: 'boolean' },
      stored: { type: 'boolean' },
      lab: { type: 'boolean' },
      seed: { type: 'string' },
      fleets: { type: 'string' },
    },
  });
  const [suite = '', ...parts] = positionals;
  const run = SUITES[suite];
  if (run === undefined) throw new UsageError(suite === '' ? 'which suite?' : `no such suite: ${suite}`);
  if (values.upstream && values.stored) throw new UsageError('--upstream and --stored exclude each other');
  const seed = values.seed === undefined ? undefined : parseCount('--seed', values.seed);
  const fleets = values.fleets === undefined ? undefined : parseCount('--fleets', values.fleets);
  return { run, options: { ...values, seed, fleets, parts } };
});
process.exitCode = (await run(options)) ? 0 : 1;
