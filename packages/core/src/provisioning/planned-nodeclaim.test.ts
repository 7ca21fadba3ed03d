import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type NodePool, nodePoolHash, type RequirementSpec, WINDOWS_BUILD_LABEL, ZONE_LABEL } from '@karpenter-ts/apis';
import { FakeCloudProvider } from '@karpenter-ts/cloudprovider/testing';
import { DEFAULT_PLANNING, EMPTY_SNAPSHOT, finish, type InstanceType, planSnapshot } from '@karpenter-ts/scheduling';
import type { Pod } from '@karpenter-ts/kubernetes';
import { DEFAULT_TYPES, fakeType, makeOffering } from '@karpenter-ts/scheduling/testing';
import { pendingPod } from '../testing/cluster-objects.ts';
import { makeNodePool } from '../testing/objects.ts';
import { toNodeClaim } from './planned-nodeclaim.ts';

interface Case {
  readonly nodePool?: NodePool;
  readonly types?: readonly InstanceType[];
  readonly pods?: readonly Pod[];
  readonly defaultTerminationGracePeriod?: string;
}

/** The NodeClaim of the one node these pods are planned on. */
function nodeClaimFor(parts: Case) {
  const { nodePool = makeNodePool('default'), types = DEFAULT_TYPES, pods = [pendingPod('a')] } = parts;
  const { profile, reservationIdLabel } = new FakeCloudProvider();
  const pool = { nodePool, instanceTypes: types };
  const snapshot = { ...EMPTY_SNAPSHOT, pools: [pool], pods };
  const plan = finish(planSnapshot(snapshot, { ...DEFAULT_PLANNING, profile, reservationIdLabel }));
  assert.equal(plan.newNodes.length, 1);
  const provider = { profile, defaultTerminationGracePeriod: parts.defaultTerminationGracePeriod };
  return toNodeClaim(plan.newNodes[0]!, pool, { provider, random: () => 0.25 });
}

function requiring(...requirements: readonly RequirementSpec[]): NodePool {
  return makeNodePool('default', { template: { requirements: requirements as never } });
}

test('02/123 a label the pool leaves open gets a value that meets it; one that must be absent gets none', () => {
  const { metadata } = nodeClaimFor({
    nodePool: requiring(
      { key: 'one-of', operator: 'In', values: ['b', 'a'] },
      { key: 'not', operator: 'NotIn', values: ['x'] },
      { key: 'any', operator: 'Exists' },
      { key: 'above', operator: 'Gt', values: ['41'] },
      { key: 'below', operator: 'Lt', values: ['8'] },
      { key: 'none', operator: 'DoesNotExist' },
      { key: ZONE_LABEL, operator: 'In', values: ['test-zone-1'] },
    ),
  });
  const { 'one-of': oneOf, not, any, above, below, ...rest } = metadata.labels ?? {};
  assert.equal(oneOf, 'a');
  for (const open of [not, any, above]) assert.match(open ?? '', /^\d+$/);
  assert.ok(BigInt(above!) > 41n);
  assert.equal(below, '2'); // a quarter of the way from 0 to 7
  assert.deepEqual(rest, { 'karpenter.sh/nodepool': 'default', 'karpenter.kwok.sh/kwoknodeclass': 'default' });
});

test('02/191 what the template says of labels and annotations reaches the NodeClaim', () => {
  const templateMetadata = { labels: { 'sub.kubernetes.io/team': 'blue' }, annotations: { note: 'mine' } };
  const nodePool = makeNodePool('default', {
    templateMetadata,
    template: { requirements: [{ key: WINDOWS_BUILD_LABEL, operator: 'NotIn', values: ['1'] }] },
  });
  const { labels, annotations } = nodeClaimFor({ nodePool }).metadata;
  assert.equal(labels?.['sub.kubernetes.io/team'], 'blue');
  assert.equal(labels?.[WINDOWS_BUILD_LABEL], undefined); // well-known: it comes with the instance
  assert.deepEqual(annotations, {
    note: 'mine',
    'karpenter.sh/nodepool-hash': nodePoolHash(nodePool),
    'karpenter.sh/nodepool-hash-version': 'v3',
    'karpenter.sh/nodeclaim-min-values-relaxed': 'false',
    'karpenter-ts.dev/plan': 'upstream',
  });
});

test('02/124 a NodeClaim asks for all that was planned with: types, pool, class, pods and ways to buy', () => {
  const pods = [
    pendingPod('a', { requests: { cpu: '1', memory: '1Gi' }, nodeSelector: { [ZONE_LABEL]: 'test-zone-3' } }),
  ];
  const nodePool = requiring({ key: 'team', operator: 'In', values: ['blue'] });
  const uid = 'uid-of-pool';
  const nodeClaim = nodeClaimFor({ nodePool: { ...nodePool, metadata: { ...nodePool.metadata, uid } }, pods });
  assert.deepEqual(nodeClaim.spec.requirements, [
    { key: 'karpenter.kwok.sh/kwoknodeclass', operator: 'In', values: ['default'] },
    { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] }, // zone 3 has no other
    { key: 'karpenter.sh/nodepool', operator: 'In', values: ['default'] },
    { key: 'node.kubernetes.io/instance-type', operator: 'In', values: DEFAULT_TYPES.map(({ name }) => name).sort() },
    { key: 'team', operator: 'In', values: ['blue'] },
    { key: ZONE_LABEL, operator: 'In', values: ['test-zone-3'] },
  ]);
  assert.deepEqual(nodeClaim.spec.resources, { requests: { cpu: '1', memory: '1Gi', pods: '1' } });
  assert.deepEqual(nodeClaim.spec.nodeClassRef, nodePool.spec.template.spec.nodeClassRef);
  assert.deepEqual(nodeClaim.metadata.ownerReferences, [
    { apiVersion: 'karpenter.sh/v1', kind: 'NodePool', name: 'default', uid, blockOwnerDeletion: true },
  ]);
  assert.equal(nodeClaim.metadata.generateName, 'default-');
});

test('02/124 architecture and devices shrink the list of types', () => {
  const listed = (pod: Pod) =>
    nodeClaimFor({ pods: [pod] }).spec.requirements.find(({ key }) => key === 'node.kubernetes.io/instance-type')
      ?.values;
  assert.deepEqual(listed(pendingPod('a', { nodeSelector: { 'kubernetes.io/arch': 'arm64' } })), ['arm-instance-type']);
  assert.deepEqual(listed(pendingPod('a', { requests: { 'fake.com/vendor-b': '1' } })), ['gpu-vendor-b-instance-type']);
});

test('settings of the template are those of the NodeClaim', () => {
  const template = {
    taints: [{ key: 'a', effect: 'NoSchedule' }],
    startupTaints: [{ key: 'b', effect: 'NoExecute' }],
    expireAfter: '720h',
  } as const;
  const tolerations = [{ key: 'a', operator: 'Exists' }];
  const { spec } = nodeClaimFor({
    nodePool: makeNodePool('default', { template }),
    pods: [pendingPod('p', { tolerations })],
  });
  assert.deepEqual({ taints: spec.taints, startupTaints: spec.startupTaints, expireAfter: spec.expireAfter }, template);
});

test('02/125 the pool’s grace period wins over the provider’s, and without either there is none', () => {
  const patient = makeNodePool('default', { template: { terminationGracePeriod: '1h' } });
  const grace = (parts: Case) => nodeClaimFor(parts).spec.terminationGracePeriod;
  assert.equal(grace({ nodePool: patient, defaultTerminationGracePeriod: '5m' }), '1h');
  assert.equal(grace({ defaultTerminationGracePeriod: '5m' }), '5m');
  assert.equal('terminationGracePeriod' in nodeClaimFor({}).spec, false);
});

test('a NodeClaim says whether an overlay has changed price or capacity of a type it lists', () => {
  const annotationsFor = (...types: readonly InstanceType[]) => {
    const { annotations = {} } = nodeClaimFor({ types }).metadata;
    return [annotations['karpenter.sh/price-overlay-applied'], annotations['karpenter.sh/capacity-overlay-applied']];
  };
  const offerings = [makeOffering('test-zone-1', 'spot', 1, { priceOverlaid: true })];
  assert.deepEqual(annotationsFor(fakeType('plain')), [undefined, undefined]);
  assert.deepEqual(annotationsFor(fakeType('priced', { offerings })), ['true', undefined]);
  assert.deepEqual(annotationsFor({ ...fakeType('sized'), capacityOverlaid: true }), [undefined, 'true']);
  const unlisted = { ...fakeType('tiny', { resources: { pods: '0' } }), capacityOverlaid: true };
  assert.deepEqual(annotationsFor(fakeType('plain'), unlisted), [undefined, undefined]);
});

test('capacity types no listed type can be had as are not asked for', () => {
  const types = [
    fakeType('a', { offerings: [makeOffering('test-zone-1', 'spot', 1)] }),
    fakeType('b', { offerings: [makeOffering('test-zone-1', 'on-demand', 2, { available: false })] }),
  ];
  const asked = nodeClaimFor({ types }).spec.requirements.find(({ key }) => key === 'karpenter.sh/capacity-type');
  assert.deepEqual(asked?.values, ['spot']);
});
