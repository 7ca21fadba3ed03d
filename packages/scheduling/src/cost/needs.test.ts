import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ZONE_LABEL } from '@karpenter-ts/apis';
import type { NodeSelectorRequirement } from '@karpenter-ts/kubernetes';
import { makeOffering, makePod, makePool, makeType } from '../testing/builders.ts';
import { CHEAPEST } from '../testing/packing.ts';
import { preferNodes, where } from '../testing/pod-parts.ts';
import { TestEnvironment } from '../testing/test-environment.ts';

/** The pools of the nodes for two pods that upstream puts in `plain`, while `labelled` is cheaper and has a label. */
function poolsFor(...preferences: readonly (readonly NodeSelectorRequirement[])[]): readonly string[] {
  const type = (name: string, cpu: string, price: number) =>
    makeType(name, {
      capacity: { cpu, memory: '64Gi', pods: '9' },
      offerings: [makeOffering('zone-a', 'on-demand', price)],
    });
  const pools = [makePool('plain'), makePool('labelled', { labels: { team: 'a', tier: '7' } })];
  const typesOf = { plain: [type('large', '8', 3), type('small', '4', 0.9)], labelled: [type('small', '4', 0.2)] };
  const affinity = preferNodes(
    [100, where(ZONE_LABEL, 'In', 'zone-a')],
    ...preferences.map((expressions) => [1, ...expressions] as const),
  );
  const pods = ['a', 'b'].map((name) => makePod(name, { requests: { cpu: '3500m' }, affinity }));
  const environment = (packing: typeof CHEAPEST | undefined) =>
    new TestEnvironment({ pools, typesOf, options: { packing } });
  assert.deepEqual(
    [
      ...new Set(
        environment(undefined)
          .plan(...pods)
          .newNodes.map(({ nodePool }) => nodePool),
      ),
    ],
    ['plain'],
  );
  return environment(CHEAPEST)
    .plan(...pods)
    .newNodes.map(({ nodePool }) => nodePool);
}

test('a preference that holds because the node lacks a label keeps holding, whichever place it has among preferences', () => {
  assert.deepEqual(poolsFor(), ['labelled', 'labelled']);
  assert.deepEqual(poolsFor([where('team', 'DoesNotExist')]), ['plain', 'plain']);
  assert.deepEqual(poolsFor([where('team', 'NotIn', 'a', 'b')]), ['plain', 'plain']);
  assert.deepEqual(poolsFor([where('team', 'NotIn', 'b')]), ['labelled', 'labelled']);
  assert.deepEqual(poolsFor([where('team', 'In', 'b')]), ['labelled', 'labelled']);
  assert.deepEqual(poolsFor([where('other', 'DoesNotExist'), where('team', 'DoesNotExist')]), ['plain', 'plain']);
});

test('all that a preference says about one label has to hold', () => {
  assert.deepEqual(poolsFor([where('team', 'NotIn', 'a'), where('team', 'NotIn', 'b')]), ['plain', 'plain']);
});
