import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nodePoolHash } from '@karpenter-ts/apis';
import { FakeCloudProvider } from '@karpenter-ts/cloudprovider/testing';
import { makeNodePool } from '../testing/objects.ts';
import { nodeClaimFromTemplate } from './nodeclaim-template.ts';

test('a NodeClaim from a template leaves the instance type open and says nothing about a plan', () => {
  const nodePool = makeNodePool('fixed', {
    templateMetadata: { labels: { team: 'blue' }, annotations: { note: 'mine' } },
    template: {
      requirements: [
        { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['spot', 'on-demand'], minValues: 2 },
        { key: 'rack', operator: 'In', values: ['b', 'a'] },
      ],
      startupTaints: [{ key: 'a', effect: 'NoSchedule' }],
    },
  });
  const provider = new FakeCloudProvider();
  const { metadata, spec } = nodeClaimFromTemplate(nodePool, { provider, random: () => 0.25 });
  assert.equal(metadata.generateName, 'fixed-');
  assert.deepEqual(metadata.labels, {
    team: 'blue',
    rack: 'a',
    'karpenter.sh/nodepool': 'fixed',
    'karpenter.kwok.sh/kwoknodeclass': 'default',
  });
  assert.deepEqual(metadata.annotations, {
    note: 'mine',
    'karpenter.sh/nodepool-hash': nodePoolHash(nodePool),
    'karpenter.sh/nodepool-hash-version': 'v3',
  });
  assert.deepEqual(
    metadata.ownerReferences?.map(({ kind, name }) => [kind, name]),
    [['NodePool', 'fixed']],
  );
  assert.deepEqual(spec.requirements, [
    { key: 'karpenter.kwok.sh/kwoknodeclass', operator: 'In', values: ['default'] },
    { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand', 'spot'], minValues: 2 },
    { key: 'karpenter.sh/nodepool', operator: 'In', values: ['fixed'] },
    { key: 'rack', operator: 'In', values: ['a', 'b'] },
    { key: 'team', operator: 'In', values: ['blue'] },
  ]);
  assert.equal(spec.resources, undefined);
  assert.deepEqual(spec.startupTaints, [{ key: 'a', effect: 'NoSchedule' }]);
});
