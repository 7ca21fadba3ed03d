import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { identify, isRunning, parseStat, type ProcessIdentity, startProgram, stopProcess } from './processes.ts';

function startShell(t: TestContext, script: string, record: (identity: ProcessIdentity) => void = () => undefined) {
  const folder = mkdtempSync(join(tmpdir(), 'lab-processes-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const logPath = join(folder, 'log');
  const program = () =>
    startProgram({ path: '/bin/sh', args: ['-c', script], folder, env: { PATH: process.env.PATH }, logPath, record });
  return { folder, logPath, program };
}

async function awaitFile(path: string): Promise<void> {
  while (!existsSync(path)) await setTimeout(10);
}

test('a program is recorded before it runs, and its output is logged', async (t) => {
  const order: string[] = [];
  const shell = startShell(t, 'echo out; echo err >&2; exit 3', (identity) => {
    order.push(`recorded, ${readFileSync(shell.logPath, 'utf8').length} bytes logged`);
    assert.ok(isRunning(identity));
  });
  const { exited, identity } = shell.program();
  assert.deepEqual(await exited, { succeeded: false, how: 'exited with code 3' });
  assert.deepEqual(order, ['recorded, 0 bytes logged']);
  assert.equal(readFileSync(shell.logPath, 'utf8'), 'out\nerr\n');
  assert.equal(isRunning(identity), false);
});

test('a program that could not be recorded never runs', async (t) => {
  let pid = 0;
  const shell = startShell(t, 'touch ran', (identity) => {
    pid = identity.pid;
    throw new Error('disk full');
  });
  assert.throws(shell.program, { message: 'disk full' });
  while (identify(pid) !== undefined) await setTimeout(10);
  assert.equal(existsSync(join(shell.folder, 'ran')), false);
});

test('a process is asked to end first', async (t) => {
  const shell = startShell(t, 'trap "touch asked; exit 0" TERM; touch up; while :; do sleep 0.05; done');
  const { identity, exited } = shell.program();
  await awaitFile(join(shell.folder, 'up'));
  await stopProcess(identity, 5_000);
  assert.ok(existsSync(join(shell.folder, 'asked')));
  assert.equal((await exited).succeeded, true);
});

test('a process that does not listen is killed after its grace', async (t) => {
  const shell = startShell(t, 'trap "" TERM; touch up; while :; do sleep 0.05; done');
  const { identity, exited } = shell.program();
  await awaitFile(join(shell.folder, 'up'));
  await stopProcess(identity, 200);
  assert.equal((await exited).how, 'was ended by SIGKILL');
  await stopProcess(identity, 200); // once more does no harm
});

test('another process with the same pid is left alone', async () => {
  const self = identify(process.pid);
  assert.ok(self !== undefined && isRunning(self));
  const earlier = { ...self, startTime: 'before' };
  assert.equal(isRunning(earlier), false);
  await stopProcess(earlier, 200);
});

test('the start time is read behind a name with parentheses and spaces; a zombie has none', () => {
  const rest = '1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 4711 20 21';
  assert.equal(parseStat(`42 (a) R (b)) S ${rest}`), '4711');
  assert.equal(parseStat(`42 (sh) Z ${rest}`), undefined);
});
