// npm run bench -- <suite> [--json FILE]: runs a suite, prints what it must reach and what it did, exits 1 if it missed.
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { isMet, type Row, renderTable } from './report.ts';

const SUITES: Readonly<Record<string, () => Promise<readonly Row[]>>> = {
  embedded: async () => (await import('./embedded.ts')).measureEmbedded(),
  runtime: async () => (await import('./runtime.ts')).measureRuntime(),
};

const { positionals, values } = parseArgs({ allowPositionals: true, options: { json: { type: 'string' } } });
const [suite = ''] = positionals;
const run = SUITES[suite];
if (run === undefined) {
  process.stderr.write(`usage: npm run bench -- <${Object.keys(SUITES).join('|')}> [--json FILE]\n`);
  process.exitCode = 2;
} else {
  const rows = await run();
  process.stdout.write(renderTable(rows));
  if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify({ suite, rows }, undefined, 2)}\n`);
  process.exitCode = rows.every(isMet) ? 0 : 1;
}
