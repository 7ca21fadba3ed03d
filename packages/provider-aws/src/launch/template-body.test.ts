import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EC2NodeClass } from '@karpenter-ts/apis';
import type { JoinedCluster } from '../cluster/cluster-facts.ts';
import { CLUSTER, claim, readyNodeClass } from '../testing/launch-environment.ts';
import { launchTags } from './launch-tags.ts';
import { chooseTerms } from './launch-terms.ts';
import { templateBody } from './template-body.ts';
import { groupByTemplate, type TemplateRequest } from './template-groups.ts';
import { filterInput, offering, reserved, typeOf } from './testing/types.ts';

type Spec = Partial<NonNullable<EC2NodeClass['spec']>>;

interface Parts extends Partial<Omit<TemplateRequest, 'cluster'>> {
  readonly spec?: Spec;
  readonly cluster?: Partial<JoinedCluster>;
  readonly requests?: Readonly<Record<string, string>>;
}

const IPV6 = { kubeDnsIp: 'fd30:1c53:5f8a::a' };
const EFA = { requests: { 'vpc.amazonaws.com/efa': '1' } };

/** What the one template of a launch is created with. */
function data(parts: Parts = {}) {
  const {
    spec = {},
    cluster,
    requests = {},
    types = [typeOf('m5.large', [offering('on-demand', 1)])],
    ...rest
  } = parts;
  const nodeClass = readyNodeClass({ spec });
  const nodeClaim = claim({ resources: { requests } });
  const [group] = groupByTemplate({
    nodeClass,
    nodeClaim,
    types,
    terms: chooseTerms(types, filterInput(types).demand.requirements, rest.placementGroup),
    tags: launchTags(nodeClass, nodeClaim, CLUSTER.name),
    placementGroup: undefined,
    cluster: { ...CLUSTER, ...cluster },
    region: 'us-west-2',
    reservedCapacity: true,
    ...rest,
  });
  const body = templateBody(group!.spec, { name: 'name', userData: 'dXNlcg==' });
  return { body, ...body.LaunchTemplateData! };
}

const keys = (value: object | undefined): readonly string[] => Object.keys(value ?? {}).sort();

test('a template of a plain NodeClass', () => {
  const { body } = data();
  const Tags = [
    { Key: 'eks:eks-cluster-name', Value: 'test-cluster' },
    { Key: 'karpenter.k8s.aws/ec2nodeclass', Value: 'default' },
    { Key: 'karpenter.sh/nodepool', Value: 'default' },
    { Key: 'kubernetes.io/cluster/test-cluster', Value: 'owned' },
  ];
  assert.deepEqual(JSON.parse(JSON.stringify(body)), {
    LaunchTemplateName: 'name',
    LaunchTemplateData: {
      ImageId: 'ami-1',
      IamInstanceProfile: { Name: 'profile-1' },
      BlockDeviceMappings: [{ DeviceName: '/dev/xvda', Ebs: { Encrypted: true, VolumeType: 'gp3', VolumeSize: 20 } }],
      Monitoring: { Enabled: false },
      UserData: 'dXNlcg==',
      MetadataOptions: {
        HttpEndpoint: 'disabled',
        HttpProtocolIpv6: 'disabled',
        HttpPutResponseHopLimit: 2,
        HttpTokens: 'required',
        InstanceMetadataTags: 'disabled',
      },
      NetworkInterfaces: [{ DeviceIndex: 0, Groups: ['sg-1'] }],
      TagSpecifications: [{ ResourceType: 'network-interface', Tags }],
      Placement: { Tenancy: 'default' },
      EnclaveOptions: { Enabled: false },
      CapacityReservationSpecification: { CapacityReservationPreference: 'none' },
    },
    TagSpecifications: [{ ResourceType: 'launch-template', Tags }],
  });
});

test('07/78 without the gate nothing is said of reservations, and with it ordinary launches keep out of them', () => {
  assert.equal(data({ reservedCapacity: false }).CapacityReservationSpecification, undefined);
  assert.deepEqual(data().CapacityReservationSpecification, { CapacityReservationPreference: 'none' });
  assert.equal(data().InstanceMarketOptions, undefined);
});

test('07/80 a reservation is named, with the market of a block or of what may be taken back', () => {
  const of = (parts: Parameters<typeof reserved>[2]) => {
    const { CapacityReservationSpecification, InstanceMarketOptions } = data({
      types: [typeOf('p5.large', [reserved('cr-1', 1, parts)])],
    });
    assert.deepEqual(CapacityReservationSpecification, {
      CapacityReservationPreference: 'capacity-reservations-only',
      CapacityReservationTarget: { CapacityReservationId: 'cr-1' },
    });
    return InstanceMarketOptions;
  };
  assert.equal(of({}), undefined);
  assert.deepEqual(of({ type: 'capacity-block' }), { MarketType: 'capacity-block' });
  assert.deepEqual(of({ interruptible: true }), { MarketType: 'interruptible-capacity-reservation' });
});

test('07/81 sizes are rounded up to gibibytes, and zeros are not sent', () => {
  const sizes = (volumeSize: string) => {
    const spec: Spec = {
      blockDeviceMappings: [{ deviceName: '/dev/xvda', ebs: { volumeSize, iops: 0, throughput: 0 } }],
    };
    return JSON.parse(JSON.stringify(data({ spec }).BlockDeviceMappings)) as unknown;
  };
  const mapping = (VolumeSize: number) => [{ DeviceName: '/dev/xvda', Ebs: { VolumeSize } }];
  assert.deepEqual(sizes('20G'), mapping(19));
  assert.deepEqual(sizes('2G'), mapping(2));
  assert.deepEqual(sizes('20Gi'), mapping(20));
  assert.deepEqual(sizes('1Ti'), mapping(1024));
  assert.deepEqual(sizes('1T'), mapping(932));
});

test('what a NodeClass says of a volume is passed on', () => {
  const ebs = {
    deleteOnTermination: false,
    encrypted: false,
    iops: 4000,
    kmsKeyID: 'key',
    snapshotID: 'snap-1',
    throughput: 200,
    volumeInitializationRate: 100,
    volumeType: 'io2',
  } as const;
  assert.deepEqual(
    JSON.parse(JSON.stringify(data({ spec: { blockDeviceMappings: [{ deviceName: 'd', ebs }] } }).BlockDeviceMappings)),
    [
      {
        DeviceName: 'd',
        Ebs: {
          DeleteOnTermination: false,
          Encrypted: false,
          Iops: 4000,
          KmsKeyId: 'key',
          SnapshotId: 'snap-1',
          Throughput: 200,
          VolumeInitializationRate: 100,
          VolumeType: 'io2',
        },
      },
    ],
  );
});

test('07/81 Custom has the volumes of its image, and a mapping without a volume maps nothing', () => {
  const custom: Spec = { amiFamily: 'Custom', amiSelectorTerms: [{ id: 'ami-1' }] };
  assert.equal(data({ spec: custom }).BlockDeviceMappings, undefined);
  const bare: Spec = { blockDeviceMappings: [{ deviceName: '/dev/sdb' }] };
  assert.equal(data({ spec: bare }).BlockDeviceMappings, undefined);
  const both: Spec = {
    blockDeviceMappings: [{ deviceName: '/dev/sdb' }, { deviceName: '/dev/xvda', ebs: { volumeSize: '8Gi' } }],
  };
  assert.equal(data({ spec: both }).BlockDeviceMappings?.length, 1);
});

for (const [family, volumes] of [
  ['Bottlerocket', ['/dev/xvda 4', '/dev/xvdb 20']],
  ['Windows2022', ['/dev/sda1 50']],
  ['AL2', ['/dev/xvda 20']],
] as const) {
  test(`${family} has its own volumes if the NodeClass names none`, () => {
    const { BlockDeviceMappings = [] } = data({ spec: { amiFamily: family, amiSelectorTerms: [{ id: 'ami-1' }] } });
    assert.deepEqual(
      BlockDeviceMappings.map(({ DeviceName, Ebs }) => `${DeviceName} ${Ebs?.VolumeSize}`),
      volumes,
    );
  });
}

test('07/82 an IPv6 cluster gives interfaces a primary IPv6 address, but not those for EFA alone', () => {
  const { NetworkInterfaces } = data({
    cluster: IPV6,
    spec: {
      ipPrefixCount: 2,
      associatePublicIPAddress: true,
      connectionTracking: { udpTimeout: 45 },
      networkInterfaces: [
        { networkCardIndex: 0, deviceIndex: 0, interfaceType: 'interface' },
        { networkCardIndex: 1, deviceIndex: 1, interfaceType: 'efa-only' },
      ],
    },
  });
  assert.deepEqual(NetworkInterfaces, [
    {
      NetworkCardIndex: 0,
      DeviceIndex: 0,
      InterfaceType: 'interface',
      Groups: ['sg-1'],
      AssociatePublicIpAddress: true,
      PrimaryIpv6: true,
      Ipv6AddressCount: 1,
      Ipv6PrefixCount: 2,
      ConnectionTrackingSpecification: { UdpTimeout: 45 },
    },
    { NetworkCardIndex: 1, DeviceIndex: 1, InterfaceType: 'efa-only', Groups: ['sg-1'] },
  ]);
});

test('07/138 the number of prefixes is in the field of the family of the cluster', () => {
  for (const ipPrefixCount of [0, 1, 10, 100]) {
    const [v4] = data({ spec: { ipPrefixCount } }).NetworkInterfaces!;
    const [v6] = data({ spec: { ipPrefixCount }, cluster: IPV6 }).NetworkInterfaces!;
    assert.deepEqual([v4!.Ipv4PrefixCount, v4!.Ipv6PrefixCount], [ipPrefixCount, undefined]);
    assert.deepEqual([v6!.Ipv4PrefixCount, v6!.Ipv6PrefixCount], [undefined, ipPrefixCount]);
  }
  const [unset] = data().NetworkInterfaces!;
  assert.deepEqual(keys(unset), ['DeviceIndex', 'Groups']);
});

test('07/137 a public address is passed on for each interface as it is set, with EFA and without', () => {
  const types = [typeOf('c5n.large', [offering('on-demand', 1)], { 'vpc.amazonaws.com/efa': '2' })];
  for (const associatePublicIPAddress of [true, false, undefined]) {
    const spec: Spec = associatePublicIPAddress === undefined ? {} : { associatePublicIPAddress };
    for (const [parts, count] of [
      [{ spec, types }, 1],
      [{ spec, types, ...EFA }, 2],
    ] as const) {
      const interfaces = data(parts).NetworkInterfaces!;
      assert.deepEqual(
        interfaces.map((one) => ['AssociatePublicIpAddress' in one, one.AssociatePublicIpAddress]),
        Array.from({ length: count }, () => [associatePublicIPAddress !== undefined, associatePublicIPAddress]),
      );
    }
  }
});

test('07/75 a request for EFA gives an interface for each card, the first of them the primary one', () => {
  const types = [typeOf('c5n.large', [offering('on-demand', 1)], { 'vpc.amazonaws.com/efa': '3' })];
  const { NetworkInterfaces = [] } = data({ types, ...EFA });
  assert.deepEqual(
    NetworkInterfaces.map((one) => [one.InterfaceType, one.NetworkCardIndex, one.DeviceIndex]),
    [
      ['efa', 0, 0],
      ['efa', 1, 1],
      ['efa', 2, 1],
    ],
  );
  assert.deepEqual(data({ types }).NetworkInterfaces, [{ DeviceIndex: 0, Groups: ['sg-1'] }]);
});

test('07/83 enclaves are enabled for those who ask for them, and tags are never in the metadata', () => {
  const enclaves = (requests: Readonly<Record<string, string>>) => data({ requests }).EnclaveOptions?.Enabled;
  assert.equal(enclaves({ 'eks.amazonaws.com/nip-slots': '0' }), true);
  assert.equal(enclaves({ 'eks.amazonaws.com/nitro-sandbox': '1', cpu: '1' }), false);
  assert.equal(enclaves({}), false);
  const metadataOptions = {
    httpEndpoint: 'enabled',
    httpProtocolIPv6: 'enabled',
    httpPutResponseHopLimit: 1,
    httpTokens: 'optional',
  } as const;
  assert.deepEqual(data({ spec: { metadataOptions } }).MetadataOptions, {
    HttpEndpoint: 'enabled',
    HttpProtocolIpv6: 'enabled',
    HttpPutResponseHopLimit: 1,
    HttpTokens: 'optional',
    InstanceMetadataTags: 'disabled',
  });
});

test('regions that do not know IPv6 for the metadata are not told of it', () => {
  assert.equal(data({ region: 'us-iso-east-1' }).MetadataOptions?.HttpProtocolIpv6, undefined);
  assert.equal(data({ cluster: IPV6 }).MetadataOptions?.HttpProtocolIpv6, 'enabled');
});

test('07/84 a template for spot tags the spot request, too', () => {
  const types = [typeOf('m5.large', [offering('spot', 1)])];
  const tagged = (parts: Parts) => data(parts).TagSpecifications!.map(({ ResourceType }) => ResourceType);
  assert.deepEqual(tagged({ types }), ['network-interface', 'spot-instances-request']);
  assert.deepEqual(tagged({}), ['network-interface']);
});

test('07/139 tenancy, monitoring and nested virtualization are passed on', () => {
  assert.equal(data().Placement?.Tenancy, 'default');
  assert.equal(data().Monitoring?.Enabled, false);
  assert.equal(data({ spec: { detailedMonitoring: true } }).Monitoring?.Enabled, true);
  assert.equal(data().CpuOptions, undefined);
  const spec: Spec = { cpuOptions: { nestedVirtualization: 'enabled' } };
  assert.deepEqual(data({ spec }).CpuOptions, { NestedVirtualization: 'enabled' });
});

test('a placement group is named, with the partition if one was chosen', () => {
  const partition = { key: 'karpenter.k8s.aws/placement-group-partition', operator: 'In', values: ['3'] };
  const types = [typeOf('m5.large', [offering('on-demand', 1)])];
  const placementGroup = { id: 'pg-1', name: 'pg', strategy: 'partition', partitionCount: 7 } as const;
  const { requirements } = filterInput(types, { requirements: [partition] }).demand;
  const chosen = chooseTerms(types, requirements, placementGroup);
  assert.deepEqual(data({ placementGroup, terms: chosen }).Placement, {
    Tenancy: 'default',
    GroupId: 'pg-1',
    PartitionNumber: 3,
  });
  assert.deepEqual(data({ placementGroup }).Placement, { Tenancy: 'default', GroupId: 'pg-1' });
  assert.deepEqual(data({ placementGroup, terms: { ...chosen, partition: 'x' } }).Placement, {
    Tenancy: 'default',
    GroupId: 'pg-1',
  });
});
