// The clusters that upstream 1.14.1 was asked about: we decide as it does, and end at no higher a price.
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { compareClusters } from './cluster-comparison.ts';
import { CLUSTER_FOLDER, clusterNames, decideCluster, readUpstream } from './cluster-files.ts';
import { compareFolder } from './clusters.ts';

const NAMES = clusterNames(CLUSTER_FOLDER);

/** Carrying out all commands takes a second and more for the largest. */
const WALKED = NAMES.filter((name) => /-(?:10|12|14|16|18|20|22|24)-/.test(name));

test('there are forty clusters, of which many are walked to rest', () => {
  assert.equal(NAMES.length, 40);
  assert.ok(WALKED.length >= 15);
});

for (const name of NAMES) {
  test(`cluster ${name} is disrupted as upstream disrupts it`, async () => {
    const ours = await decideCluster(CLUSTER_FOLDER, name, WALKED.includes(name));
    const comparison = compareClusters(ours, readUpstream(CLUSTER_FOLDER, name));
    assert.ok(comparison.passed, JSON.stringify(comparison));
    assert.notEqual(comparison.isLoopEqual, false);
    const { ends } = comparison;
    if (ends !== undefined) assert.ok(ends.ours <= ends.dearest + 1e-6, JSON.stringify(ends));
  });
}

test('a cluster of another folder that cannot be compared has failed, and the others are compared', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'clusters-'));
  const good = 'mixed-10-1001';
  for (const ending of ['.json.gz', '.upstream.json.gz']) {
    copyFileSync(join(CLUSTER_FOLDER, good + ending), join(folder, good + ending));
  }
  copyFileSync(join(CLUSTER_FOLDER, `${good}.json.gz`), join(folder, 'alone-10-1.json.gz'));
  writeFileSync(join(folder, 'broken-10-2.json'), '{"bad":');
  copyFileSync(join(CLUSTER_FOLDER, `${good}.upstream.json.gz`), join(folder, 'broken-10-2.upstream.json.gz'));
  copyFileSync(join(CLUSTER_FOLDER, `${good}.json.gz`), join(folder, 'empty-10-3.json.gz'));
  writeFileSync(join(folder, 'empty-10-3.upstream.json'), '{}');
  const lines: string[] = [];
  assert.equal(await compareFolder(folder, (line) => lines.push(line)), false);
  assert.equal(lines[0], 'FAILED alone-10-1  there is no alone-10-1.upstream.json');
  assert.match(lines[1]!, /^FAILED broken-10-2 {2}broken-10-2\.json is no cluster file: line 1/);
  assert.match(lines[2]!, /^FAILED empty-10-3 {2}empty-10-3\.upstream\.json has no methods/);
  assert.match(lines[3]!, /^passed mixed-10-1001/);
  assert.equal(lines.at(-1), '1 passed, 3 failed');
});

test('a folder without clusters, or that is not there, fails with a count of none', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'clusters-'));
  mkdirSync(join(folder, 'empty'));
  for (const [name, told] of [
    ['empty', /has no cluster files/],
    ['absent', /cannot be read: ENOENT/],
  ] as const) {
    const lines: string[] = [];
    assert.equal(await compareFolder(join(folder, name), (line) => lines.push(line)), false);
    assert.match(lines[0]!, told);
    assert.equal(lines.at(-1), '0 passed, 0 failed');
  }
});
