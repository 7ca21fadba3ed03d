import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '..');

/** Lints one file, with our configuration, as if it stood at that path. */
function lint(path: string, text: string): { readonly status: number | null; readonly output: string } {
  const folder = mkdtempSync(join(tmpdir(), 'karpenter-layers-'));
  copyFileSync(join(ROOT, '.oxlintrc.json'), join(folder, '.oxlintrc.json'));
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
  const oxlint = join(ROOT, 'node_modules/oxlint/bin/oxlint');
  const { status, stdout } = spawnSync(process.execPath, [oxlint, path], { cwd: folder, encoding: 'utf8' });
  return { status, output: stdout };
}

test('an import that points up the layers fails the lint', () => {
  const { status, output } = lint('packages/apis/src/a.ts', "export { main } from '@karpenter-ts/cli';\n");
  assert.equal(status, 1);
  assert.match(output, /apis imports nothing of ours/);
});

test('an import that points down passes', () => {
  assert.equal(lint('packages/cli/src/a.ts', "export { admit } from '@karpenter-ts/apis';\n").status, 0);
});

test("an import of another package's insides fails the lint", () => {
  const { status, output } = lint(
    'packages/cli/src/a.ts',
    "export { admit } from '../../apis/src/schema/admission.ts';\n",
  );
  assert.equal(status, 1);
  assert.match(output, /Import another package by its name/);
});
