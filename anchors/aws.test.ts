// Upstream's own answers about AWS: ours are equal in every field.
import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { AWS_FOLDER, compareAnswers, compareLine, fileNames, loadComparer, readLines } from './aws.ts';

test('every comparer has a file of recorded answers', () => {
  const modules = readdirSync(AWS_FOLDER).filter((file) => file.endsWith('.ts') && file !== 'comparison.ts');
  for (const module of modules) {
    const name = module.slice(0, -'.ts'.length);
    assert.ok(fileNames(AWS_FOLDER).includes(name) || name.includes('-comparison'), `${module} has no ${name}.jsonl`);
  }
});

for (const name of fileNames(AWS_FOLDER)) {
  test(`what upstream answered to the lines of ${name} is what we answer`, async () => {
    const comparer = await loadComparer(name);
    const lines = readLines(AWS_FOLDER, name);
    assert.equal(lines.length, comparer.lines);
    for (const line of lines) assert.deepEqual(await compareLine(comparer, line), [], line.id);
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
  assert.equal(printed[0], 'FAILED constructor  there is no comparer anchors/aws/constructor.ts');
  assert.match(printed[1]!, /^FAILED instance-types {2}/);
  assert.match(
    printed[2]!,
    /^FAILED nodeclass-hash wrong {2}hash: ours "\d+", upstream "1"; amiFamily: .*; and 1 more$/,
  );
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
