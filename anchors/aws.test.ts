// Upstream's own answers about AWS: ours are equal in every field.
import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { AWS_FOLDER, compareAnswers, compareLine, fileNames, RUNNERS, readLines } from './aws.ts';

/** How many lines each file has, so that a file that was cut off does not pass. */
const LINES: Readonly<Record<string, number>> = { 'instance-types': 667, 'nodeclass-hash': 80 };

test('every file of recorded answers has a runner, and every runner a file', () => {
  assert.deepEqual(fileNames(AWS_FOLDER), Object.keys(RUNNERS).sort());
  assert.deepEqual(Object.keys(LINES).sort(), Object.keys(RUNNERS).sort());
});

for (const name of fileNames(AWS_FOLDER)) {
  test(`what upstream answered to the lines of ${name} is what we answer`, async () => {
    const runner = await RUNNERS[name]!();
    const lines = readLines(AWS_FOLDER, name);
    assert.equal(lines.length, LINES[name]);
    for (const line of lines) assert.deepEqual(await compareLine(runner, line), [], line.id);
  });
}

test('another folder is compared, and what differs, is unknown or cannot be read has failed', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'aws-answers-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const [line] = readLines(AWS_FOLDER, 'nodeclass-hash');
  const wrong = { ...line, id: 'wrong', want: { hash: '1', amiFamily: 'AL2', other: true } };
  const broken = { id: 'broken', input: null, want: {} };
  writeFileSync(
    join(folder, 'nodeclass-hash.jsonl'),
    [line, wrong, broken].map((one) => JSON.stringify(one)).join('\n'),
  );
  writeFileSync(join(folder, 'constructor.jsonl'), '');
  writeFileSync(join(folder, 'instance-types.jsonl'), '{"id":');
  const printed: string[] = [];
  assert.equal(await compareAnswers(folder, (text) => printed.push(text)), false);
  assert.match(printed[0]!, /^FAILED constructor {2}no runner is called constructor: there are instance-types, /);
  assert.match(printed[1]!, /^FAILED instance-types {2}/);
  assert.match(printed[2]!, /^FAILED nodeclass-hash wrong {2}hash: ours "\d+", upstream "1"; amiFamily: .*; and 1 more$/);
  assert.match(printed[3]!, /^FAILED nodeclass-hash broken {2}TypeError: /);
  assert.equal(printed.at(-1), '1 passed, 4 failed');
});

test('a folder of equal answers passes, and one without any has failed', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'aws-answers-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const printed: string[] = [];
  assert.equal(await compareAnswers(folder, (text) => printed.push(text)), false);
  assert.deepEqual(printed, [`${folder} has no files of recorded answers: NAME.jsonl`, '0 passed, 0 failed']);
  copyFileSync(join(AWS_FOLDER, 'nodeclass-hash.jsonl'), join(folder, 'nodeclass-hash.jsonl'));
  assert.equal(await compareAnswers(folder, (text) => printed.push(text)), true);
  assert.equal(printed.at(-1), '80 passed, 0 failed');
  assert.equal(await compareAnswers(join(folder, 'absent'), (text) => printed.push(text)), false);
});
