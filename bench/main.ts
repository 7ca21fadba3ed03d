// npm run bench -- <suite> [--json FILE]: runs a suite, prints what it must reach and what it did, exits 1 if it missed.
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { isMet, type Row, renderTable } from './report.ts';

/** What may be said on the command line; not every suite has a use for all of it. */
interface SuiteOptions {
  /** Where to write the figures. */
  readonly json?: string | undefined;
  /** Measure upstream here and now instead of taking the figures of the lab; needs Go. */
  readonly upstream?: boolean | undefined;
  readonly seed?: number | undefined;
}

/** Runs a suite, and says whether it is as good as it must be. */
type Suite = (options: SuiteOptions) => Promise<boolean>;

const SUITES: Readonly<Record<string, Suite>> = {
  embedded: async (options) => report('embedded', await (await import('./embedded.ts')).measureEmbedded(), options),
  planning: async (options) => (await import('./planning.ts')).run(options),
  runtime: async (options) => report('runtime', await (await import('./runtime.ts')).measureRuntime(), options),
  whatif: async (options) => (await import('./whatif.ts')).run(options),
};

async function report(suite: string, rows: readonly Row[], { json }: SuiteOptions): Promise<boolean> {
  process.stdout.write(renderTable(rows));
  if (json !== undefined) await writeFile(json, `${JSON.stringify({ suite, rows }, undefined, 2)}\n`);
  return rows.every(isMet);
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'string' }, upstream: { type: 'boolean' }, seed: { type: 'string' } },
});
const run = SUITES[positionals[0] ?? ''];
if (run === undefined) {
  process.stderr.write(
    `usage: npm run bench -- <${Object.keys(SUITES).join('|')}> [--json FILE] [--seed N] [--upstream]\n`,
  );
  process.exitCode = 2;
} else {
  const seed = values.seed === undefined ? undefined : Number(values.seed);
  process.exitCode = (await run({ ...values, seed })) ? 0 : 1;
}
