import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { HOUR, SECOND } from '../clock.ts';
import { AdjustableClock } from '../testing/adjustable-clock.ts';
import { TokenFile } from './credentials.ts';

async function tokenFile(t: TestContext, fallback?: string) {
  const folder = await mkdtemp(join(tmpdir(), 'token-'));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, 'token');
  const clock = new AdjustableClock();
  const stale: string[] = [];
  const source = new TokenFile({ file, fallback, clock, onStale: (error) => stale.push(error.message) });
  const header = async () => (await source.current()).authorization;
  return { file, clock, source, header, stale };
}

test('a token file is read again after a minute', async (t) => {
  const { file, clock, header } = await tokenFile(t);
  await writeFile(file, 'one\n');
  assert.equal(await header(), 'Bearer one');
  await writeFile(file, 'two');
  await clock.advance(59 * SECOND);
  assert.equal(await header(), 'Bearer one');
  await clock.advance(1 * SECOND);
  assert.equal(await header(), 'Bearer two');
});

test('a token file is read again after a minute, though the wall clock is set back meanwhile', async (t) => {
  const { file, clock, header } = await tokenFile(t);
  await writeFile(file, 'one\n');
  assert.equal(await header(), 'Bearer one');
  await writeFile(file, 'two');
  clock.setWallBy(-1 * HOUR);
  await clock.advance(60 * SECOND);
  assert.equal(await header(), 'Bearer two');
});

test('a refused token is read again at once, and is the same object if the file is', async (t) => {
  const { file, source, header } = await tokenFile(t);
  await writeFile(file, 'one');
  const first = await source.current();
  source.refuse(first);
  assert.equal(await source.current(), first);
  await writeFile(file, 'two');
  source.refuse(first);
  assert.equal(await header(), 'Bearer two');
});

test('a file that cannot be read leaves the last token in use, or the fallback, or fails', async (t) => {
  const { file, clock, header, stale } = await tokenFile(t);
  await assert.rejects(header(), (error: Error) => error.message.startsWith(`failed to read token file "${file}": `));
  await writeFile(file, 'one');
  assert.equal(await header(), 'Bearer one');
  await writeFile(file, ' \n');
  await clock.advance(60 * SECOND);
  assert.equal(await header(), 'Bearer one');
  await writeFile(file, 'two\nthree');
  await clock.advance(60 * SECOND);
  assert.equal(await header(), 'Bearer one');
  assert.deepEqual(stale, [
    `read empty token from file "${file}"`,
    `the token in file "${file}" holds characters that no header may`,
  ]);
  const other = await tokenFile(t, 'spare');
  assert.equal(await other.header(), 'Bearer spare');
});
