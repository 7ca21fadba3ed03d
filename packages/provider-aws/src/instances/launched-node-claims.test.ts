import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Instance as Ec2Instance } from '@aws-sdk/client-ec2';
import { AWS_LABELS, CAPACITY_TYPE_LABEL, type EC2NodeClass, type NodeClaim, type NodePool } from '@karpenter-ts/apis';
import { NodeClaimNotFoundError } from '@karpenter-ts/cloudprovider';
import { makeNodeClaim } from '@karpenter-ts/cloudprovider/testing';
import { type EventDraft, findCause } from '@karpenter-ts/runtime';
import { NEVER, recordingLogger } from '@karpenter-ts/runtime/testing';
import type { InstanceType } from '@karpenter-ts/scheduling';
import { NodeClassLookup } from '../node-class/node-class-lookup.ts';
import type { PlacementGroup } from '../placement/placement-group.ts';
import { ReservationCounts } from '../reservations/reservation-counts.ts';
import { LaunchedNodeClaims } from './launched-node-claims.ts';
import { described, fakeInstances } from './testing/fake-instances.ts';

const TYPE = {
  name: 'm5.large',
  requirements: [{ key: 'karpenter.k8s.aws/instance-family', operator: 'In', values: ['m5'] }],
  offerings: [],
  capacity: { cpu: '2' },
  overhead: {},
} as InstanceType;
const nodeClass = (name: string): EC2NodeClass =>
  ({
    metadata: { name },
    status: { subnets: [{ id: 'subnet-1', zone: 'us-west-2a', zoneID: `zone-of-${name}` }] },
  }) as unknown as EC2NodeClass;

/** A cloud with these instances, whose NodePool `default` has the NodeClass `default`. */
function environment(held: readonly Ec2Instance[], settings = { reservedCapacity: true }) {
  const { fake, instances, clock } = fakeInstances(held, settings);
  const logger = recordingLogger();
  const published: EventDraft[] = [];
  const nodePool = {
    metadata: { name: 'default' },
    spec: { template: { spec: { nodeClassRef: { name: 'default' } } } },
  };
  const nodePools = new Map([['default', nodePool as unknown as NodePool]]);
  const nodeClasses = new Map(['default', 'old'].map((name) => [name, nodeClass(name)]));
  const answers = {
    types: [] as string[],
    group: undefined as PlacementGroup | Error | undefined,
    instanceTypes: [TYPE] as readonly InstanceType[],
    failure: undefined as Error | undefined,
  };
  const reservations = new ReservationCounts(clock);
  const nodeClaims = new LaunchedNodeClaims({
    instances,
    nodePools,
    nodeClasses: new NodeClassLookup({
      cache: nodeClasses,
      events: { publish: (...drafts) => published.push(...drafts) },
    }),
    instanceTypes: {
      listInTurns: async (by) => {
        answers.types.push(by.metadata.name);
        if (answers.failure !== undefined) throw answers.failure;
        return answers.instanceTypes;
      },
    },
    placementGroups: {
      resolve: async () => {
        if (answers.group instanceof Error) throw answers.group;
        return answers.group;
      },
    },
    reservations,
    clock,
    logger,
  });
  return { fake, answers, nodeClaims, nodePools, nodeClasses, published, reservations, logger };
}

const FAMILY = 'karpenter.k8s.aws/instance-family';
const labelsOf = ({ metadata }: NodeClaim) => metadata.labels ?? {};

test('an instance is a NodeClaim with the data of its type and the zone id of its NodeClass', async () => {
  const { nodeClaims, answers } = environment([described('i-1', {}, { 'karpenter.k8s.aws/ec2nodeclass': 'old' })]);
  const nodeClaim = await nodeClaims.get('aws:///us-west-2a/i-1', NEVER);
  assert.equal(nodeClaim.status?.providerID, 'aws:///us-west-2a/i-1');
  assert.deepEqual(nodeClaim.status?.capacity, { cpu: '2' });
  assert.equal(labelsOf(nodeClaim)[FAMILY], 'm5');
  assert.equal(labelsOf(nodeClaim)[AWS_LABELS.zoneId], 'zone-of-old');
  assert.deepEqual(answers.types, ['default']); // by the NodeClass that the NodePool has now
});

test('a listing asks once for what its instances have in common', async () => {
  const { nodeClaims, answers } = environment([described('i-1'), described('i-2'), described('i-3')]);
  assert.equal((await nodeClaims.list(NEVER)).length, 3);
  assert.deepEqual(answers.types, ['default']);
});

for (const [name, lose, message] of [
  ['NodePool', 'nodePools', undefined],
  ['NodeClass', 'nodeClasses', 'Failed resolving NodeClass'],
] as const) {
  test(`an instance whose ${name} is gone has no type data`, async () => {
    const env = environment([described('i-1')]);
    env[lose].clear();
    const [nodeClaim] = await env.nodeClaims.list(NEVER);
    assert.equal(nodeClaim?.status?.capacity, undefined);
    assert.equal(labelsOf(nodeClaim!)[FAMILY], undefined);
    assert.equal(labelsOf(nodeClaim!)['karpenter.sh/nodepool'], 'default');
    assert.deepEqual(
      env.published.map((event) => event.message),
      message === undefined ? [] : [message],
    );
  });
}

for (const [name, change, reason] of [
  ['type has vanished', { instanceTypes: [] }, 'instance type m5.large not found in cache'],
  ['NodeClass has no subnets', { failure: new Error('no subnets found') }, 'no subnets found'],
] as const) {
  test(`an instance whose ${name} does not hide the others, and is logged once`, async () => {
    const { nodeClaims, answers, logger } = environment([described('i-1'), described('i-2')]);
    Object.assign(answers, change);
    for (let i = 0; i < 3; i++) {
      const listed = await nodeClaims.list(NEVER);
      assert.deepEqual(
        listed.map(({ status }) => [status?.providerID, status?.capacity]),
        [
          ['aws:///us-west-2a/i-1', undefined],
          ['aws:///us-west-2a/i-2', undefined],
        ],
      );
    }
    assert.deepEqual(
      logger.lines.map(({ level, message, error, fields }) => [level, message, error, fields]),
      [['error', 'failed resolving instance type', reason, { 'instance-type': 'm5.large', NodePool: 'default' }]],
    );
  });
}

test('a placement group is in the labels; while EC2 cannot tell it, the list goes on without', async () => {
  const { nodeClaims, answers } = environment([described('i-1')]);
  answers.group = { id: 'pg-1', name: 'racks', strategy: 'cluster' };
  assert.equal(labelsOf((await nodeClaims.list(NEVER))[0]!)[AWS_LABELS.placementGroupId], 'pg-1');
  answers.group = new Error('out of order');
  const [nodeClaim] = await nodeClaims.list(NEVER);
  assert.equal(labelsOf(nodeClaim!)[AWS_LABELS.placementGroupId], undefined);
  assert.equal(labelsOf(nodeClaim!)[FAMILY], 'm5');
});

test('07/95 an instance in an open reservation is on-demand, without a label of the reservation, if the feature is off', async () => {
  const open: Ec2Instance = {
    CapacityReservationId: 'cr-1',
    CapacityReservationSpecification: { CapacityReservationPreference: 'capacity-reservations-only' },
  };
  const { nodeClaims } = environment([described('i-1', open)], { reservedCapacity: false });
  const labels = labelsOf((await nodeClaims.list(NEVER))[0]!);
  assert.equal(labels[CAPACITY_TYPE_LABEL], 'on-demand');
  assert.equal(labels[AWS_LABELS.capacityReservationId], undefined);
});

test('an instance that terminates is a NodeClaim that is being deleted', async () => {
  const { nodeClaims } = environment([described('i-1', { State: { Name: 'shutting-down' } })]);
  assert.notEqual((await nodeClaims.list(NEVER))[0]?.metadata.deletionTimestamp, undefined);
});

test('07/103 only the deletion that finds the instance gone gives back its place in the reservation', async () => {
  const { fake, nodeClaims, reservations } = environment([described('i-1')]);
  reservations.counted('cr-1', 3);
  const nodeClaim: NodeClaim = {
    ...makeNodeClaim('claim', { labels: { [AWS_LABELS.capacityReservationId]: 'cr-1' } }),
    status: { providerID: 'aws:///us-west-2a/i-1' },
  };
  await nodeClaims.delete(nodeClaim, NEVER);
  assert.equal(reservations.available('cr-1'), 3);
  fake.held = [];
  await assert.rejects(nodeClaims.delete(nodeClaim, NEVER), NodeClaimNotFoundError);
  assert.equal(reservations.available('cr-1'), 4);
});

test('a deletion that fails otherwise gives nothing back', async () => {
  const { fake, nodeClaims, reservations } = environment([described('i-1')]);
  reservations.counted('cr-1', 3);
  fake.fail.set('terminate', new Error('out of order'));
  const nodeClaim: NodeClaim = {
    ...makeNodeClaim('claim', { labels: { [AWS_LABELS.capacityReservationId]: 'cr-1' } }),
    status: { providerID: 'aws:///us-west-2a/i-1' },
  };
  await assert.rejects(nodeClaims.delete(nodeClaim, NEVER), { message: 'out of order' });
  assert.equal(reservations.available('cr-1'), 3);
});

test('errors say what was being done', async () => {
  const { fake, nodeClaims } = environment([described('i-1')]);
  const form = 'provider id does not match known format (provider-id=kwok://node)';
  await assert.rejects(nodeClaims.get('kwok://node', NEVER), { message: `getting instance ID, ${form}` });
  const foreign: NodeClaim = { ...makeNodeClaim('claim'), status: { providerID: 'kwok://node' } };
  await assert.rejects(nodeClaims.delete(foreign, NEVER), { message: `getting instance ID, ${form}` });
  await assert.rejects(nodeClaims.get('aws:///us-west-2a/i-9', NEVER), (error: Error) => {
    assert.match(error.message, /^getting instance, nodeclaim not found, api error InvalidInstanceID.NotFound: /);
    return findCause(error, NodeClaimNotFoundError) !== undefined;
  });
  fake.fail.set('list', new Error('out of order'));
  await assert.rejects(nodeClaims.list(NEVER), {
    message: 'listing instances, describing ec2 instances, out of order',
  });
});
