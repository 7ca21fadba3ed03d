import {
  boolean,
  defaulted,
  type Infer,
  integer,
  list,
  map,
  object,
  oneOf,
  required,
  string,
} from '../../schema/schema.ts';
import type { KubernetesObject, ValidationRule } from '@karpenter-ts/kubernetes';
import {
  amiSelectorTerms,
  capacityReservationSelectorTerms,
  placementGroupSelector,
  securityGroupSelectorTerms,
  subnetSelectorTerms,
} from './ec2-selector-terms.ts';
import { ec2NodeClassStatus } from './ec2-node-class-status.ts';
import { kubeletConfiguration } from './kubelet-configuration.ts';
import { AGE_COLUMN, READY_COLUMN, type Resource } from '../../schema/resource.ts';

/** Sizes EC2 offers. The empty alternatives before Ti and T are upstream's (spec 01 §14, 4). */
const VOLUME_SIZE =
  '^((?:[1-9][0-9]{0,3}|[1-4][0-9]{4}|[5][0-8][0-9]{3}|59000)Gi|(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}|[6][0-3][0-9]{3}|64000)G|([1-9]||[1-5][0-7]|58)Ti|([1-9]||[1-5][0-9]|6[0-3]|64)T)$';

const ebs = object(
  'An EBS volume.',
  {
    deleteOnTermination: boolean('Whether the volume goes with the instance.'),
    encrypted: boolean('Whether the volume is encrypted.'),
    iops: integer('Operations per second to provision, for gp3, io1 and io2.', { format: 'int64' }),
    kmsKeyID: string('Key to encrypt with.'),
    snapshotID: string('Snapshot to make the volume from.'),
    throughput: integer('Throughput to provision in MiB/s, for gp3.', { format: 'int64' }),
    volumeInitializationRate: integer('MiB/s at which the snapshot is read in.', {
      format: 'int32',
      minimum: 100,
      maximum: 300,
    }),
    volumeSize: string('Size in Gi, G, Ti or T.', { pattern: VOLUME_SIZE }),
    volumeType: oneOf('Kind of volume.', ['standard', 'io1', 'io2', 'gp2', 'sc1', 'st1', 'gp3']),
  },
  [
    { message: 'snapshotID or volumeSize must be defined', rule: 'has(self.snapshotID) || has(self.volumeSize)' },
    {
      message: 'snapshotID must be set when volumeInitializationRate is set',
      rule: "!has(self.volumeInitializationRate) || (has(self.snapshotID) && self.snapshotID != '')",
    },
  ],
);

const blockDeviceMappings = list(
  'Disks of the instance.',
  object('One disk.', {
    deviceName: string('Name of the device.'),
    ebs,
    rootVolume: boolean('Whether the kubelet keeps its data here; at most one disk may say so.'),
  }),
  {
    maxItems: 50,
    rules: [
      {
        message: 'must have only one blockDeviceMappings with rootVolume',
        rule: 'self.filter(x, has(x.rootVolume)?x.rootVolume==true:false).size() <= 1',
      },
    ],
  },
);

const networkInterfaces = list(
  'Network interfaces of the instance.',
  object('One interface.', {
    deviceIndex: required(integer('Index of the device on its card.', { format: 'int32', minimum: 0 })),
    interfaceType: required(oneOf('An ordinary interface, or one for EFA only.', ['interface', 'efa-only'])),
    networkCardIndex: required(integer('Index of the network card.', { format: 'int32', minimum: 0 })),
  }),
  {
    maxItems: 150,
    rules: [
      {
        message: "networkInterfaces must include a primary interface with interfaceType='interface'",
        rule: "self.size() == 0 || self.exists(x, x.deviceIndex == 0 && x.networkCardIndex == 0 && x.interfaceType == 'interface')",
      },
      {
        message:
          'networkInterfaces must not have duplicate networkCardIndex and deviceIndex pairs, and can have at most one efa device per network card',
        rule: "self.all(x, self.filter(y, x.networkCardIndex == y.networkCardIndex && x.deviceIndex == y.deviceIndex).size() == 1 && (x.interfaceType != 'efa-only' || self.filter(y, x.networkCardIndex == y.networkCardIndex && y.interfaceType == 'efa-only').size() == 1))",
      },
    ],
  },
);

const METADATA_DEFAULTS = {
  httpEndpoint: 'enabled',
  httpProtocolIPv6: 'disabled',
  httpPutResponseHopLimit: 1,
  httpTokens: 'required',
};

const metadataOptions = object('How the instance reaches the instance metadata service.', {
  httpEndpoint: defaulted(oneOf('Whether the service answers.', ['enabled', 'disabled']), 'enabled'),
  httpProtocolIPv6: defaulted(oneOf('Whether it answers on IPv6.', ['enabled', 'disabled']), 'disabled'),
  httpPutResponseHopLimit: defaulted(
    integer('Hops a token may travel.', { format: 'int64', minimum: 1, maximum: 64 }),
    1,
  ),
  httpTokens: defaulted(oneOf('Whether a token is needed.', ['required', 'optional']), 'required'),
});

const seconds = (description: string, minimum: number, maximum: number) =>
  integer(description, { format: 'int32', minimum, maximum });

const connectionTracking = object(
  'Time-outs of connection tracking, in seconds.',
  {
    tcpEstablishedTimeout: seconds('Of idle established TCP connections.', 60, 432000),
    udpStreamTimeout: seconds('Of idle UDP streams.', 60, 180),
    udpTimeout: seconds('Of UDP flows seen in one direction only.', 30, 60),
  },
  [
    {
      message: 'at least one of tcpEstablishedTimeout, udpStreamTimeout, or udpTimeout must be set',
      rule: 'has(self.tcpEstablishedTimeout) || has(self.udpStreamTimeout) || has(self.udpTimeout)',
    },
  ],
);

const tags = map('Tags of everything that is launched.', string('One value.'), {
  rules: [
    { message: "empty tag keys aren't supported", rule: "self.all(k, k != '')" },
    {
      message: 'tag contains a restricted tag matching eks:eks-cluster-name',
      rule: "self.all(k, k !='eks:eks-cluster-name')",
    },
    {
      message: 'tag contains a restricted tag matching kubernetes.io/cluster/',
      rule: "self.all(k, !k.startsWith('kubernetes.io/cluster') )",
    },
    {
      message: 'tag contains a restricted tag matching karpenter.sh/nodepool',
      rule: "self.all(k, k != 'karpenter.sh/nodepool')",
    },
    {
      message: 'tag contains a restricted tag matching karpenter.sh/nodeclaim',
      rule: "self.all(k, k !='karpenter.sh/nodeclaim')",
    },
    {
      message: 'tag contains a restricted tag matching karpenter.k8s.aws/ec2nodeclass',
      rule: "self.all(k, k !='karpenter.k8s.aws/ec2nodeclass')",
    },
  ],
});

/** An alias fixes the family; `amiFamily` may only repeat it or say Custom. */
const aliasFamilyRule = (family: string, article: 'a' | 'an'): ValidationRule => ({
  message: `if set, amiFamily must be '${family}' or 'Custom' when using ${article} ${family} alias`,
  rule: `!has(self.amiFamily) || (self.amiSelectorTerms.exists(x, has(x.alias) && x.alias.find('^[^@]+') == '${family.toLowerCase()}') ? (self.amiFamily == 'Custom' || self.amiFamily == '${family}') : true)`,
});

const spec = object(
  'How instances are launched in AWS.',
  {
    amiFamily: oneOf('Decides user data and default disks; taken from the alias if there is one.', [
      'AL2',
      'AL2023',
      'Bottlerocket',
      'Custom',
      'Windows2019',
      'Windows2022',
      'Windows2025',
    ]),
    amiSelectorTerms: required(amiSelectorTerms),
    associatePublicIPAddress: boolean('Whether instances get a public address, whatever the subnet says.'),
    blockDeviceMappings,
    capacityReservationSelectorTerms,
    connectionTracking,
    context: string('Reserved by EC2.'),
    cpuOptions: object('Options of the processor.', {
      nestedVirtualization: oneOf('Whether instances may run virtual machines.', ['enabled', 'disabled']),
    }),
    detailedMonitoring: boolean('Whether detailed monitoring is on.'),
    instanceProfile: string('Instance profile of the instances, instead of a role.', {
      rules: [{ message: 'instanceProfile cannot be empty', rule: "self != ''" }],
    }),
    instanceStorePolicy: oneOf('What is done with local disks.', ['RAID0']),
    ipPrefixCount: integer('IPv4 prefixes to assign to the primary interface.', { format: 'int32', minimum: 0 }),
    kubelet: kubeletConfiguration,
    metadataOptions: defaulted(metadataOptions, METADATA_DEFAULTS),
    networkInterfaces,
    placementGroupSelector,
    role: string('Role of the instances; an instance profile is made for it.', {
      rules: [{ message: 'role cannot be empty', rule: "self != ''" }],
    }),
    securityGroupSelectorTerms: required(securityGroupSelectorTerms),
    subnetSelectorTerms: required(subnetSelectorTerms),
    tags,
    userData: string('User data to merge into what the image family needs.'),
  },
  [
    {
      message: "must specify exactly one of ['role', 'instanceProfile']",
      rule: '(has(self.role) && !has(self.instanceProfile)) || (!has(self.role) && has(self.instanceProfile))',
    },
    aliasFamilyRule('AL2', 'an'),
    aliasFamilyRule('AL2023', 'an'),
    aliasFamilyRule('Bottlerocket', 'a'),
    aliasFamilyRule('Windows2019', 'a'),
    aliasFamilyRule('Windows2022', 'a'),
    aliasFamilyRule('Windows2025', 'a'),
    {
      message: 'must specify amiFamily if amiSelectorTerms does not contain an alias',
      rule: 'self.amiSelectorTerms.exists(x, has(x.alias)) ? true : has(self.amiFamily)',
    },
  ],
);

const body = object('How instances are made in AWS.', { spec, status: ec2NodeClassStatus });

export type EC2NodeClass = KubernetesObject<'karpenter.k8s.aws/v1', 'EC2NodeClass', Infer<typeof body>>;

export const ec2NodeClassResource: Resource = {
  group: 'karpenter.k8s.aws',
  version: 'v1',
  kind: 'EC2NodeClass',
  plural: 'ec2nodeclasses',
  shortNames: ['ec2nc', 'ec2ncs'],
  categories: ['karpenter'],
  scope: 'Cluster',
  columns: [READY_COLUMN, AGE_COLUMN, { name: 'Role', type: 'string', jsonPath: '.spec.role', wide: true }],
  schema: body,
};
