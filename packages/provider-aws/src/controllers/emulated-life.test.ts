import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import {
  AWS_LABELS,
  CAPACITY_TYPE_LABEL,
  type EC2NodeClass,
  NODE_CLAIMS,
  type NodeClaim,
  TERMINATION_TIMESTAMP,
} from '@karpenter-ts/apis';
import { expiredCredentials, type Fault, internalError, requestLimitExceeded } from '@karpenter-ts/aws-emulator';
import type { CloudProvider } from '@karpenter-ts/cloudprovider';
import { MINUTE, SECOND } from '@karpenter-ts/runtime';
import { BatchedEc2 } from '../batching/batched-ec2.ts';
import { Instances } from '../instances/instances.ts';
import { LaunchedNodeClaims } from '../instances/launched-node-claims.ts';
import { NodeClaimsByInstance } from '../instances/node-claims-by-instance.ts';
import { EC2_NODE_CLASSES, NodeClassLookup } from '../node-class/node-class-lookup.ts';
import { CapacityReservations } from '../reservations/capacity-reservations.ts';
import { ReservationCounts } from '../reservations/reservation-counts.ts';
import { EMULATED_CLUSTER, EMULATED_ZONE, EmulatedAws } from '../testing/emulated-aws.ts';
import { ProviderEnvironment } from '../testing/provider-environment.ts';
import { NO_ZONAL_SHIFTS } from '../zonal-shift/zonal-shifts.ts';
import { instanceControllers } from './instance-controllers.ts';

// All controllers of instances at once, on an API server and an EC2 in this process.

async function environment(t: TestContext) {
  const env = await ProviderEnvironment.start(t);
  const aws = await EmulatedAws.start(t, env.clock);
  const { apis, clock, logger, metrics, stopping } = aws;
  const instances = new Instances({
    ec2: apis.ec2,
    batched: new BatchedEc2({ ec2: apis.ec2, clock, logger, metrics }),
    zonalShifts: NO_ZONAL_SHIFTS,
    metrics,
    clusterName: EMULATED_CLUSTER,
    settings: { reservedCapacity: true },
  });
  const counts = new ReservationCounts(clock);
  const nodeClasses = env.caches.nodeClasses.of<EC2NodeClass>(EC2_NODE_CLASSES);
  const launched = new LaunchedNodeClaims({
    instances,
    nodePools: env.caches.nodePools,
    nodeClasses: new NodeClassLookup({ cache: nodeClasses, events: env.events }),
    instanceTypes: {
      listInTurns: async () => {
        throw new Error('no instance types found');
      },
    },
    placementGroups: { resolve: async () => undefined },
    reservations: counts,
    clock,
    logger,
  });
  const provider: CloudProvider = Object.assign(Object.create(env.provider) as CloudProvider, {
    list: (signal: AbortSignal) => launched.list(signal),
    delete: (nodeClaim: NodeClaim, signal: AbortSignal) => launched.delete(nodeClaim, signal),
  });
  const controllers = instanceControllers({
    ...env,
    provider,
    ec2: apis.ec2,
    instances,
    nodeClaims: new NodeClaimsByInstance(env.caches.nodeClaims),
    reservations: new CapacityReservations({ ec2: apis.ec2, clock, counts, stopping }),
    zonalShifts: NO_ZONAL_SHIFTS,
    clusterName: EMULATED_CLUSTER,
  });
  /** A NodeClaim and a Node for an instance. */
  const join = async (name: string, id: string, labels = {}): Promise<void> => {
    const providerID = `aws:///${EMULATED_ZONE}/${id}`;
    await env.addNodeClaim(name, { labels, finalizers: ['test/keep'], status: { providerID, nodeName: name } });
    await env.addNode(name, providerID, { labels });
  };
  const tagsOf = (id: string) => Object.fromEntries(aws.emulator.ec2.findInstance(id)?.tags ?? []);
  return { env, aws, levers: aws.emulator.ec2, controllers, join, tagsOf };
}

test('the controllers have the names of upstream', async (t) => {
  const { controllers } = await environment(t);
  assert.deepEqual(
    controllers.map(({ name }) => name),
    [
      'instance.garbagecollection',
      'nodeclaim.tagging',
      'capacityreservation.capacitytype',
      'capacityreservation.expiration',
      'interruption.instancestatus',
      'zonalshift',
    ],
  );
});

test('07/96, 07/97 an instance that has a NodeClaim is tagged and stays, one without is terminated', async (t) => {
  const { env, aws, levers, controllers, join, tagsOf } = await environment(t);
  const owned = await aws.launch();
  await join('owned', owned);
  const orphan = await aws.launch();
  await env.addNode('orphan', `aws:///${EMULATED_ZONE}/${orphan}`);
  await env.run(...controllers);
  await env.clock.advance(1 * MINUTE);
  assert.equal(levers.findInstance(owned)?.state, 'running');
  assert.equal(tagsOf(owned)['Name'], 'owned');
  assert.equal(tagsOf(owned)['karpenter.sh/nodeclaim'], 'owned');
  assert.notEqual(levers.findInstance(orphan)?.state, 'running');
  assert.deepEqual(
    env.caches.nodes.list().map(({ metadata }) => metadata.name),
    ['owned'],
  );
});

test('07/105 when a reservation ends, NodeClaim and Node are on-demand a minute later', async (t) => {
  const { env, aws, levers, controllers, join } = await environment(t);
  const reservation = levers.addCapacityReservation({ instanceType: 'm5.large', zone: EMULATED_ZONE, count: 1 });
  const id = await aws.launch({
    CapacityReservationSpecification: {
      CapacityReservationPreference: 'capacity-reservations-only',
      CapacityReservationTarget: { CapacityReservationId: reservation },
    },
  });
  await join('claim-1', id, {
    [CAPACITY_TYPE_LABEL]: 'reserved',
    [AWS_LABELS.capacityReservationId]: reservation,
    [AWS_LABELS.capacityReservationType]: 'default',
    [AWS_LABELS.capacityReservationInterruptible]: 'false',
  });
  await env.run(...controllers);
  const kind = () => env.caches.nodeClaims.get('claim-1')?.metadata.labels?.[CAPACITY_TYPE_LABEL];
  await env.clock.advance(2 * MINUTE);
  assert.equal(kind(), 'reserved');
  levers.cancelReservation(reservation);
  await env.clock.advance(1 * MINUTE + 5 * SECOND);
  assert.equal(kind(), 'on-demand');
  const labels = Object.keys(env.caches.nodes.get('claim-1')?.metadata.labels ?? {});
  assert.deepEqual(
    labels.filter((key) => key.includes('capacity-reservation')),
    [],
  );
});

test('07/110 an instance whose host fails is replaced within minutes, without a drain', async (t) => {
  const { env, aws, levers, controllers, join } = await environment(t);
  const id = await aws.launch();
  await join('claim-1', id);
  await env.run(...controllers);
  levers.impair(id, 'system');
  await env.clock.advance(1 * MINUTE);
  assert.deepEqual(env.deleted, []);
  await env.clock.advance(3 * MINUTE);
  assert.deepEqual(env.deleted, ['claim-1: system_status']);
  const { annotations } = (await env.get<NodeClaim>(NODE_CLAIMS, 'claim-1')).metadata;
  assert.ok(annotations?.[TERMINATION_TIMESTAMP]);
});

test('07/102 the NodeClaims of a capacity block are deleted forty minutes before its end', async (t) => {
  const { env, aws, levers, controllers } = await environment(t);
  const block = levers.addCapacityReservation({
    instanceType: 'p5.48xlarge',
    zone: EMULATED_ZONE,
    count: 1,
    type: 'capacity-block',
    endsAt: aws.clock.now() + 60 * MINUTE,
  });
  await env.addNodeClaim('claim-1', { labels: { [AWS_LABELS.capacityReservationId]: block }, status: {} });
  await env.run(...controllers);
  await env.clock.advance(19 * MINUTE);
  assert.deepEqual(env.deleted, []);
  await env.clock.advance(2 * MINUTE);
  assert.deepEqual(env.deleted, ['claim-1: capacity_block_expired']);
});

const FAULTS: readonly [string, Fault][] = [
  ['fails', internalError],
  ['throttles every call', requestLimitExceeded],
  ['takes no credentials', expiredCredentials('ec2')],
  ['breaks every connection', { kind: 'reset', when: 'before' }],
  ['sends half of every answer', { kind: 'half-answer', length: 'hidden' }],
];
for (const [name, fault] of FAULTS) {
  test(`while EC2 ${name}, nothing is terminated by mistake; afterwards all is caught up with`, async (t) => {
    const { env, aws, levers, controllers, join } = await environment(t);
    const owned = await aws.launch();
    await join('owned', owned);
    const broken = await aws.launch();
    await join('broken', broken);
    const orphan = await aws.launch();
    const lift = aws.emulator.faults.inject(fault, { service: 'ec2' });
    await env.run(...controllers);
    levers.impair(broken, 'system');
    await env.clock.advance(10 * MINUTE);
    assert.deepEqual(env.deleted, []);
    assert.equal(levers.findInstance(orphan)?.state, 'running');
    assert.ok(env.logger.lines.some(({ level, message }) => level === 'error' && message === 'Reconciler error'));
    lift();
    await env.clock.advance(20 * MINUTE);
    assert.deepEqual(env.deleted, ['broken: system_status']);
    assert.notEqual(levers.findInstance(orphan)?.state, 'running');
    assert.equal(levers.findInstance(owned)?.state, 'running');
  });
}
