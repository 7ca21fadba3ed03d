import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodeClaim } from '@karpenter-ts/apis';
import type { Taint, Toleration } from '@karpenter-ts/kubernetes';
import { describeNode, type NodeParts } from '../nodes/existing-node.ts';
import { makePod, makePool } from '../../testing/builders.ts';
import { failureOf, TestEnvironment } from '../../testing/test-environment.ts';
import { findUntolerated } from './taints.ts';

const TAINT = { key: 'team', value: 'a', effect: 'NoSchedule' } as const;

test('02/53 a pool with a taint serves those who tolerate it by any form', () => {
  const environment = new TestEnvironment({ pools: [makePool('default', { taints: [TAINT] })] });
  const isServed = (...tolerations: readonly Toleration[]) =>
    environment.plan(makePod('a', { tolerations })).unschedulable.length === 0;
  assert.ok(isServed({ key: 'team', operator: 'Equal', value: 'a', effect: 'NoSchedule' }));
  assert.ok(isServed({ key: 'team', operator: 'Exists', effect: 'NoSchedule' }));
  assert.ok(isServed({ key: 'team', operator: 'Exists' }));
  assert.ok(isServed({ operator: 'Exists' }));
  assert.equal(isServed(), false);
  assert.equal(isServed({ key: 'other', operator: 'Exists' }), false);
  assert.equal(isServed({ key: 'team', operator: 'Equal', value: 'b' }), false);
  const pod = makePod('a');
  assert.equal(failureOf(environment.plan(pod), pod), 'did not tolerate taint (taint=team=a:NoSchedule)');
});

test('tolerations compare numbers in canonical form only', () => {
  const tolerates = (operator: string, value: string, taint: string) =>
    findUntolerated([{ key: 'n', value: taint, effect: 'NoSchedule' }], [{ key: 'n', operator, value }]).length === 0;
  assert.ok(tolerates('Lt', '10', '9'));
  assert.ok(tolerates('Gt', '-2', '-1'));
  assert.equal(tolerates('Lt', '10', '10'), false);
  assert.equal(tolerates('Gt', '1', '+2'), false);
  assert.equal(tolerates('Gt', '1', '02'), false);
  assert.equal(tolerates('Gt', '1', '99999999999999999999'), false);
  assert.ok(tolerates('Gt', '0', '9223372036854775807'));
  assert.equal(tolerates('Gt', '0', '9223372036854775808'), false);
  assert.equal(tolerates('Near', '1', '1'), false);
});

test('02/54 a startup taint is no obstacle while the node starts, and one when it comes back', () => {
  const startup = { key: 'starting', effect: 'NoSchedule' } as const;
  const environment = (initialized: boolean) =>
    new TestEnvironment({ nodes: [describeNode(nodeParts([startup], { startup, initialized }))] });
  assert.equal(environment(false).plan(makePod('a')).newNodes.length, 0);
  assert.equal(environment(true).plan(makePod('a')).newNodes.length, 1);
  const pool = makePool('default');
  const { template } = pool.spec;
  const starting = {
    ...pool,
    spec: { ...pool.spec, template: { ...template, spec: { ...template.spec, startupTaints: [startup] } } },
  };
  assert.equal(new TestEnvironment({ pools: [starting] }).plan(makePod('a')).newNodes.length, 1);
});

test('02/55 taints that come with starting are forgiven to managed nodes that are starting, and to no others', () => {
  const passing: readonly Taint[] = [
    { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' },
    { key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' },
    { key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule' },
    { key: 'node.cloudprovider.kubernetes.io/uninitialized', value: 'true', effect: 'NoSchedule' },
    { key: 'karpenter.sh/unregistered', effect: 'NoExecute' },
    { key: 'readiness.k8s.io/x', effect: 'NoSchedule' },
  ];
  const isUsed = (taint: Taint, how: Partial<Start>) =>
    new TestEnvironment({ nodes: [describeNode(nodeParts([taint], how))] }).plan(makePod('a')).newNodes.length === 0;
  for (const taint of passing) {
    assert.ok(isUsed(taint, { initialized: false }), taint.key);
    assert.equal(isUsed(taint, { initialized: true }), false, taint.key);
    assert.equal(isUsed(taint, { managed: false }), false, taint.key);
  }
  assert.equal(isUsed({ key: 'foo/readiness.k8s.io/x', effect: 'NoSchedule' }, { initialized: false }), false);
});

test('rules of topology see the Node as it is, with taints it is about to lose', () => {
  const startup = { key: 'starting', effect: 'NoSchedule' } as const;
  const starting = describeNode(nodeParts([startup], { startup, initialized: false }));
  assert.deepEqual([starting.taints, starting.node?.taints], [[], [startup]]);
  const bare = describeNode({ node: { metadata: { name: 'bare' } } });
  assert.deepEqual([bare.labels, bare.taints, bare.node], [{}, [], { labels: {}, taints: [] }]);
});

test('02/56 a pool one would rather not use comes after one without such a taint, and is used if there is no other', () => {
  const reluctant = makePool('reluctant', { weight: 100, taints: [{ key: 'rather-not', effect: 'PreferNoSchedule' }] });
  assert.equal(
    new TestEnvironment({ pools: [reluctant, makePool('plain')] }).plan(makePod('a')).newNodes[0]!.nodePool,
    'plain',
  );
  const [node] = new TestEnvironment({ pools: [reluctant] }).plan(makePod('a')).newNodes;
  assert.deepEqual(
    node!.pods[0]!.relaxations.map(({ gaveUp }) => gaveUp),
    ['PreferNoSchedule'],
  );
});

test('02/39 what the kubelet of a starting node reports as zero is what its NodeClaim promises', () => {
  const gpu = { 'fake.com/vendor-a': '1' };
  const starting = nodeParts([], { initialized: false });
  const node = describeNode({
    node: { ...starting.node!, status: { allocatable: { ...ROOM, 'fake.com/vendor-a': '0' }, capacity: ROOM } },
    nodeClaim: { ...starting.nodeClaim!, status: { allocatable: { ...ROOM, ...gpu }, capacity: { ...ROOM, ...gpu } } },
  });
  assert.equal(new TestEnvironment({ nodes: [node] }).plan(makePod('a', { requests: gpu })).newNodes.length, 0);
});

test('a node that has not registered is what its NodeClaim says; one without a Node as well', () => {
  const { nodeClaim, node } = nodeParts([], { initialized: false, registered: false });
  const taints = [{ key: 'claimed', effect: 'NoSchedule' as const }];
  const claim = { ...nodeClaim!, spec: { ...nodeClaim!.spec, taints } };
  for (const described of [describeNode({ node, nodeClaim: claim }), describeNode({ nodeClaim: claim })]) {
    assert.equal(described.name, 'claim');
    assert.deepEqual(described.taints, taints);
    assert.deepEqual(described.labels, { from: 'claim' });
  }
});

interface Start {
  readonly managed: boolean;
  readonly registered: boolean;
  readonly initialized: boolean;
  readonly startup: Taint;
}

const ROOM = { cpu: '4', memory: '4Gi', pods: '10' };

function nodeParts(taints: readonly Taint[], how: Partial<Start> = {}): NodeParts {
  const { managed = true, registered = true, initialized = true, startup } = how;
  const labels = {
    'kubernetes.io/hostname': 'node',
    ...(registered && { 'karpenter.sh/registered': 'true' }),
    ...(initialized && { 'karpenter.sh/initialized': 'true' }),
  };
  const nodeClaim: NodeClaim = {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name: 'claim', labels: { from: 'claim' } },
    spec: {
      nodeClassRef: { group: 'karpenter.kwok.sh', kind: 'KWOKNodeClass', name: 'default' },
      requirements: [],
      expireAfter: 'Never',
      ...(startup && { startupTaints: [startup as { key: string; effect: 'NoSchedule' }] }),
    },
    status: { capacity: ROOM, allocatable: ROOM },
  };
  return {
    node: { metadata: { name: 'node', labels }, spec: { taints }, status: { capacity: ROOM, allocatable: ROOM } },
    ...(managed && { nodeClaim }),
  };
}
