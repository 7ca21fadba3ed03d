// What the fields of a NodeClass put into a launch template.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EC2NodeClass } from '@karpenter-ts/apis';
import { CLUSTER, claim, readyNodeClass } from '../testing/launch-environment.ts';
import { launchTags } from './launch-tags.ts';
import { chooseTerms } from './launch-terms.ts';
import { templateBody } from './template-body.ts';
import { groupByTemplate } from './template-groups.ts';
import { filterInput, offering, typeOf } from './testing/types.ts';

type Spec = Partial<NonNullable<EC2NodeClass['spec']>>;

interface Parts {
  readonly region?: string;
  readonly kubeDnsIp?: string;
  /** How many interfaces for EFA the type has, all of which the NodeClaim requests. */
  readonly efa?: number;
}

/** What the one template of a launch is created with. */
function dataOf(spec: Spec, { region = 'us-west-2', kubeDnsIp = CLUSTER.kubeDnsIp!, efa }: Parts = {}) {
  const resources = efa === undefined ? {} : { 'vpc.amazonaws.com/efa': String(efa) };
  const types = [typeOf('m5.large', [offering('on-demand', 1)], resources)];
  const nodeClass = readyNodeClass({ spec });
  const nodeClaim = claim({ resources: { requests: resources } });
  const [group] = groupByTemplate({
    nodeClass,
    nodeClaim,
    types,
    terms: chooseTerms(types, filterInput(types).demand.requirements, undefined),
    tags: launchTags(nodeClass, nodeClaim, CLUSTER.name),
    placementGroup: undefined,
    cluster: { ...CLUSTER, kubeDnsIp },
    region,
    reservedCapacity: true,
  });
  return templateBody(group!.spec, { name: 'name', userData: 'dXNlcg==' }).LaunchTemplateData!;
}

const METADATA = {
  httpEndpoint: 'enabled',
  httpProtocolIPv6: 'disabled',
  httpPutResponseHopLimit: 1,
  httpTokens: 'required',
} as const;

test('08/107 metadata options are those of the NodeClass, which the CRD fills in', () => {
  assert.deepEqual(dataOf({ metadataOptions: METADATA }).MetadataOptions, {
    HttpEndpoint: 'enabled',
    HttpProtocolIpv6: 'disabled',
    HttpPutResponseHopLimit: 1,
    HttpTokens: 'required',
    InstanceMetadataTags: 'disabled',
  });
});

const WITHOUT_IPV6 = [
  'us-iso-east-1',
  'us-iso-west-1',
  'us-isob-east-1',
  'us-isob-west-1',
  'us-isof-south-1',
  'us-isof-east-1',
];

test('08/107 08/149 isolated regions are not told of IPv6 for the metadata, and the NodeClass stays as it is', () => {
  const spec: Spec = { metadataOptions: { ...METADATA } };
  for (const region of WITHOUT_IPV6) {
    assert.ok(!('HttpProtocolIpv6' in JSON.parse(JSON.stringify(dataOf(spec, { region }).MetadataOptions))), region);
  }
  assert.deepEqual(spec.metadataOptions, METADATA);
  assert.equal(dataOf(spec, { region: 'us-gov-west-1' }).MetadataOptions?.HttpProtocolIpv6, 'disabled');
});

for (const [amiFamily, volumes] of [
  ['AL2', ['/dev/xvda 20']],
  ['AL2023', ['/dev/xvda 20']],
  ['Bottlerocket', ['/dev/xvda 4', '/dev/xvdb 20']],
  ['Windows2022', ['/dev/sda1 50']],
  ['Custom', []],
] as const) {
  test(`08/108 without mappings ${amiFamily} has ${volumes.length} volumes of its own, encrypted gp3`, () => {
    const { BlockDeviceMappings = [] } = dataOf({ amiFamily, amiSelectorTerms: [{ id: 'ami-1' }] });
    assert.deepEqual(
      BlockDeviceMappings.map(({ DeviceName, Ebs }) => `${DeviceName} ${Ebs?.VolumeSize}`),
      volumes,
    );
    for (const { Ebs } of BlockDeviceMappings) assert.deepEqual([Ebs?.VolumeType, Ebs?.Encrypted], ['gp3', true]);
  });
}

test('08/108 mappings replace those of the family, and 2G are two gibibytes', () => {
  const { BlockDeviceMappings = [] } = dataOf({
    amiFamily: 'Bottlerocket',
    amiSelectorTerms: [{ id: 'ami-1' }],
    blockDeviceMappings: [{ deviceName: '/dev/xvdc', ebs: { volumeSize: '2G' } }],
  });
  assert.deepEqual(
    BlockDeviceMappings.map(({ DeviceName, Ebs }) => [DeviceName, Ebs?.VolumeSize]),
    [['/dev/xvdc', 2]],
  );
});

const INTERFACES: Spec = {
  networkInterfaces: [
    { networkCardIndex: 0, deviceIndex: 0, interfaceType: 'interface' },
    { networkCardIndex: 1, deviceIndex: 1, interfaceType: 'efa-only' },
  ],
};

test('08/109 IPv6 addresses are on interfaces, but not on those for EFA alone', () => {
  const interfaces = dataOf(INTERFACES, { kubeDnsIp: 'fd00::a' }).NetworkInterfaces!;
  assert.deepEqual(
    interfaces.map((one) => [one.PrimaryIpv6, one.Ipv6AddressCount]),
    [
      [true, 1],
      [undefined, undefined],
    ],
  );
});

test('08/110 08/147 connection tracking is on every interface but those for EFA alone, with what is set of it', () => {
  const tracking = (spec: Spec, parts: Parts = {}) =>
    dataOf(spec, parts).NetworkInterfaces!.map((one) => one.ConnectionTrackingSpecification);
  const connectionTracking = { tcpEstablishedTimeout: 300 };
  const sent = { TcpEstablishedTimeout: 300 };
  assert.deepEqual(JSON.parse(JSON.stringify(tracking({ connectionTracking }))), [sent]);
  assert.deepEqual(JSON.parse(JSON.stringify(tracking({ connectionTracking }, { efa: 2 }))), [sent, sent]);
  assert.deepEqual(JSON.parse(JSON.stringify(tracking({ ...INTERFACES, connectionTracking }))), [sent, null]);
  assert.deepEqual(tracking({}), [undefined]);
});

test('08/148 interfaces that the NodeClass names are used also for those who request EFA', () => {
  const types = (parts: Parts) => dataOf(INTERFACES, parts).NetworkInterfaces!.map((one) => one.InterfaceType);
  assert.deepEqual(types({ efa: 2 }), ['interface', 'efa-only']);
});

test('08/150 nested virtualization is sent where it is said, and only there', () => {
  const sent = (cpuOptions: Spec['cpuOptions']) => dataOf(cpuOptions === undefined ? {} : { cpuOptions }).CpuOptions;
  assert.deepEqual(sent({ nestedVirtualization: 'enabled' }), { NestedVirtualization: 'enabled' });
  assert.deepEqual(sent({ nestedVirtualization: 'disabled' }), { NestedVirtualization: 'disabled' });
  assert.equal(sent({}), undefined);
  assert.equal(sent(undefined), undefined);
});
