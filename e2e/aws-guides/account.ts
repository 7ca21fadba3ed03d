// The AWS account that the manifests beside this file are written for: what they name is here, by these ids and names.
import type { Emulator } from '@karpenter-ts/aws-emulator';

export const REGION = 'us-east-1';
export const CLUSTER_NAME = 'demo';
const KUBERNETES = '1.35';
export const CREDENTIALS = { accessKeyId: 'AKIAGUIDES', secretAccessKey: 'guides' };
const STRANGER = '444455556666';
export const NODE_ROLE = 'KarpenterNodeRole-demo';
export const INSTANCE_PROFILE = 'KarpenterNodeInstanceProfile-demo';

/** Ids that the manifests name, or that tests look for. */
export const IDS = {
  publicA: 'subnet-0a00000000000000a',
  publicB: 'subnet-0a00000000000000b',
  privateA: 'subnet-0b00000000000000a',
  privateB: 'subnet-0b00000000000000b',
  privateC: 'subnet-0b00000000000000c',
  nodeGroup: 'sg-0c000000000000001',
  extraGroup: 'sg-0c000000000000002',
  monitoringGroup: 'sg-0c000000000000003',
  clusterGroup: 'sg-0c000000000000004',
  goldenImage: 'ami-0c0ffee0000000001',
  goldenArmImage: 'ami-0c0ffee0000000003',
  taggedImage: 'ami-0c0ffee0000000005',
  reservation: 'cr-0d000000000000001',
  baseline: 'cr-0d000000000000002',
} as const;

const DISCOVERY = { 'karpenter.sh/discovery': CLUSTER_NAME };
const HOUR_MS = 3_600_000;

export interface AccountCluster {
  /** As instances and the controller find it. */
  readonly endpoint: string;
  /** In PEM. */
  readonly certificateAuthority: string;
  readonly ipFamily?: 'ipv4' | 'ipv6';
  /** When it is: images are so and so old. */
  readonly now: number;
}

/** Sets the account up. EC2 knows of its instance profile a few seconds later. */
export function setUpAccount(emulator: Emulator, cluster: AccountCluster): void {
  const { endpoint, certificateAuthority, ipFamily = 'ipv4', now } = cluster;
  addNetwork(emulator, ipFamily);
  emulator.publishNodeImages({ kubernetes: KUBERNETES });
  addOwnImages(emulator, now);
  addReservations(emulator);
  emulator.eks.addCluster({
    name: CLUSTER_NAME,
    version: KUBERNETES,
    endpoint,
    certificateAuthority: Buffer.from(certificateAuthority).toString('base64'),
    ipFamily,
  });
  emulator.iam.addRole(NODE_ROLE);
  emulator.iam.addInstanceProfile(INSTANCE_PROFILE, { role: NODE_ROLE });
}

function addNetwork({ ec2 }: Emulator, ipFamily: 'ipv4' | 'ipv6'): void {
  const vpcId = ec2.addVpc({ cidr: '10.42.0.0/16', tags: { Name: `${CLUSTER_NAME}-vpc` } });
  const add = (kind: 'public' | 'private', letter: 'a' | 'b' | 'c', index: number): void => {
    const isPrivate = kind === 'private';
    ec2.addSubnet({
      id: `subnet-0${isPrivate ? 'b' : 'a'}00000000000000${letter}`,
      vpcId,
      zone: `${REGION}${letter}`,
      cidr: `10.42.${index * 16}.0/20`,
      mapsPublicIps: !isPrivate,
      ...(ipFamily === 'ipv6' && { ipv6Cidr: `2600:1f18:0:${index}::/64` }),
      tags: {
        Name: `${CLUSTER_NAME}-${kind}-1-1${letter}`,
        [isPrivate ? 'kubernetes.io/role/internal-elb' : 'kubernetes.io/role/elb']: '1',
        ...(isPrivate && DISCOVERY),
      },
    });
  };
  add('public', 'a', 0);
  add('public', 'b', 1);
  add('private', 'a', 2);
  add('private', 'b', 3);
  add('private', 'c', 4);
  ec2.addSecurityGroup({ id: IDS.nodeGroup, vpcId, name: `${CLUSTER_NAME}-node`, tags: DISCOVERY });
  ec2.addSecurityGroup({ id: IDS.extraGroup, vpcId, name: 'databases' });
  ec2.addSecurityGroup({ id: IDS.monitoringGroup, vpcId, name: 'shared-monitoring' });
  ec2.addSecurityGroup({
    id: IDS.clusterGroup,
    vpcId,
    name: `eks-cluster-sg-${CLUSTER_NAME}`,
    tags: { 'aws:eks:cluster-name': CLUSTER_NAME },
  });
}

/** Two of each name, of which the newer is meant, and some that are not meant. */
function addOwnImages({ ec2 }: Emulator, now: number): void {
  const own = (id: string, name: string, age: number, owner = 'self', tags = {}): void => {
    const architecture = name.includes('arm64') ? 'arm64' : 'x86_64';
    ec2.addImage({ id, name, architecture, owner, tags, createdAt: now - age * HOUR_MS });
  };
  own(IDS.goldenImage, 'golden-al2023-x86_64-20260301', 48);
  own('ami-0c0ffee0000000002', 'golden-al2023-arm64-20260201', 72);
  own(IDS.goldenArmImage, 'golden-al2023-arm64-20260301', 48);
  own('ami-0c0ffee0000000004', 'golden-al2023-arm64-20260401', 24, STRANGER);
  own(IDS.taggedImage, 'our-own-x86_64', 24, 'self', { environment: 'production', team: 'platform' });
  own('ami-0c0ffee0000000006', 'our-own-x86_64-before', 96, 'self', { environment: 'production', team: 'platform' });
  own('ami-0c0ffee0000000007', 'our-own-x86_64-next', 1, 'self', { environment: 'staging', team: 'platform' });
}

function addReservations({ ec2 }: Emulator): void {
  const zone = `${REGION}a`;
  ec2.addCapacityReservation({ id: IDS.reservation, instanceType: 'm5.xlarge', zone, count: 1 });
  ec2.addCapacityReservation({
    id: IDS.baseline,
    instanceType: 'm6i.xlarge',
    zone: `${REGION}b`,
    count: 1,
    matchCriteria: 'open',
    tags: { purpose: 'baseline' },
  });
}
