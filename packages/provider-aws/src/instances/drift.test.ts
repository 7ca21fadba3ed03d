import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Instance as Ec2Instance } from '@aws-sdk/client-ec2';
import { AWS_LABELS, type EC2NodeClass, INSTANCE_TYPE_LABEL, type NodeClaim, type NodePool } from '@karpenter-ts/apis';
import { NodeClaimNotFoundError } from '@karpenter-ts/cloudprovider';
import { makeNodeClaim } from '@karpenter-ts/cloudprovider/testing';
import { type EventDraft, findCause } from '@karpenter-ts/runtime';
import { NEVER } from '@karpenter-ts/runtime/testing';
import type { InstanceType } from '@karpenter-ts/scheduling';
import { NodeClassLookup } from '../node-class/node-class-lookup.ts';
import type { PlacementGroup } from '../placement/placement-group.ts';
import { findDrift } from './drift.ts';
import { described, fakeInstances } from './testing/fake-instances.ts';

const HASH = 'karpenter.k8s.aws/ec2nodeclass-hash';
const VERSION = 'karpenter.k8s.aws/ec2nodeclass-hash-version';
const HASHED = { [HASH]: '1', [VERSION]: 'v5' };
const ARM = { key: 'kubernetes.io/arch', operator: 'In', values: ['arm64'] } as const;
const AMD = { ...ARM, values: ['amd64'] } as const;
const TYPE = { name: 'm5.large', requirements: [AMD], offerings: [], capacity: {}, overhead: {} } as InstanceType;
const STATUS: NonNullable<EC2NodeClass['status']> = {
  amis: [
    { id: 'ami-arm', requirements: [{ ...ARM, values: ['arm64'] }] },
    { id: 'ami-1', requirements: [{ ...AMD, values: ['amd64'] }] },
  ],
  securityGroups: [{ id: 'sg-1' }],
  subnets: [{ id: 'subnet-1', zone: 'us-west-2a' }],
  conditions: [
    {
      type: 'CapacityReservationsReady',
      status: 'True',
      reason: 'CapacityReservationsReady',
      message: '',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    },
  ],
};
const RESERVED: Ec2Instance = {
  CapacityReservationId: 'cr-1',
  CapacityReservationSpecification: { CapacityReservationPreference: 'capacity-reservations-only' },
};
type StatusReservation = NonNullable<NonNullable<EC2NodeClass['status']>['capacityReservations']>[number];
const reservation = (id: string) => ({ id }) as StatusReservation;
const GROUP: PlacementGroup = { id: 'pg-1', name: 'racks', strategy: 'cluster' };

interface Situation {
  readonly instance?: Ec2Instance;
  readonly status?: Partial<NonNullable<EC2NodeClass['status']>>;
  readonly nodeClassAnnotations?: Readonly<Record<string, string>>;
  readonly nodeClaim?: Partial<NodeClaim['metadata']> & { readonly status?: NodeClaim['status'] };
  readonly group?: PlacementGroup | Error;
  readonly types?: readonly InstanceType[] | Error;
  /** What is in the caches. */
  readonly nodePools?: readonly string[];
  readonly nodeClasses?: readonly string[];
}

/** A NodeClaim that has not drifted, but for what the situation says. */
function situation(parts: Situation = {}) {
  const { fake, instances } = fakeInstances([described('i-1', parts.instance)]);
  const nodeClass = {
    metadata: { name: 'default', annotations: parts.nodeClassAnnotations ?? HASHED },
    status: { ...STATUS, ...parts.status },
  } as unknown as EC2NodeClass;
  const nodePool = {
    metadata: { name: 'default' },
    spec: { template: { spec: { nodeClassRef: { name: 'default' } } } },
  };
  const published: EventDraft[] = [];
  const isThere = (names: readonly string[] | undefined, name: string) => (names ?? ['default']).includes(name);
  const deps = {
    instances,
    nodePools: {
      get: (name: string) => (isThere(parts.nodePools, name) ? (nodePool as unknown as NodePool) : undefined),
    },
    nodeClasses: new NodeClassLookup({
      cache: { get: (name) => (isThere(parts.nodeClasses, name) ? nodeClass : undefined) },
      events: { publish: (...drafts) => published.push(...drafts) },
    }),
    instanceTypes: { listInTurns: async () => orThrow(parts.types ?? [TYPE]) },
    placementGroups: { resolve: async () => orThrow(parts.group) },
  };
  const { status, ...metadata } = parts.nodeClaim ?? {};
  const labels = { 'karpenter.sh/nodepool': 'default', [INSTANCE_TYPE_LABEL]: 'm5.large' };
  const claim = makeNodeClaim('claim', { labels, annotations: HASHED });
  const nodeClaim: NodeClaim = {
    ...claim,
    metadata: { ...claim.metadata, ...metadata },
    status: status ?? { providerID: 'aws:///us-west-2a/i-1', imageID: 'ami-1' },
  };
  return { fake, published, instances, find: () => findDrift(nodeClaim, deps, NEVER) };
}

function orThrow<T>(value: T | Error): T {
  if (value instanceof Error) throw value;
  return value;
}

const drift = (parts: Situation) => situation(parts).find();

test('an instance that is as its NodeClass asks has not drifted', async () => {
  assert.equal(await drift({}), undefined);
});

test('07/98, 08/86 of several causes the hash of the NodeClass comes first, then image, security groups and subnet', async () => {
  const subnet: Situation = { instance: { SubnetId: 'subnet-9', SecurityGroups: [{ GroupId: 'sg-9' }] } };
  const image: Situation = { ...subnet, nodeClaim: { status: { providerID: 'aws:///a/i-1', imageID: 'ami-9' } } };
  const hash: Situation = { ...image, nodeClassAnnotations: { ...HASHED, [HASH]: '2' } };
  assert.deepEqual(await Promise.all([hash, image, subnet].map(drift)), [
    'NodeClassDrift',
    'AMIDrift',
    'SecurityGroupDrift',
  ]);
});

test('07/98, 08/85 without all four annotations, and between versions, hashes are not compared', async () => {
  const other = { ...HASHED, [HASH]: '2' };
  for (const nodeClassAnnotations of [{ ...other, [VERSION]: 'v6' }, { [HASH]: '2' }, { [VERSION]: 'v5' }, {}]) {
    assert.equal(await drift({ nodeClassAnnotations }), undefined);
  }
  for (const annotations of [{ [HASH]: '2' }, { [VERSION]: 'v5' }, {}]) {
    assert.equal(await drift({ nodeClaim: { annotations } }), undefined);
  }
  assert.equal(await drift({ nodeClassAnnotations: other }), 'NodeClassDrift');
});

test('07/99, 08/87 an image that is not in the status, or no longer for this type, is drift', async () => {
  const launchedFrom = (imageID: string): Situation => ({
    nodeClaim: { status: { providerID: 'aws:///us-west-2a/i-1', imageID } },
  });
  assert.equal(await drift(launchedFrom('ami-9')), 'AMIDrift');
  assert.equal(await drift(launchedFrom('ami-arm')), 'AMIDrift');
  const newer = [{ id: 'ami-2', requirements: [] }, ...STATUS.amis!];
  assert.equal(await drift({ status: { amis: newer } }), 'AMIDrift');
});

for (const [name, ids] of [
  ['more', ['sg-1', 'sg-2']],
  ['fewer', []],
  ['other', ['sg-9']],
] as const) {
  test(`07/99, 08/88 ${name} security groups than in the status are drift`, async () => {
    const SecurityGroups = ids.map((GroupId) => ({ GroupId }));
    assert.equal(await drift({ instance: { SecurityGroups } }), 'SecurityGroupDrift');
  });
}

test('07/99, 08/89 a subnet that is not in the status is drift', async () => {
  assert.equal(await drift({ instance: { SubnetId: 'subnet-9' } }), 'SubnetDrift');
});

const ERRORS: readonly [string, Situation, string][] = [
  ['no images', { status: { amis: [] } }, 'calculating ami drift, no amis exist given constraints'],
  [
    'no security groups',
    { status: { securityGroups: [] } },
    'calculating securitygroup drift, no security groups are present in the status',
  ],
  ['no subnets', { status: { subnets: [] } }, 'calculating subnet drift, no subnets are discovered'],
  [
    'no type in the labels of the NodeClaim',
    { nodeClaim: { labels: { 'karpenter.sh/nodepool': 'default' } } },
    'calculating ami drift, finding node instance type (instance-type=)',
  ],
  [
    'no image in the NodeClaim',
    { nodeClaim: { status: { providerID: 'aws:///us-west-2a/i-1' } } },
    'calculating ami drift, no ami ID found in nodeClaim status',
  ],
  [
    'no provider id in the NodeClaim',
    { nodeClaim: { status: { imageID: 'ami-1' } } },
    'provider id does not match known format (provider-id=)',
  ],
  [
    'no instance types',
    { types: new Error('no subnets found') },
    'calculating ami drift, getting instanceTypes, no subnets found',
  ],
];
for (const [name, parts, message] of ERRORS) {
  test(`07/99, 08/88, 08/89, 08/91 with ${name} there is no answer, but an error`, async () => {
    await assert.rejects(drift(parts), { message });
  });
}

test('an error about one thing hides the drift of another', async () => {
  const parts: Situation = { instance: { SecurityGroups: [] }, status: { subnets: [] } };
  await assert.rejects(drift(parts), { message: 'calculating subnet drift, no subnets are discovered' });
});

test('07/99, 08/91 without a NodePool, and without its NodeClass, nothing drifts; the NodePool is told', async () => {
  const drifted: Situation = { nodeClassAnnotations: { ...HASHED, [HASH]: '2' } };
  assert.equal(await drift({ ...drifted, nodeClaim: { labels: {} } }), undefined);
  assert.equal(await drift({ ...drifted, nodePools: [] }), undefined);
  const { find, published } = situation({ ...drifted, nodeClasses: [] });
  assert.equal(await find(), undefined);
  assert.deepEqual(
    published.map(({ on, message }) => [on.kind, on.name, message]),
    [['NodePool', 'default', 'Failed resolving NodeClass']],
  );
});

test('07/100, 08/90 a reservation that left the status is drift, once EC2 has been asked again', async () => {
  const { fake, find, instances } = situation({ instance: RESERVED });
  await instances.get('i-1', NEVER);
  assert.equal(await find(), 'CapacityReservationDrift');
  assert.deepEqual(fake.calls, ['describe i-1', 'describe i-1']);
  const selected = { capacityReservations: [reservation('cr-1')] };
  assert.equal(await drift({ instance: RESERVED, status: selected }), undefined);
});

test('an instance in a reservation has not drifted before reservations are discovered: the gate may have been off', async () => {
  const message = 'calculating capacity reservation drift, capacity reservations are not discovered yet';
  const [ready] = STATUS.conditions!;
  for (const conditions of [[], [{ ...ready!, status: 'Unknown' as const }]]) {
    await assert.rejects(drift({ instance: RESERVED, status: { conditions } }), { message });
    assert.equal(await drift({ status: { conditions } }), undefined);
  }
});

test('07/100, 08/90 an instance that went on as on-demand when its reservation ended has not drifted', async () => {
  const { fake, find, instances } = situation({ instance: RESERVED });
  await instances.get('i-1', NEVER);
  fake.held = [described('i-1')];
  assert.equal(await find(), undefined);
});

test('07/100 an instance that is in another reservation by now has drifted if that is not selected either', async () => {
  for (const [selected, reason] of [
    ['cr-2', undefined],
    ['cr-3', 'CapacityReservationDrift'],
  ] as const) {
    const status = { capacityReservations: [reservation(selected)] };
    const { fake, find, instances } = situation({ instance: RESERVED, status });
    await instances.get('i-1', NEVER);
    fake.held = [described('i-1', { ...RESERVED, CapacityReservationId: 'cr-2' })];
    assert.equal(await find(), reason);
  }
});

test('another placement group, one too many or one too few is drift', async () => {
  const labels = { 'karpenter.sh/nodepool': 'default', [INSTANCE_TYPE_LABEL]: 'm5.large' };
  const inGroup = { labels: { ...labels, [AWS_LABELS.placementGroupId]: 'pg-1' } };
  assert.equal(await drift({ group: GROUP, nodeClaim: inGroup }), undefined);
  assert.equal(await drift({ group: GROUP }), 'PlacementGroupDrift');
  assert.equal(await drift({ nodeClaim: inGroup }), 'PlacementGroupDrift');
  assert.equal(await drift({ group: { ...GROUP, id: 'pg-2' }, nodeClaim: inGroup }), 'PlacementGroupDrift');
});

test('while EC2 cannot tell of the placement group, there is no answer, but an error', async () => {
  await assert.rejects(drift({ group: new Error('describing placement groups, out of order') }), /out of order$/);
});

test('an instance that is gone is not found', async () => {
  const { fake, find } = situation();
  fake.held = [];
  await assert.rejects(find(), (error) => findCause(error, NodeClaimNotFoundError) !== undefined);
});
