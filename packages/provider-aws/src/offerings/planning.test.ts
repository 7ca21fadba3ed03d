// What the planner makes of our types: the spec's cases in which a pod is or is not scheduled.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InstanceTypeInfo } from '@aws-sdk/client-ec2';
import { AWS_PROFILE, type EC2NodeClass, type NodePool } from '@karpenter-ts/apis';
import type { Pod } from '@karpenter-ts/kubernetes';
import { NEVER } from '@karpenter-ts/runtime/testing';
import {
  DEFAULT_PLANNING,
  EMPTY_SNAPSHOT,
  finish,
  type InstanceType,
  launchChoices,
  type PlannedNode,
  planSnapshot,
} from '@karpenter-ts/scheduling';
import { makePod, makePool } from '@karpenter-ts/scheduling/testing';
import { nodeClaimOf } from '../instances/node-claim-of.ts';
import { typeDataOf } from '../instances/type-data.ts';
import { factsOf, nodeClass, spotPrice, subnetsIn, typeEnvironment } from './testing/type-environment.ts';

const ICE = { reason: 'InsufficientInstanceCapacity' };

/** The nodes that are bought for the pods. */
function plan(
  instanceTypes: readonly InstanceType[],
  pods: readonly Pod[],
  nodePool: NodePool = makePool('default'),
): readonly PlannedNode[] {
  const snapshot = { ...EMPTY_SNAPSHOT, pods, pools: [{ nodePool, instanceTypes }] };
  return finish(planSnapshot(snapshot, { ...DEFAULT_PLANNING, profile: AWS_PROFILE })).newNodes;
}

const isPlaced = (...of: Parameters<typeof plan>): boolean => plan(...of).length > 0;

const selecting = (nodeSelector: Readonly<Record<string, string>>) => makePod('pod', { nodeSelector });
const asking = (requests: Readonly<Record<string, string>>) => makePod('pod', { requests });
const poolWith = (key: string, operator: 'In' | 'NotIn', ...values: string[]) =>
  makePool('default', { requirements: [{ key, operator, values }] });

test('07/7 flex types are for pods that ask for them, unless the NodePool excludes them', async () => {
  const { list } = await typeEnvironment({ types: ['m7i-flex.large', 'm7i.large'] });
  const flex = 'karpenter.k8s.aws/instance-capability-flex';
  const [wanted, unwanted] = [selecting({ [flex]: 'true' }), selecting({ [flex]: 'false' })];
  assert.deepEqual(plan(list(), [wanted])[0]?.instanceTypes, ['m7i-flex.large']);
  assert.deepEqual(plan(list(), [unwanted])[0]?.instanceTypes, ['m7i.large']);
  assert.equal(isPlaced(list(), [wanted], poolWith(flex, 'NotIn', 'true')), false);
});

test('07/10 a pod that selects a local zone is scheduled there if that is where the subnet is', async () => {
  const { ec2, discovered, list } = await typeEnvironment({ types: ['m5.large', 't3.medium'] });
  const zone = 'us-west-2-lax-1a';
  ec2.offerings['t3.medium'] = [...ec2.offerings['t3.medium']!, zone];
  await discovered.refreshOfferings(NEVER);
  const local = nodeClass({ status: { subnets: [{ id: 'subnet-1', zone, zoneID: 'usw2-lax1-az1' }] } });
  const [node] = plan(list(local), [selecting({ 'topology.kubernetes.io/zone': zone })]);
  assert.deepEqual(node?.instanceTypes, ['t3.medium']);
});

test('07/11 a pod that wants another tenancy than its NodePool admits is not scheduled', async () => {
  const { list } = await typeEnvironment({ types: ['m5.large'] });
  const tenancy = 'karpenter.k8s.aws/instance-tenancy';
  const pod = selecting({ [tenancy]: 'default' });
  assert.equal(isPlaced(list(), [pod], poolWith(tenancy, 'In', 'dedicated')), false);
  assert.equal(isPlaced(list(), [pod], poolWith(tenancy, 'In', 'dedicated', 'default')), true);
  assert.equal(isPlaced(list(), [pod]), true);
});

/** A value of each well-known label that one of the types below has, but those of the parts that NodeClasses bring in. */
const SELECTABLE = {
  'karpenter.sh/capacity-type': 'on-demand',
  'karpenter.sh/nodepool': 'default',
  'kubernetes.io/arch': 'amd64',
  'kubernetes.io/os': 'linux',
  'node.kubernetes.io/instance-type': 'm5.large',
  'topology.kubernetes.io/region': 'us-west-2',
  'topology.kubernetes.io/zone': 'us-west-2a',
  'topology.k8s.aws/zone-id': 'usw2-az1',
  'karpenter.k8s.aws/instance-hypervisor': 'nitro',
  'karpenter.k8s.aws/instance-encryption-in-transit-supported': 'true',
  'karpenter.k8s.aws/instance-category': 'g',
  'karpenter.k8s.aws/instance-capability-flex': 'false',
  'karpenter.k8s.aws/instance-family': 'g4dn',
  'karpenter.k8s.aws/instance-generation': '4',
  'karpenter.k8s.aws/instance-size': '8xlarge',
  'karpenter.k8s.aws/instance-local-nvme': '900',
  'karpenter.k8s.aws/instance-cpu': '32',
  'karpenter.k8s.aws/instance-cpu-manufacturer': 'intel',
  'karpenter.k8s.aws/instance-cpu-sustained-clock-speed-mhz': '2500',
  'karpenter.k8s.aws/instance-memory': '131072',
  'karpenter.k8s.aws/instance-ebs-bandwidth': '9500',
  'karpenter.k8s.aws/instance-network-bandwidth': '50000',
  'karpenter.k8s.aws/instance-gpu-name': 't4',
  'karpenter.k8s.aws/instance-gpu-manufacturer': 'nvidia',
  'karpenter.k8s.aws/instance-gpu-count': '1',
  'karpenter.k8s.aws/instance-gpu-memory': '16384',
  'karpenter.k8s.aws/instance-accelerator-name': 'inferentia',
  'karpenter.k8s.aws/instance-accelerator-manufacturer': 'aws',
  'karpenter.k8s.aws/instance-accelerator-count': '1',
  'karpenter.k8s.aws/instance-tenancy': 'default',
};

const RESERVATION = {
  id: 'cr-1',
  instanceType: 'm5.large',
  availabilityZone: 'us-west-2a',
  instanceMatchCriteria: 'targeted',
  ownerID: '012345678901',
  reservationType: 'default',
  state: 'active',
} as const;

test('07/12 a pod may select any well-known label alone', async () => {
  const { list } = await typeEnvironment({ types: ['m5.large', 'g4dn.8xlarge', 'inf1.xlarge'] });
  for (const [label, value] of Object.entries(SELECTABLE)) {
    assert.ok(isPlaced(list(), [selecting({ [label]: value })]), label);
  }
  const windows = nodeClass({ spec: { amiSelectorTerms: [{ alias: 'windows2022@latest' }] } });
  assert.ok(isPlaced(list(windows), [selecting({ 'node.kubernetes.io/windows-build': '10.0.20348' })]));
});

test('07/12 so it may with the labels of reservations and placement groups', async () => {
  const { list, reservations } = await typeEnvironment({ types: ['m5.large'] });
  reservations.counted('cr-1', 1);
  const reserved = list(nodeClass({ status: { capacityReservations: [RESERVATION] } }));
  const group = { id: 'pg-1', name: 'group', strategy: 'partition', partitionCount: 2 } as const;
  const grouped = list(nodeClass(), group);
  const labels: readonly [readonly InstanceType[], string, string][] = [
    [reserved, 'capacity-reservation-id', 'cr-1'],
    [reserved, 'capacity-reservation-type', 'default'],
    [reserved, 'capacity-reservation-interruptible', 'false'],
    [grouped, 'placement-group-id', 'pg-1'],
    [grouped, 'placement-group-partition', '2'],
  ];
  for (const [types, label, value] of labels) {
    assert.ok(isPlaced(types, [selecting({ [`karpenter.k8s.aws/${label}`]: value })]), label);
  }
  const covered = [...Object.keys(SELECTABLE), 'node.kubernetes.io/windows-build'];
  const all = new Set([...covered, ...labels.map(([, label]) => `karpenter.k8s.aws/${label}`)]);
  assert.deepEqual(AWS_PROFILE.wellKnownLabels.difference(all), new Set());
});

test('07/23 a pod that needs much ephemeral storage needs local disks that are made one', async () => {
  const { list } = await typeEnvironment({ types: ['m6idn.32xlarge', 'm5.large'] });
  const pod = asking({ 'ephemeral-storage': '5000Gi' });
  const [node] = plan(list(nodeClass({ spec: { instanceStorePolicy: 'RAID0' } })), [pod]);
  assert.deepEqual(node?.instanceTypes, ['m6idn.32xlarge']);
  assert.equal(isPlaced(list(), [pod]), false);
});

test('07/30 a pod that asks for a branch interface gets a type that has some', async () => {
  const { list } = await typeEnvironment({ types: ['m5.large', 't3.large'] });
  const pod = asking({ 'vpc.amazonaws.com/pod-eni': '1' });
  assert.deepEqual(plan(list(), [pod])[0]?.instanceTypes, ['m5.large']);
  assert.equal(isPlaced(list().slice(1), [pod]), false);
});

test('07/31 a Windows pod that asks for an address is not put on a type without any', async () => {
  const { ec2, discovered, list } = await typeEnvironment({ types: ['m5.large'] });
  const unknown = { ...factsOf('m5.large'), InstanceType: 'm99.large' as never };
  ec2.types = [[unknown]];
  ec2.offerings = { 'm99.large': ['us-west-2a'] };
  await discovered.refreshTypes(NEVER);
  await discovered.refreshOfferings(NEVER);
  const types = list(nodeClass({ spec: { amiSelectorTerms: [{ alias: 'windows2022@latest' }] } }));
  assert.equal(isPlaced(types, [asking({ 'vpc.amazonaws.com/PrivateIPv4Address': '1' })]), false);
});

test('07/36 a pod that wants spot in a zone without a price there is not scheduled', async () => {
  const { ec2, prices, list } = await typeEnvironment({ types: ['m5.large'] });
  ec2.spot = [spotPrice('m5.large', 'us-west-2a', '0.03')];
  await prices.refreshSpot(NEVER);
  const spotIn = (zone: string) =>
    selecting({ 'karpenter.sh/capacity-type': 'spot', 'topology.kubernetes.io/zone': zone });
  assert.equal(isPlaced(list(), [spotIn('us-west-2a')]), true);
  assert.equal(isPlaced(list(), [spotIn('us-west-2b')]), false);
});

/** A type with a GPU of this make, named and priced as the real one. */
function withGpu(name: string, Manufacturer: string): InstanceTypeInfo {
  return {
    ...factsOf('m5.large'),
    InstanceType: name as never,
    GpuInfo: { Gpus: [{ Name: 'x', Manufacturer, Count: 1 }] },
  };
}

test('07/116 a pod that asks for a device gets a type with it, and the NodeClaim says so', async () => {
  const types = ['m5.large', 'g4dn.xlarge', 'inf1.xlarge', 'trn1.2xlarge', 'inf2.xlarge'];
  const { ec2, discovered, list } = await typeEnvironment({ types });
  ec2.types.push([withGpu('g4ad.xlarge', 'AMD'), withGpu('dl1.24xlarge', 'Habana')]);
  for (const name of ['g4ad.xlarge', 'dl1.24xlarge', ...types]) ec2.offerings[name] = ['us-west-2a'];
  await discovered.refreshTypes(NEVER);
  await discovered.refreshOfferings(NEVER);
  for (const [resource, amount, names] of [
    ['nvidia.com/gpu', '1', ['g4dn.xlarge']],
    ['amd.com/gpu', '1', ['g4ad.xlarge']],
    ['habana.ai/gaudi', '1', ['dl1.24xlarge']],
    ['aws.amazon.com/neuron', '1', ['inf1.xlarge', 'inf2.xlarge', 'trn1.2xlarge']],
    ['aws.amazon.com/neuroncore', '2', ['inf1.xlarge', 'inf2.xlarge', 'trn1.2xlarge']],
  ] as const) {
    const [node] = plan(list(), [asking({ [resource]: amount })]);
    assert.deepEqual([...(node?.instanceTypes ?? [])].sort(), names, resource);
    const type = list().find(({ name }) => name === node?.instanceTypes[0]);
    assert.ok(Number(claimOf(type!).status?.capacity?.[resource]) >= 1, resource);
  }
});

/** An instance of the type as a NodeClaim. */
function claimOf(type: InstanceType) {
  const instance = {
    id: 'i-1',
    launchTime: new Date(0),
    state: 'running',
    imageId: 'ami-1',
    type: type.name,
    zone: 'us-west-2a',
    zoneId: 'usw2-az1',
    capacityType: 'on-demand',
    securityGroupIds: [],
    subnetId: 'subnet-a',
    tags: {},
    efaCount: 0,
    tenancy: 'default',
  } as const;
  return nodeClaimOf({ instance, type: typeDataOf(type) }, 0);
}

/** A mark on every pool of the type, or on those of one zone or capacity type. */
function marker(unavailable: Awaited<ReturnType<typeof typeEnvironment>>['unavailable']) {
  return (instanceType: string, zones: readonly string[], capacityTypes = ['spot', 'on-demand']) => {
    for (const zone of zones) {
      for (const capacityType of capacityTypes) {
        unavailable.markUnavailable({ instanceType, zone, capacityType }, ICE);
      }
    }
  };
}

const ALL_ZONES = ['us-west-2a', 'us-west-2b', 'us-west-2c'];

test('07/122 what there is no capacity of is left out of the next plan: the type, the zone, the capacity type', async () => {
  const { list, unavailable } = await typeEnvironment({ types: ['c5.large', 'm5.large'] });
  const mark = marker(unavailable);
  const pod = asking({ cpu: '1' });
  const spot = selecting({ 'karpenter.sh/capacity-type': 'spot' });

  const zonesOf = (node: PlannedNode | undefined) =>
    list()
      .filter(({ name }) => node?.instanceTypes.includes(name))
      .flatMap(({ offerings }) => offerings.filter(({ available }) => available))
      .flatMap(
        ({ requirements }) => requirements.find(({ key }) => key === 'topology.kubernetes.io/zone')?.values ?? [],
      );
  assert.deepEqual([...(plan(list(), [pod])[0]?.instanceTypes ?? [])].sort(), ['c5.large', 'm5.large']);
  mark('c5.large', ALL_ZONES);
  assert.deepEqual(plan(list(), [pod])[0]?.instanceTypes, ['m5.large']);
  mark('m5.large', ['us-west-2a']);
  assert.deepEqual(new Set(zonesOf(plan(list(), [pod])[0])), new Set(['us-west-2b', 'us-west-2c']));
  mark('m5.large', ALL_ZONES, ['spot']);
  assert.deepEqual(plan(list(), [pod])[0]?.capacityTypes, ['on-demand']);
  assert.equal(isPlaced(list(), [spot]), false);
});

test('07/122 when the larger node for two pods is out, there are two smaller ones', async () => {
  const { list, unavailable } = await typeEnvironment({ types: ['m5.large', 'm5.xlarge'] });
  const pods = ['a', 'b'].map((name) => makePod(name, { requests: { cpu: '1500m' } }));
  assert.deepEqual(
    plan(list(), pods).map(({ instanceTypes }) => instanceTypes),
    [['m5.xlarge']],
  );
  marker(unavailable)('m5.xlarge', ALL_ZONES);
  assert.deepEqual(
    plan(list(), pods).map(({ instanceTypes }) => instanceTypes),
    [['m5.large'], ['m5.large']],
  );
});

test('07/41 what had no capacity is planned with again three minutes later', async () => {
  const { list, unavailable, clock } = await typeEnvironment({ types: ['m5.large'] });
  marker(unavailable)('m5.large', ALL_ZONES);
  assert.equal(isPlaced(list(), [asking({ cpu: '1' })]), false);
  await clock.advance(180_000);
  assert.equal(isPlaced(list(), [asking({ cpu: '1' })]), true);
});

test('plans leave metal types and those with devices to pods that need them', async () => {
  const { list } = await typeEnvironment({ types: ['m5.large', 'm5.metal', 'g4dn.xlarge'] });
  const choices = (of: EC2NodeClass, pod: Pod) => launchChoices(plan(list(of), [pod])[0]!);
  assert.deepEqual(choices(nodeClass(), asking({ cpu: '1' })), ['m5.large']);
  assert.deepEqual(choices(nodeClass(), asking({ 'nvidia.com/gpu': '1' })), ['g4dn.xlarge']);
  const inA = nodeClass({ status: { subnets: subnetsIn('a') } });
  assert.deepEqual(choices(inA, asking({ cpu: '60' })), ['m5.metal']);
});
