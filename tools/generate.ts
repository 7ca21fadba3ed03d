// Writes what is derived from the sources and committed all the same: CRDs, the settings, what providers owe, the
// table of spec cases, and what moto does otherwise than AWS.
// `--check` writes nothing and fails when something is out of date.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { caseTable } from './case-table.ts';
import { crdFiles } from './crd-files.ts';
import { withMotoGaps } from './moto-gaps.ts';
import { providersPage } from './providers-page.ts';
import { settingsTable } from './settings-table.ts';

const ROOT = join(import.meta.dirname, '..');

const files: ReadonlyMap<string, string> = new Map([
  ...crdFiles(),
  ['docs/aws-emulator.md', withMotoGaps(ROOT)],
  ['docs/cases.md', caseTable(ROOT)],
  ['docs/providers.md', providersPage()],
  ['docs/settings.md', settingsTable()],
]);

if (process.argv.includes('--check')) check();
else write();

function check(): void {
  const stale = [...files].filter(([path, text]) => current(path) !== text).map(([path]) => path);
  for (const path of stale) process.stderr.write(`${path} is out of date: run npm run generate and commit it\n`);
  process.exitCode = stale.length === 0 ? 0 : 1;
}

function current(path: string): string | undefined {
  try {
    return readFileSync(join(ROOT, path), 'utf8');
  } catch {
    return undefined; // not there yet
  }
}

function write(): void {
  rmSync(join(ROOT, 'packages/apis/crds'), { recursive: true, force: true });
  for (const [path, text] of files) {
    mkdirSync(dirname(join(ROOT, path)), { recursive: true });
    writeFileSync(join(ROOT, path), text);
  }
  process.stdout.write(`${files.size} files written\n`);
}
