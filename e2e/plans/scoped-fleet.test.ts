import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOSTNAME_LABEL } from '@karpenter-ts/apis';
import { finish, planSnapshot, type Snapshot } from '@karpenter-ts/scheduling';
import { checkPlan, randomFleet } from '@karpenter-ts/scheduling/testing';
import { FLEET, scopeSnapshot } from './scoped-fleet.ts';

const FLEETS = Array.from({ length: 30 }, (_, seed) => randomFleet(seed, { portable: true }));

/** All that has a name in the cluster at large. */
function namesIn({ nodes, deletingNodes, namespaces, volumes }: Snapshot): readonly string[] {
  const objects = [...volumes.persistentVolumes, ...volumes.storageClasses].map(({ metadata }) => metadata);
  return [...nodes, ...deletingNodes, ...namespaces, ...objects].map(({ name }) => name);
}

test('two fleets of the same seed share no name, and their pods no node', () => {
  for (const { snapshot, options } of FLEETS) {
    const [one, other] = [scopeSnapshot(snapshot, 'one'), scopeSnapshot(snapshot, 'other')];
    assert.deepEqual(new Set(namesIn(one)).intersection(new Set(namesIn(other))), new Set());
    const abroad = { ...one, pools: other.pools, nodes: other.nodes };
    assert.deepEqual(finish(planSnapshot(abroad, options)).existingNodes, []);
    assert.deepEqual(finish(planSnapshot(abroad, options)).newNodes, []);
  }
});

test('what names a node, a namespace or a volume still names it', () => {
  for (const { snapshot, options } of FLEETS) {
    const scoped = scopeSnapshot(snapshot, 'one');
    const plan = finish(planSnapshot(scoped, options));
    assert.deepEqual(checkPlan(scoped, plan, options), []);
    const unknown = plan.unschedulable.filter(({ failure }) => failure.why === 'VolumeLookup');
    assert.deepEqual(unknown, []);
    const namespaces = new Set(scoped.namespaces.map(({ name }) => name));
    for (const { metadata } of scoped.pods) assert.ok(namespaces.has(metadata.namespace ?? ''));
    for (const { name, labels, pods } of scoped.nodes) {
      assert.deepEqual([labels[HOSTNAME_LABEL], labels[FLEET]], [name, 'one']);
      for (const { spec } of pods) assert.equal(spec.nodeName, name);
    }
  }
});
