import type { Json, JsonObject } from '@karpenter-ts/kubernetes';
import { type AdmissionCase, because } from './admission-case.ts';
import { type Changes, variant } from './variant.ts';

const BASE: JsonObject = {
  apiVersion: 'karpenter.k8s.aws/v1',
  kind: 'EC2NodeClass',
  metadata: { name: 'default' },
  spec: {
    role: 'node-role',
    amiSelectorTerms: [{ alias: 'al2023@latest' }],
    subnetSelectorTerms: [{ tags: { discovery: 'x' } }],
    securityGroupSelectorTerms: [{ tags: { discovery: 'x' } }],
  },
};

const nodeClass = (changes: Changes): JsonObject => variant(BASE, changes);
const spec = (field: string, value: Json | undefined): JsonObject => nodeClass({ [`spec.${field}`]: value });
const amis = (...terms: readonly Json[]): JsonObject =>
  nodeClass({ 'spec.amiSelectorTerms': terms, 'spec.amiFamily': 'AL2023' });
const alias = (text: string): JsonObject => spec('amiSelectorTerms', [{ alias: text }]);
const volume = (ebs: JsonObject): JsonObject => spec('blockDeviceMappings', [{ deviceName: '/dev/xvda', ebs }]);
const kubelet = (fields: JsonObject): JsonObject => spec('kubelet', fields);

const FAMILIES = ['AL2', 'AL2023', 'Bottlerocket', 'Windows2019', 'Windows2022', 'Windows2025'];
const EXCLUSIVE = 'is mutually exclusive';
const NONE = 'expected at least one, got none';
const EMPTY_TAGS = "empty tag keys or values aren't supported";

const imageCases: readonly AdmissionCase[] = [
  {
    id: '01/68',
    title: 'instances get a role or an instance profile, not both, and may switch',
    flavour: 'aws',
    accepted: [nodeClass({}), nodeClass({ 'spec.role': undefined, 'spec.instanceProfile': 'profile' })],
    refused: [
      ...because('must specify exactly one of', spec('instanceProfile', 'profile'), spec('role', undefined)),
      ...because('role cannot be empty', spec('role', '')),
      ...because('instanceProfile cannot be empty', nodeClass({ 'spec.role': undefined, 'spec.instanceProfile': '' })),
    ],
    updates: [{ from: nodeClass({}), to: nodeClass({ 'spec.role': undefined, 'spec.instanceProfile': 'profile' }) }],
  },
  {
    id: '01/69',
    title: 'amiFamily agrees with the alias, is Custom, or stands alone',
    flavour: 'aws',
    accepted: FAMILIES.flatMap((family) => {
      const terms = [{ alias: `${family.toLowerCase()}@latest` }];
      return [undefined, family, 'Custom'].map((amiFamily) =>
        nodeClass({ 'spec.amiSelectorTerms': terms, 'spec.amiFamily': amiFamily }),
      );
    }),
    refused: [
      ...because('Unsupported value: "Ubuntu"', spec('amiFamily', 'Ubuntu')),
      ...because(
        'must specify amiFamily if amiSelectorTerms does not contain an alias',
        spec('amiSelectorTerms', [{ id: 'ami-1' }]),
      ),
      ...FAMILIES.flatMap((family, index) => {
        const terms = [{ alias: `${family.toLowerCase()}@latest` }];
        const other = FAMILIES[(index + 1) % FAMILIES.length]!;
        const article = family.startsWith('AL') ? 'an' : 'a';
        return because(
          `if set, amiFamily must be '${family}' or 'Custom' when using ${article} ${family} alias`,
          nodeClass({ 'spec.amiSelectorTerms': terms, 'spec.amiFamily': other }),
        );
      }),
    ],
  },
  {
    id: '01/70',
    title: 'an alias is a known family and a version',
    flavour: 'aws',
    accepted: ['bottlerocket@1.10.0', 'al2@v20240625', 'al2@v1@x', 'windows2022@latest'].map(alias),
    refused: [
      ...['@latest', 'al2023', 'al2023@', 'al2023-latest'].flatMap((text) =>
        because('is improperly formatted', alias(text)),
      ),
      ...because('family is not supported', alias('ubuntu@latest'), alias('AL2@latest')),
      ...because("windows families may only specify version 'latest'", alias('windows2022@v1.0.0')),
      ...because('may not be more than 30 bytes', alias(`al2023@${'1'.repeat(30)}`)),
    ],
  },
  {
    id: '01/71',
    title: 'an alias or an id stands alone in its term, an alias alone in the list',
    flavour: 'aws',
    accepted: [
      amis({ name: 'a', owner: 'self' }),
      amis({ tags: { a: 'b' }, owner: 'self' }),
      amis({ id: 'ami-1' }, { id: 'ami-2' }),
      amis({ ssmParameter: '/a/b' }),
      amis({ ssmParameter: '/a/b', id: 'ami-1' }),
    ],
    refused: [
      ...because(
        EXCLUSIVE,
        amis({ alias: 'al2023@latest' }, { id: 'ami-1' }),
        amis({ alias: 'al2023@latest', id: 'ami-1' }),
      ),
      ...because(EXCLUSIVE, amis({ id: 'ami-1', owner: 'self' }), amis({ alias: 'al2023@latest', owner: 'self' })),
      ...because(NONE, amis({ owner: 'self' }), amis({})),
      ...because('should have at least 1 items', amis()),
      ...because('Required value', spec('amiSelectorTerms', undefined)),
      ...because('should match', amis({ id: 'image-1' })),
      ...because(EMPTY_TAGS, amis({ tags: { '': 'a' } })),
    ],
  },
];

const networkCases: readonly AdmissionCase[] = [
  {
    id: '01/72',
    title: 'subnet and security group terms select something',
    flavour: 'aws',
    accepted: ['subnet', 'securityGroup'].flatMap((what) => {
      const id = what === 'subnet' ? 'subnet-1' : 'sg-1';
      return [[{ id }], [{ id }, { id, tags: { a: 'b' } }], [{ id: `x ${id} y` }]].map((terms) =>
        spec(`${what}SelectorTerms`, terms),
      );
    }),
    refused: ['subnet', 'securityGroup'].flatMap((what) => {
      const terms = `${what}SelectorTerms`;
      const id = what === 'subnet' ? 'subnet-1' : 'sg-1';
      const last = [{ id }, { id }, { tags: { a: 'b' } }, {}];
      return [
        ...because('Required value', spec(terms, undefined)),
        ...because(`${terms} cannot be empty`, spec(terms, [])),
        ...because(NONE, spec(terms, [{}]), spec(terms, last)),
        ...because(EMPTY_TAGS, spec(terms, [{ tags: { '': 'a' } }]), spec(terms, [{ tags: { a: '' } }])),
        ...because("'id' is mutually exclusive", spec(terms, [{ id, tags: { a: 'b' } }])),
        ...because('should match', spec(terms, [{ id: 'x' }])),
        ...because(
          'must have at most 30 items',
          spec(
            terms,
            Array.from({ length: 31 }, () => ({ id })),
          ),
        ),
      ];
    }),
  },
  {
    id: '01/73',
    title: 'a security group term does not mix id or name with others',
    flavour: 'aws',
    refused: [
      ...because("'id' is mutually exclusive", spec('securityGroupSelectorTerms', [{ id: 'sg-1', name: 'a' }])),
      ...because("'name' is mutually exclusive", spec('securityGroupSelectorTerms', [{ name: 'a', tags: { a: 'b' } }])),
    ],
  },
  {
    id: '01/74',
    title: 'capacity reservations are found by id, or by tags and criteria',
    flavour: 'aws',
    accepted: [
      spec('capacityReservationSelectorTerms', [
        { instanceMatchCriteria: 'open', tags: { a: 'b' }, ownerID: '012345678901' },
      ]),
      spec('capacityReservationSelectorTerms', [{ id: 'cr-123' }]),
    ],
    refused: [
      ...because('should match', spec('capacityReservationSelectorTerms', [{ id: 'r-1' }])),
      ...because(
        'should match',
        spec('capacityReservationSelectorTerms', [{ tags: { a: 'b' }, ownerID: '01234567890' }]),
      ),
      ...because(NONE, spec('capacityReservationSelectorTerms', [{ ownerID: '012345678901' }])),
      ...because(EXCLUSIVE, spec('capacityReservationSelectorTerms', [{ id: 'cr-1', instanceMatchCriteria: 'open' }])),
      ...because(EXCLUSIVE, spec('capacityReservationSelectorTerms', [])), // "not all of none" is false
    ],
  },
  {
    id: '01/75',
    title: 'tags that the product writes are not for users',
    flavour: 'aws',
    accepted: [
      nodeClass({ 'spec tags': { 'karpenter.sh/custom-key': 'a' } }),
      spec('tags', {}),
      spec('tags', { a: '' }),
    ],
    refused: [
      ...[
        'karpenter.sh/nodepool',
        'kubernetes.io/cluster/x',
        'eks:eks-cluster-name',
        'karpenter.sh/nodeclaim',
        'karpenter.k8s.aws/ec2nodeclass',
      ].flatMap((tag) => because('tag contains a restricted tag matching', nodeClass({ 'spec tags': { [tag]: 'a' } }))),
      ...because("empty tag keys aren't supported", spec('tags', { '': 'a' })),
    ],
  },
  {
    id: '01/78',
    title: 'network interfaces have a primary and no doubles',
    flavour: 'aws',
    accepted: [
      spec('networkInterfaces', []),
      interfaces([0, 0, 'interface']),
      interfaces([0, 0, 'interface'], [0, 1, 'efa-only'], [1, 0, 'efa-only']),
    ],
    refused: [
      ...because('must include a primary interface', interfaces([0, 1, 'interface']), interfaces([0, 0, 'efa-only'])),
      ...because(
        'must not have duplicate',
        interfaces([0, 0, 'interface'], [0, 0, 'interface']),
        interfaces([0, 0, 'interface'], [1, 0, 'efa-only'], [1, 1, 'efa-only']),
      ),
      ...because('Unsupported value: "efa"', interfaces([0, 0, 'efa'])),
      ...because('should be greater than or equal to 0', interfaces([0, -1, 'interface'])),
      ...because('Required value', spec('networkInterfaces', [{ deviceIndex: 0, networkCardIndex: 0 }])),
    ],
  },
  {
    id: '01/79',
    title: 'connection tracking sets at least one time-out, within bounds',
    flavour: 'aws',
    accepted: [
      spec('connectionTracking', { tcpEstablishedTimeout: 60, udpStreamTimeout: 180, udpTimeout: 30 }),
      spec('connectionTracking', { tcpEstablishedTimeout: 432000 }),
    ],
    refused: [
      ...because('at least one of tcpEstablishedTimeout', spec('connectionTracking', {})),
      ...because(
        'should be greater than or equal to',
        ...[{ tcpEstablishedTimeout: 59 }, { udpStreamTimeout: 59 }, { udpTimeout: 29 }].map((value) =>
          spec('connectionTracking', value),
        ),
      ),
      ...because(
        'should be less than or equal to',
        ...[{ tcpEstablishedTimeout: 432001 }, { udpStreamTimeout: 181 }, { udpTimeout: 61 }].map((value) =>
          spec('connectionTracking', value),
        ),
      ),
    ],
  },
  {
    id: '01 §7.1',
    title: 'a placement group is named or given by id',
    flavour: 'aws',
    accepted: [spec('placementGroupSelector', { name: 'a' }), spec('placementGroupSelector', { id: 'pg-1' })],
    refused: [
      ...because("expected at least one, got none, ['name', 'id']", spec('placementGroupSelector', {})),
      ...because("'name' and 'id' are mutually exclusive", spec('placementGroupSelector', { name: 'a', id: 'pg-1' })),
      ...because('should match', spec('placementGroupSelector', { id: 'xpg-1' })),
      ...because('should be at least 1 chars long', spec('placementGroupSelector', { name: '' })),
    ],
  },
];

function interfaces(...items: readonly (readonly [card: number, device: number, type: string])[]): JsonObject {
  return spec(
    'networkInterfaces',
    items.map(([networkCardIndex, deviceIndex, interfaceType]) => ({ networkCardIndex, deviceIndex, interfaceType })),
  );
}

const instanceCases: readonly AdmissionCase[] = [
  {
    id: '01/76',
    title: 'one disk may be the root volume, and a disk has a size or a snapshot',
    flavour: 'aws',
    accepted: [
      ...['58G', '45T', '20Gi', '1Ti', '64T', '59000Gi', 'Ti'].map((volumeSize) => volume({ volumeSize })),
      volume({ snapshotID: 'snap-1' }),
      spec('blockDeviceMappings', [{ rootVolume: true }, { rootVolume: false }, {}]),
    ],
    refused: [
      ...because(
        'must have only one blockDeviceMappings with rootVolume',
        spec('blockDeviceMappings', [{ rootVolume: true }, { rootVolume: true }]),
      ),
      ...['1m', '0', '100T', '20', '65000G', '18Ti'].flatMap((volumeSize) =>
        because('should match', volume({ volumeSize })),
      ),
      ...because('snapshotID or volumeSize must be defined', volume({}), volume({ volumeType: 'gp3' })),
      ...because('Unsupported value: "gp1"', volume({ volumeSize: '1Gi', volumeType: 'gp1' })),
      ...because('must be of type integer: "boolean"', volume({ volumeSize: '1Gi', iops: true })),
    ],
  },
  {
    id: '01/77',
    title: 'the initialisation rate is 100 to 300 and goes with a snapshot',
    flavour: 'aws',
    accepted: [volume({ snapshotID: 'snap-1', volumeInitializationRate: 100 })],
    refused: [
      ...because(
        'should be greater than or equal to 100',
        volume({ snapshotID: 'snap-1', volumeInitializationRate: 99 }),
      ),
      ...because(
        'should be less than or equal to 300',
        volume({ snapshotID: 'snap-1', volumeInitializationRate: 301 }),
      ),
      ...because(
        'snapshotID must be set when volumeInitializationRate is set',
        volume({ volumeSize: '1Gi', volumeInitializationRate: 100 }),
        volume({ volumeSize: '1Gi', volumeInitializationRate: 100, snapshotID: '' }),
      ),
    ],
  },
  {
    id: '01/80',
    title: 'metadata options have bounds',
    flavour: 'aws',
    accepted: [
      spec('metadataOptions', { httpTokens: 'optional' }),
      spec('metadataOptions', { httpPutResponseHopLimit: 64 }),
    ],
    refused: [
      ...because('should be greater than or equal to 1', spec('metadataOptions', { httpPutResponseHopLimit: -5 })),
      ...because('should be less than or equal to 64', spec('metadataOptions', { httpPutResponseHopLimit: 65 })),
      ...because('Unsupported value: "never"', spec('metadataOptions', { httpEndpoint: 'never' })),
    ],
  },
  {
    id: '01 §7.1',
    title: 'an EC2NodeClass without spec is admitted, and so are empty CPU options',
    flavour: 'aws',
    accepted: [nodeClass({ spec: undefined }), spec('cpuOptions', {}), spec('ipPrefixCount', 0)],
    refused: [
      ...because('Unsupported value: "yes"', spec('cpuOptions', { nestedVirtualization: 'yes' })),
      ...because('should be greater than or equal to 0', spec('ipPrefixCount', -1)),
      ...because('must be of type boolean: "string"', spec('detailedMonitoring', 'true')),
      ...because('Unsupported value: "RAID5"', spec('instanceStorePolicy', 'RAID5')),
    ],
  },
];

const kubeletCases: readonly AdmissionCase[] = [
  {
    id: '01/86',
    title: 'reservations and thresholds have known keys and sane values',
    flavour: 'aws',
    accepted: [
      kubelet({
        kubeReserved: { cpu: '100m', 'ephemeral-storage': '1Gi', pid: '10' },
        systemReserved: { memory: '1Gi' },
      }),
      kubelet({ evictionHard: { 'memory.available': '5%', 'nodefs.available': '1Gi', 'pid.available': '' } }),
    ],
    refused: [
      ...because(
        "valid keys for kubeReserved are ['cpu','memory','ephemeral-storage','pid']",
        kubelet({ kubeReserved: { pods: '1' } }),
      ),
      ...because(
        'kubeReserved value cannot be a negative resource quantity',
        kubelet({ kubeReserved: { memory: '-1Gi' } }),
      ),
      ...because(
        'systemReserved value cannot be a negative resource quantity',
        kubelet({ systemReserved: { cpu: '-1' } }),
      ),
      ...because(
        "valid keys for systemReserved are ['cpu','memory','ephemeral-storage','pid']",
        kubelet({ systemReserved: { x: '1' } }),
      ),
      ...because('valid keys for evictionHard are', kubelet({ evictionHard: { memory: '5%' } })),
      ...['5%3', '110%', '110GB'].flatMap((text) =>
        because('should match', kubelet({ evictionHard: { 'memory.available': text } })),
      ),
      ...because('should be greater than or equal to 0', kubelet({ maxPods: -1 }), kubelet({ podsPerCore: -1 })),
      ...because('unknown field "spec.kubelet.serializeImagePulls"', kubelet({ serializeImagePulls: false })),
    ],
  },
  {
    id: '01/87',
    title: 'soft thresholds and grace periods come in pairs, and image thresholds in order',
    flavour: 'aws',
    accepted: [
      kubelet({
        evictionSoft: { 'memory.available': '5%' },
        evictionSoftGracePeriod: { 'memory.available': '1m' },
      }),
      kubelet({ imageGCHighThresholdPercent: 50, imageGCLowThresholdPercent: 49 }),
    ],
    refused: [
      ...because(
        'evictionSoft OwnerKey does not have a matching evictionSoftGracePeriod',
        kubelet({
          evictionSoft: { 'memory.available': '5%' },
          evictionSoftGracePeriod: { 'nodefs.available': '1m' },
        }),
      ),
      ...because(
        'evictionSoftGracePeriod OwnerKey does not have a matching evictionSoft',
        kubelet({
          evictionSoft: { 'memory.available': '5%' },
          evictionSoftGracePeriod: { 'memory.available': '1m', 'nodefs.available': '1m' },
        }),
      ),
      ...because(
        'no such key: evictionSoftGracePeriod evaluating rule',
        kubelet({ evictionSoft: { 'memory.available': '5%' } }),
      ),
      ...because(
        'no such key: evictionSoft evaluating rule',
        kubelet({ evictionSoftGracePeriod: { 'memory.available': '1m' } }),
      ),
      ...because(
        'valid keys for evictionSoftGracePeriod are',
        kubelet({ evictionSoft: { x: '1' }, evictionSoftGracePeriod: { x: '1m' } }),
      ),
      ...because(
        'imageGCHighThresholdPercent must be greater than imageGCLowThresholdPercent',
        kubelet({ imageGCHighThresholdPercent: 50, imageGCLowThresholdPercent: 50 }),
      ),
      ...because('should be less than or equal to 100', kubelet({ imageGCHighThresholdPercent: 101 })),
    ],
  },
];

export const EC2_NODE_CLASS_CASES: readonly AdmissionCase[] = [
  ...imageCases,
  ...networkCases,
  ...instanceCases,
  ...kubeletCases,
];
