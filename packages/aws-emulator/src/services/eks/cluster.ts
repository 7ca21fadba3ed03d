import type { Cluster, IpFamily, VpcConfigRequest } from '@aws-sdk/client-eks';
import { type Place, partitionOf } from '../../state/place.ts';
import type { Random } from '../../state/random.ts';

export interface NewEksCluster {
  readonly name: string;
  /** As `1.34`, which it is unless given. */
  readonly version?: string | undefined;
  /** Where the API server is; an address of EKS unless given. */
  readonly endpoint?: string | undefined;
  /** The certificates to trust, in PEM and base64. */
  readonly certificateAuthority?: string | undefined;
  readonly roleArn?: string | undefined;
  readonly resourcesVpcConfig?: VpcConfigRequest | undefined;
  /** 10.100.0.0/16 unless given. A cluster of IPv6 gets addresses of its own. */
  readonly serviceIpv4Cidr?: string | undefined;
  readonly ipFamily?: IpFamily | undefined;
  readonly tags?: Record<string, string> | undefined;
}

export interface EksCluster {
  readonly name: string;
  readonly arn: string;
  readonly version: string;
  readonly endpoint: string;
  readonly certificateAuthority: string;
  readonly roleArn: string;
  readonly resourcesVpcConfig: VpcConfigRequest;
  readonly serviceIpv4Cidr: string;
  readonly serviceIpv6Cidr: string | undefined;
  readonly tags: Record<string, string>;
  readonly createdAt: number;
  readonly activeAt: number;
}

const USUAL_VERSION = '1.34';
const USUAL_SERVICE_CIDR = '10.100.0.0/16';

export function newCluster(
  cluster: NewEksCluster,
  { account, region }: Place,
  { random, clock, activeAt }: { random: Random; clock: { now(): number }; activeAt: number },
): EksCluster {
  const { name, version = USUAL_VERSION, resourcesVpcConfig = {}, tags = {}, ipFamily = 'ipv4' } = cluster;
  const partition = partitionOf(region);
  return {
    name,
    arn: `arn:${partition}:eks:${region}:${account}:cluster/${name}`,
    version,
    endpoint: cluster.endpoint ?? `https://${random.hex(32).toUpperCase()}.gr7.${region}.eks.amazonaws.com`,
    certificateAuthority: cluster.certificateAuthority ?? Buffer.from(`certificates of ${name}`).toString('base64'),
    roleArn: cluster.roleArn ?? `arn:${partition}:iam::${account}:role/${name}-cluster`,
    resourcesVpcConfig,
    serviceIpv4Cidr: cluster.serviceIpv4Cidr ?? USUAL_SERVICE_CIDR,
    serviceIpv6Cidr: ipFamily === 'ipv6' ? `fd${random.hex(2)}:${random.hex(4)}:${random.hex(4)}::/108` : undefined,
    tags,
    createdAt: clock.now(),
    activeAt,
  };
}

/** As DescribeCluster tells of it: until it is active it has no endpoint and no certificates. */
export function describe(cluster: EksCluster, now: number): Cluster {
  const { name, arn, version, endpoint, certificateAuthority, roleArn, resourcesVpcConfig, tags, createdAt } = cluster;
  const isActive = now >= cluster.activeAt;
  const { serviceIpv4Cidr, serviceIpv6Cidr } = cluster;
  return {
    name,
    arn,
    createdAt: new Date(createdAt),
    version,
    ...(isActive && { endpoint, certificateAuthority: { data: certificateAuthority } }),
    roleArn,
    resourcesVpcConfig: { ...resourcesVpcConfig, endpointPublicAccess: true, endpointPrivateAccess: false },
    kubernetesNetworkConfig:
      serviceIpv6Cidr === undefined ? { serviceIpv4Cidr, ipFamily: 'ipv4' } : { serviceIpv6Cidr, ipFamily: 'ipv6' },
    status: isActive ? 'ACTIVE' : 'CREATING',
    platformVersion: 'eks.1',
    tags,
  };
}
