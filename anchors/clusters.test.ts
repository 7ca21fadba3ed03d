// The clusters that upstream 1.14.1 was asked about: we decide as it does, and end at no higher a price.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareClusters } from './cluster-comparison.ts';
import { CLUSTER_FOLDER, clusterNames, decideCluster, readUpstream } from './cluster-files.ts';

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
