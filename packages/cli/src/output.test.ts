import assert from 'node:assert/strict';
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';

const BIN = join(import.meta.dirname, 'bin.ts');
const SAMPLES = join(import.meta.dirname, '../../../samples');
const UP = ['up', '--no-samples', '--no-controller', '--nodes', '0'];

/** The command in a process of its own, which gets an empty folder for its temporary files. */
function start(t: TestContext, args: readonly string[], stdio: StdioOptions = ['ignore', 'pipe', 'pipe']) {
  const temporary = mkdtempSync(join(tmpdir(), 'karpenter-output-'));
  const child: ChildProcess = spawn(process.execPath, [BIN, ...args], {
    stdio,
    env: { ...process.env, TMPDIR: temporary },
  });
  t.after(() => child.kill('SIGKILL'));
  const said = text(child.stderr as Readable);
  return {
    child,
    out: child.stdout as Readable,
    ended: async () => {
      const [code] = (await once(child, 'close')) as [number | null];
      return { code, said: await said, left: readdirSync(temporary) };
    },
  };
}

test('check whose reader has gone ends quietly, with its verdict', async (t) => {
  const bad = join(mkdtempSync(join(tmpdir(), 'karpenter-output-')), 'bad.yaml');
  writeFileSync(bad, 'kind: NodePool\n');
  for (const [path, verdict] of [
    [SAMPLES, 0],
    [bad, 1],
  ] as const) {
    const { out, ended } = start(t, ['check', path]);
    out.destroy();
    assert.deepEqual(await ended(), { code: verdict, said: '', left: [] });
  }
});

test('up whose reader has gone stops in good order and leaves no file', async (t) => {
  const { out, ended } = start(t, UP);
  out.destroy();
  assert.deepEqual(await ended(), { code: 0, said: '', left: [] });
});

test('a full disk is told in one line, and is a failure', async (t) => {
  for (const args of [['check', SAMPLES], ['--help'], UP]) {
    const full = openSync('/dev/full', 'w');
    const { ended } = start(t, args, ['ignore', full, 'pipe']);
    closeSync(full);
    const { code, said, left } = await ended();
    assert.match(said, /^karpenter: the output cannot be written: ENOSPC: .*\n$/);
    assert.deepEqual({ code, left }, { code: 1, left: [] });
  }
});

test('up stops in good order when its terminal is closed', async (t) => {
  const { child, out, ended } = start(t, UP);
  await once(out, 'data');
  child.kill('SIGHUP');
  assert.deepEqual(await ended(), { code: 0, said: 'stopping\n', left: [] });
});
