import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  CAPACITY_TYPE_LABEL,
  HOSTNAME_LABEL,
  INSTANCE_TYPE_LABEL,
  type NodeClaim,
  type RequirementSpec,
  ZONE_LABEL,
} from '@karpenter-ts/apis';
import type { ResourceList } from '@karpenter-ts/kubernetes';
import { findCause } from '@karpenter-ts/runtime';
import { InsufficientCapacityError } from '@karpenter-ts/cloudprovider';
import { makeOffering } from '@karpenter-ts/scheduling/testing';
import { type Catalogue, loadCatalogue, toCatalogue } from './catalogue/catalogue.ts';
import { toInstanceType } from './catalogue/type-description.ts';
import { nodeFor } from './node.ts';

const KWOK = loadCatalogue({ instanceTypesFilePath: '', catalogue: 'kwok' });
const isOneOf = (key: string, ...values: readonly string[]): RequirementSpec => ({ key, operator: 'In', values });

interface Asked {
  readonly requirements: readonly RequirementSpec[];
  readonly requests?: ResourceList;
  readonly catalogue?: Catalogue;
  readonly uid?: string;
}

function makeNode({ requirements, requests, catalogue = KWOK, uid = 'u1' }: Asked) {
  const claim: NodeClaim = {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name: 'default-x7k2p', uid, labels: { team: 'x' }, annotations: { note: 'y' } },
    spec: {
      nodeClassRef: { group: 'karpenter.kwok.sh', kind: 'KWOKNodeClass', name: 'default' },
      requirements: requirements as NodeClaim['spec']['requirements'],
      expireAfter: 'Never',
      ...(requests && { resources: { requests } }),
    },
  };
  const node = nodeFor(claim, catalogue);
  return { node, labels: node.metadata.labels ?? {} };
}

test('03/112 of three types the cheapest that can be had is taken, and the Node says which, where and at what price', () => {
  const { labels } = makeNode({
    requirements: [
      isOneOf(INSTANCE_TYPE_LABEL, 'm-4x-amd64-linux', 'c-2x-amd64-linux', 's-2x-amd64-linux'),
      isOneOf(ZONE_LABEL, 'test-zone-b', 'test-zone-c'),
      isOneOf('example.com/tier', 'gold'),
    ],
  });
  assert.ok(['test-zone-b', 'test-zone-c'].includes(labels[ZONE_LABEL]!));
  assert.deepEqual(
    { ...labels, [ZONE_LABEL]: '' },
    {
      team: 'x',
      'example.com/tier': 'gold',
      [INSTANCE_TYPE_LABEL]: 'c-2x-amd64-linux',
      'kubernetes.io/arch': 'amd64',
      'kubernetes.io/os': 'linux',
      [ZONE_LABEL]: '',
      [CAPACITY_TYPE_LABEL]: 'spot',
      'karpenter.kwok.sh/instance-size': '2',
      'karpenter.kwok.sh/instance-family': 'c',
      'karpenter.kwok.sh/instance-cpu': '2',
      'karpenter.kwok.sh/instance-memory': '4Gi',
      'eks-node-viewer/instance-price': '0.038006',
      'kwok-partition': 'a',
      'kwok.x-k8s.io/node': 'fake',
      [HOSTNAME_LABEL]: 'default-x7k2p',
    },
  );
});

test('a last resort is taken where nothing else can be had, or with minValues', () => {
  const catalogue = toCatalogue(
    [
      { name: 'metal', cpu: '8', price: 0.1, lastResort: true },
      { name: 'small', cpu: '4', price: 0.2 },
      { name: 'large', cpu: '8', price: 0.4 },
    ].map(({ name, cpu, price, lastResort }) =>
      toInstanceType({
        name,
        architecture: 'amd64',
        operatingSystems: ['linux'],
        resources: { cpu, memory: '8Gi' },
        offerings: [makeOffering('test-zone-a', 'on-demand', price)],
        lastResort,
      }),
    ),
  );
  const typeFor = (names: readonly string[], cpu: string, minValues?: number) => {
    const named = { ...isOneOf(INSTANCE_TYPE_LABEL, ...names), ...(minValues && { minValues }) };
    const { labels } = makeNode({ requirements: [named], requests: { cpu }, catalogue });
    return labels[INSTANCE_TYPE_LABEL];
  };
  const all = ['metal', 'small', 'large'];
  assert.equal(typeFor(all, '1'), 'small');
  assert.equal(typeFor(all, '6'), 'large');
  assert.equal(typeFor(['metal', 'small'], '6'), 'metal');
  assert.equal(typeFor(all, '1', 2), 'metal');
});

test("a Node is named after its claim in upstream's form and carries nothing but the unregistered taint", () => {
  const { node } = makeNode({ requirements: [isOneOf(INSTANCE_TYPE_LABEL, 'c-2x-amd64-linux')] });
  assert.match(node.metadata.name, /^kwok-default-x7k2p-[a-z]+-\d+-[a-z0-9]{10}-\d+$/);
  assert.deepEqual(node.spec, {
    providerID: `kwok://${node.metadata.name}`,
    taints: [{ key: 'karpenter.sh/unregistered', effect: 'NoExecute' }],
  });
  assert.deepEqual(node.metadata.annotations, { note: 'y', 'kwok.x-k8s.io/node': 'fake' });
});

test('capacity is what was requested; allocatable is that, overlaid by what the type leaves', () => {
  const { node } = makeNode({
    requirements: [isOneOf(INSTANCE_TYPE_LABEL, 'c-2x-amd64-linux')],
    requests: { cpu: '1500m', 'example.com/gpu': '1' },
  });
  assert.deepEqual(node.status, {
    capacity: { cpu: '1500m', 'example.com/gpu': '1' },
    allocatable: {
      cpu: '1900m',
      memory: '4086Mi',
      pods: '32',
      'ephemeral-storage': '20Gi',
      'example.com/gpu': '1',
    },
    phase: 'Pending',
  });
});

test('the same claim always gets the same instance, other claims are spread over the zones', () => {
  const requirements = [isOneOf(INSTANCE_TYPE_LABEL, 'c-2x-amd64-linux')];
  assert.deepEqual(makeNode({ requirements }), makeNode({ requirements }));
  const made = Array.from({ length: 200 }, (_, index) => makeNode({ requirements, uid: `uid-${index}` }));
  const zones = Map.groupBy(made, ({ labels }) => labels[ZONE_LABEL] ?? '');
  assert.deepEqual([...zones.keys()].sort(), ['test-zone-a', 'test-zone-b', 'test-zone-c', 'test-zone-d']);
  for (const [zone, nodes] of zones) assert.ok(nodes.length > 30, `${nodes.length} of 200 in ${zone}`);
  assert.equal(new Set(made.map(({ node }) => node.metadata.name)).size, 200);
});

test('a claim that names no type, or an unknown one, cannot be translated', () => {
  assert.throws(() => makeNode({ requirements: [] }), { message: 'instance type requirement not found' });
  assert.throws(() => makeNode({ requirements: [isOneOf(INSTANCE_TYPE_LABEL, 'c-2x-amd64-linux', 'nope')] }), {
    message: 'instance type not found (instance-type=nope)',
  });
});

test('a type without a compatible offering is passed over, and when none is left that is insufficient capacity', () => {
  const only = (zone: string, name: string, price: number) =>
    toInstanceType({
      name,
      architecture: 'amd64',
      operatingSystems: ['linux'],
      resources: { cpu: '2', memory: '4Gi' },
      offerings: [makeOffering(zone, 'on-demand', price)],
    });
  const catalogue = toCatalogue([only('a', 'cheap', 0.1), only('b', 'dear', 9)]);
  const types = isOneOf(INSTANCE_TYPE_LABEL, 'cheap', 'dear');
  const { labels } = makeNode({ catalogue, requirements: [types, isOneOf(ZONE_LABEL, 'b')] });
  assert.equal(labels[INSTANCE_TYPE_LABEL], 'dear');
  assert.throws(
    () => makeNode({ catalogue, requirements: [types, isOneOf(ZONE_LABEL, 'c')] }),
    (error) => findCause(error, InsufficientCapacityError) !== undefined,
  );
});

test('an instance type requirement may have any operator', () => {
  const { labels } = makeNode({
    requirements: [
      { key: INSTANCE_TYPE_LABEL, operator: 'NotIn', values: ['c-1x-amd64-linux', 'c-1x-arm64-linux'] },
      isOneOf('kubernetes.io/os', 'linux'),
    ],
  });
  assert.equal(labels[INSTANCE_TYPE_LABEL], 's-1x-amd64-linux');
});

test('a type that can hold the requests goes before a cheaper one, and is not needed', () => {
  const requirements = [isOneOf(INSTANCE_TYPE_LABEL, 'c-1x-amd64-linux', 'c-8x-amd64-linux')];
  const typeFor = (requests: ResourceList) => makeNode({ requirements, requests }).labels[INSTANCE_TYPE_LABEL];
  assert.equal(typeFor({ cpu: '4' }), 'c-8x-amd64-linux');
  assert.equal(typeFor({ cpu: '400' }), 'c-1x-amd64-linux');
  assert.equal(typeFor({ 'example.com/gpu': '1' }), 'c-1x-amd64-linux');
});

test('where a name stands for two systems, the type is that of the system asked for', () => {
  const make = (os: string) =>
    toInstanceType({
      name: 'twin',
      architecture: 'amd64',
      operatingSystems: [os],
      resources: { cpu: '2', memory: '4Gi' },
      offerings: [makeOffering('a', 'spot', 1)],
    });
  const { labels } = makeNode({
    catalogue: toCatalogue([make('windows'), make('linux')]),
    requirements: [isOneOf(INSTANCE_TYPE_LABEL, 'twin'), isOneOf('kubernetes.io/os', 'linux')],
  });
  assert.equal(labels['kubernetes.io/os'], 'linux');
});
