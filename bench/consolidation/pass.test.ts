import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cacheCluster } from './cached-cluster.ts';
import { CLUSTERS } from './clusters.ts';
import { messyCluster } from './messy-cluster.ts';
import { newTypeIndexes, Passes } from './pass.ts';

for (const [name, build] of Object.entries(CLUSTERS)) {
  test(`a scan of the cluster ${name} looks at every candidate, and a second one finds the same`, async () => {
    const cached = cacheCluster(build(50));
    const passes = new Passes(cached, newTypeIndexes(cached));
    const { candidates, removable, replaceable, failed } = await passes.scan();
    assert.ok(candidates > 20);
    assert.equal(failed, 0);
    const second = await passes.scan();
    assert.deepEqual([second.removable, second.replaceable], [removable, replaceable]);
  });
}

test('the messy cluster is the same each time, with volumes, budgets, daemons and more than one pool', () => {
  const cluster = messyCluster(40);
  assert.deepEqual(messyCluster(40), cluster);
  for (const objects of [cluster.persistentVolumes, cluster.podDisruptionBudgets, cluster.daemonSets]) {
    assert.ok(objects.length > 0);
  }
  assert.equal(new Set(cluster.nodes.map(({ metadata }) => metadata.labels?.['karpenter.sh/nodepool'])).size, 5);
});
