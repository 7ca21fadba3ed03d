import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EC2NodeClass } from '@karpenter-ts/apis';
import { CLUSTER, claim, readyNodeClass } from '../testing/launch-environment.ts';
import { launchTags } from './launch-tags.ts';
import { chooseTerms } from './launch-terms.ts';
import { groupByTemplate, type TemplateRequest } from './template-groups.ts';
import { type TemplateSpec, templateName } from './template-spec.ts';
import { filterInput, offering, reserved, typeOf } from './testing/types.ts';

type Spec = Partial<NonNullable<EC2NodeClass['spec']>>;

const TYPES = [typeOf('m5.large', [offering('on-demand', 1)])];

function request(parts: Partial<TemplateRequest> & { readonly spec?: Spec } = {}): TemplateRequest {
  const { spec, nodeClass = readyNodeClass({ spec: spec ?? {} }), nodeClaim = claim(), types = TYPES, ...rest } = parts;
  return {
    nodeClass,
    nodeClaim,
    types,
    terms: chooseTerms(types, filterInput(types).demand.requirements, undefined),
    tags: launchTags(nodeClass, nodeClaim, CLUSTER.name),
    placementGroup: undefined,
    cluster: CLUSTER,
    region: 'us-west-2',
    reservedCapacity: true,
    ...rest,
  };
}

const names = (parts: Parameters<typeof request>[0] = {}): readonly string[] =>
  groupByTemplate(request(parts)).map(({ name }) => name);

test('a template is called by the hash of what it is made of', () => {
  const [name] = names();
  assert.match(name!, /^karpenter\.k8s\.aws\/[0-9]+$/);
  assert.ok(BigInt(name!.split('/')[1]!) < 2n ** 64n);
});

test('07/76 equal inputs in another order have the same name', () => {
  const groups = [{ id: 'sg-1' }, { id: 'sg-2' }];
  const taints = [
    { key: 'a', effect: 'NoSchedule' as const },
    { key: 'b', effect: 'NoExecute' as const },
  ];
  const one = names({
    nodeClass: readyNodeClass({ spec: { tags: { a: '1', b: '2' } }, status: { securityGroups: groups } }),
    nodeClaim: claim({ taints, labels: { x: '1', y: '2' } }),
  });
  const other = names({
    nodeClass: readyNodeClass({ spec: { tags: { b: '2', a: '1' } }, status: { securityGroups: groups.toReversed() } }),
    nodeClaim: claim({ taints: taints.toReversed(), labels: { y: '2', x: '1' } }),
  });
  assert.deepEqual(one, other);
});

const SPECS: Readonly<Record<string, Spec>> = {
  instanceStorePolicy: { instanceStorePolicy: 'RAID0' },
  tags: { tags: { team: 'a' } },
  associatePublicIPAddress: { associatePublicIPAddress: false },
  ipPrefixCount: { ipPrefixCount: 0 },
  kubelet: { kubelet: { podsPerCore: 3 } },
  'cluster DNS': { kubelet: { clusterDNS: ['10.0.0.1'] } },
  userData: { userData: '#!/bin/sh' },
  blockDeviceMappings: { blockDeviceMappings: [{ deviceName: '/dev/xvda', ebs: { volumeSize: '30Gi' } }] },
  metadataOptions: {
    metadataOptions: {
      httpEndpoint: 'enabled',
      httpProtocolIPv6: 'disabled',
      httpPutResponseHopLimit: 3,
      httpTokens: 'required',
    },
  },
  cpuOptions: { cpuOptions: { nestedVirtualization: 'disabled' } },
  detailedMonitoring: { detailedMonitoring: true },
  networkInterfaces: { networkInterfaces: [{ networkCardIndex: 0, deviceIndex: 0, interfaceType: 'interface' }] },
  connectionTracking: { connectionTracking: { udpTimeout: 45 } },
};

const OTHERS: Readonly<Record<string, Partial<TemplateRequest>>> = {
  'cluster name': { cluster: { ...CLUSTER, name: 'other' } },
  'cluster endpoint': { cluster: { ...CLUSTER, endpoint: 'https://other' } },
  'cluster CIDR': { cluster: { ...CLUSTER, cidr: '10.1.0.0/16' } },
  'CA bundle': { cluster: { ...CLUSTER, caBundle: 'b3RoZXI=' } },
  'address of the cluster DNS': { cluster: { ...CLUSTER, kubeDnsIp: '10.0.0.2' } },
  'instance profile': { nodeClass: readyNodeClass({ status: { instanceProfile: 'other' } }) },
  'security groups': { nodeClass: readyNodeClass({ status: { securityGroups: [{ id: 'sg-2' }] } }) },
  image: { nodeClass: readyNodeClass({ status: { amis: [{ id: 'ami-2', requirements: [] }] } }) },
  'name of the NodeClass': { nodeClass: readyNodeClass({ name: 'other' }) },
  taints: { nodeClaim: claim({ taints: [{ key: 'a', effect: 'NoSchedule' }] }) },
  labels: { nodeClaim: claim({ labels: { team: 'a' } }) },
  enclaves: { nodeClaim: claim({ resources: { requests: { 'eks.amazonaws.com/nip-slots': '1' } } }) },
  'placement group': { placementGroup: { id: 'pg-1', name: 'pg', strategy: 'cluster' } },
  'use of reservations': { reservedCapacity: false },
};

test('07/76 whatever a template is made of gives it another name', () => {
  const seen = new Map([[names()[0]!, 'nothing changed']]);
  const check = (what: string, name: string | undefined) => {
    assert.equal(seen.get(name!), undefined, what);
    seen.set(name!, what);
  };
  for (const [what, spec] of Object.entries(SPECS)) check(what, names({ spec })[0]);
  for (const [what, parts] of Object.entries(OTHERS)) check(what, names(parts)[0]);
  const { spec } = groupByTemplate(request())[0]!;
  const changed: Readonly<Record<string, Partial<TemplateSpec>>> = {
    'capacity type': { capacityType: 'spot' },
    tenancy: { tenancy: 'dedicated' },
    partition: { partitionNumber: 1 },
    'interfaces for EFA': { efaCount: 1 },
    reservation: { reservation: { id: 'cr-1', type: 'default', interruptible: false } },
    'another reservation': { reservation: { id: 'cr-2', type: 'default', interruptible: false } },
    'a block': { reservation: { id: 'cr-1', type: 'capacity-block', interruptible: false } },
    'an interruptible one': { reservation: { id: 'cr-1', type: 'default', interruptible: true } },
  };
  for (const [what, change] of Object.entries(changed)) check(what, templateName({ ...spec, ...change }));
});

test('07/76 what no instance gets to know does not count', () => {
  const same = names();
  assert.deepEqual(names({ nodeClaim: claim({ labels: { 'kubernetes.io/hidden': 'x' } }) }), same);
  assert.deepEqual(names({ types: [typeOf('c5.large', [offering('on-demand', 9)])] }), same);
  const terms: Spec = { amiSelectorTerms: [{ id: 'ami-1' }], amiFamily: 'AL2023' };
  assert.deepEqual(names({ spec: terms }), same);
  const amis = [
    { id: 'ami-1', requirements: [] },
    { id: 'ami-2', requirements: [] },
  ];
  assert.deepEqual(names({ nodeClass: readyNodeClass({ status: { amis } }) }), same);
});

test('07/76 a family without user data of its own ignores labels, taints, CA bundle and numbers of pods', () => {
  const custom: Spec = { amiFamily: 'Custom', amiSelectorTerms: [{ id: 'ami-1' }] };
  const same = names({ spec: custom });
  assert.deepEqual(names({ spec: custom, nodeClaim: claim({ labels: { team: 'a' } }) }), same);
  assert.deepEqual(names({ spec: custom, cluster: { ...CLUSTER, caBundle: 'b3RoZXI=' } }), same);
  assert.notDeepEqual(names({ spec: { ...custom, userData: 'x' } }), same);
  const types = [typeOf('m5.large', [offering('on-demand', 1)], { pods: '29' }), ...TYPES];
  const groups = groupByTemplate(request({ spec: custom, types }));
  assert.deepEqual(
    groups.map((group) => [group.name, group.types.length]),
    [[same[0], 2]],
  );
});

test('07/77 another number of pods is another name', () => {
  const [twelve] = names({ spec: { kubelet: { maxPods: 12 } } });
  const [twentyOne] = names({ spec: { kubelet: { maxPods: 21 } } });
  assert.notEqual(twelve, twentyOne);
});

test('07/134 NodeClasses with equal specs have templates of their own', () => {
  const groups = ['one', 'other'].map((name) => groupByTemplate(request({ nodeClass: readyNodeClass({ name }) }))[0]!);
  assert.notEqual(groups[0]!.name, groups[1]!.name);
  assert.deepEqual(
    groups.map(({ spec }) => spec.tags['karpenter.k8s.aws/ec2nodeclass']),
    ['one', 'other'],
  );
});

test('the release of Bottlerocket counts only for what it binds by itself', () => {
  const bottlerocket = (version: string): readonly string[] =>
    names({ spec: { amiFamily: 'Bottlerocket', amiSelectorTerms: [{ alias: `bottlerocket@${version}` }] } });
  assert.deepEqual(bottlerocket('v1.46.0'), bottlerocket('v1.47.1'));
  assert.notDeepEqual(bottlerocket('v1.45.0'), bottlerocket('v1.46.0'));
});

test('07/135 types are grouped by the first image that suits them', () => {
  const arch = (value: string) => [{ key: 'kubernetes.io/arch', operator: 'In', values: [value] }];
  const amis = [
    { id: 'ami-new', requirements: arch('amd64') },
    { id: 'ami-old', requirements: arch('amd64') },
    { id: 'ami-arm', requirements: arch('arm64') },
  ];
  const type = (name: string, architecture: string) => {
    const made = typeOf(name, [offering('on-demand', 1)]);
    return { ...made, requirements: [...made.requirements, ...arch(architecture)] };
  };
  const nodeClass = readyNodeClass({ status: { amis } });
  const groups = groupByTemplate(
    request({ nodeClass, types: [type('m5.large', 'amd64'), type('m6g.large', 'arm64'), type('c5.large', 'amd64')] }),
  );
  assert.deepEqual(
    groups.map(({ spec, types }) => [spec.amiId, types.map(({ name }) => name)]),
    [
      ['ami-new', ['m5.large', 'c5.large']],
      ['ami-arm', ['m6g.large']],
    ],
  );
  assert.throws(
    () => groupByTemplate(request({ nodeClass, types: [type('x.large', 'riscv64')] })),
    new Error('no instance types satisfy requirements of amis [ami-new ami-old ami-arm]'),
  );
});

test('without images or security groups in the status there is no template', () => {
  const without = (status: object) => () => groupByTemplate(request({ nodeClass: readyNodeClass({ status }) }));
  assert.throws(without({ amis: [] }), new Error('no amis exist given constraints'));
  assert.throws(without({ securityGroups: [] }), new Error('no security groups are present in the status'));
});

test('types are grouped by pods, by interfaces for EFA where these are requested, and by reservation', () => {
  const efa = { 'vpc.amazonaws.com/efa': '2' };
  const types = [
    typeOf('m5.large', [offering('on-demand', 1)], { pods: '10' }),
    typeOf('m5.xlarge', [offering('on-demand', 1)], { pods: '58' }),
    typeOf('c5n.large', [offering('on-demand', 1)], { pods: '10', ...efa }),
  ];
  const counts = (parts: Partial<TemplateRequest>) =>
    groupByTemplate(request(parts)).map(({ spec, types: ofGroup }) => [spec.efaCount, ofGroup.length]);
  assert.deepEqual(counts({ types }), [
    [0, 2],
    [0, 1],
  ]);
  const nodeClaim = claim({ resources: { requests: { 'vpc.amazonaws.com/efa': '1' } } });
  assert.deepEqual(counts({ types, nodeClaim }), [
    [0, 1],
    [0, 1],
    [2, 1],
  ]);
  const withReservations = [typeOf('m5.large', [reserved('cr-1', 0.1), reserved('cr-2', 0.1, { zone: 'b' })])];
  assert.deepEqual(
    groupByTemplate(request({ types: withReservations })).map(({ spec }) => spec.reservation),
    [
      { id: 'cr-1', type: 'default', interruptible: false },
      { id: 'cr-2', type: 'default', interruptible: false },
    ],
  );
});
