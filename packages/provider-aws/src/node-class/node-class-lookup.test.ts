import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EC2NodeClass, NodePool } from '@karpenter-ts/apis';
import { makeNodeClaim } from '@karpenter-ts/cloudprovider/testing';
import type { EventDraft } from '@karpenter-ts/runtime';
import { NodeClassLookup, NodeClassNotFoundError } from './node-class-lookup.ts';

const present: EC2NodeClass = {
  apiVersion: 'karpenter.k8s.aws/v1',
  kind: 'EC2NodeClass',
  metadata: { name: 'present', uid: 'uid-present' },
};
const terminating: EC2NodeClass = {
  ...present,
  metadata: { name: 'terminating', deletionTimestamp: '2026-01-02T03:04:05Z' },
};

function environment() {
  const published: EventDraft[] = [];
  const known = new Map([present, terminating].map((one) => [one.metadata.name, one]));
  const lookup = new NodeClassLookup({ cache: known, events: { publish: (...drafts) => published.push(...drafts) } });
  return { lookup, published };
}

const claimOf = (name: string) =>
  makeNodeClaim('claim', { nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name } } as object);
const poolOf = (name: string) =>
  ({
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name: 'default', uid: 'uid-pool' },
    spec: { template: { spec: { nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name } } } },
  }) as unknown as NodePool;

test('a NodeClass is found for its NodeClaim and its NodePool', () => {
  const { lookup, published } = environment();
  assert.equal(lookup.find('present'), present);
  assert.equal(lookup.ofNodeClaim(claimOf('present')), present);
  assert.equal(lookup.ofNodePool(poolOf('present')), present);
  assert.equal(published.length, 0);
});

for (const [name, text] of [
  ['absent', 'EC2NodeClass.karpenter.k8s.aws "absent" not found'],
  ['terminating', 'ec2nodeclasses.karpenter.k8s.aws "terminating" is terminating, treating as not found'],
] as const) {
  test(`a NodeClass that is ${name} is not found, and the NodeClaim or the NodePool is told so`, () => {
    const { lookup, published } = environment();
    assert.equal(lookup.find(name), undefined);
    assert.equal(published.length, 0);
    assert.throws(() => lookup.ofNodeClaim(claimOf(name)), new NodeClassNotFoundError(text));
    assert.equal(lookup.ofNodePool(poolOf(name)), undefined);
    assert.deepEqual(
      published.map(({ on, type, reason, message }) => [on.kind, on.name, type, reason, message]),
      [
        ['NodeClaim', 'claim', 'Warning', '', 'Failed resolving NodeClass'],
        ['NodePool', 'default', 'Warning', '', 'Failed resolving NodeClass'],
      ],
    );
  });
}
