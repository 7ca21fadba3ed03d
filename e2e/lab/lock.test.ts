import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { withLock } from './lock.ts';

function lockPath(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'lab-lock-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return join(folder, 'made', 'on', 'demand');
}

test('two holders never work at the same time, and the second is told that it waits', async (t) => {
  const path = lockPath(t);
  const events: string[] = [];
  const work = (name: string) => async () => {
    events.push(`${name} in`);
    await setTimeout(150);
    events.push(`${name} out`);
  };
  const first = withLock(path, work('first'));
  const second = withLock(path, work('second'), { onWait: () => events.push('second waits') });
  await Promise.all([first, second]);
  assert.deepEqual(events, ['first in', 'second waits', 'first out', 'second in', 'second out']);
});

test('failing work gives the lock back', async (t) => {
  const path = lockPath(t);
  await assert.rejects(
    withLock(path, () => Promise.reject(new Error('no'))),
    { message: 'no' },
  );
  assert.equal(await withLock(path, () => Promise.resolve('yes')), 'yes');
});

test('who waits can be called off', async (t) => {
  const path = lockPath(t);
  await withLock(path, async () => {
    const signal = AbortSignal.timeout(50);
    await assert.rejects(
      withLock(path, () => Promise.resolve(), { signal }),
      { name: 'AbortError' },
    );
  });
});

test('the lock of a process that was killed is free at once', async (t) => {
  const path = lockPath(t);
  const script = `import { withLock } from ${JSON.stringify(join(import.meta.dirname, 'lock.ts'))};
    await withLock(${JSON.stringify(path)}, async () => {
      console.log('locked');
      await new Promise((resolve) => setTimeout(resolve, 60_000));
    });`;
  const holder = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(holder.stdout, 'data');
  await assert.rejects(withLock(path, () => Promise.resolve(), { signal: AbortSignal.timeout(50) }));
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  let waited = false;
  await withLock(path, () => Promise.resolve(), { onWait: () => (waited = true) });
  assert.equal(waited, false);
});
