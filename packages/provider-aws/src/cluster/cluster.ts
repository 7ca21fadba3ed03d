import { errorText, type Logger } from '@karpenter-ts/runtime';
import type { AwsApis, EksApi } from '../api/aws-apis.ts';
import type { ClusterFacts, JoinedCluster } from './cluster-facts.ts';

export interface ClusterDeps {
  readonly facts: ClusterFacts;
  readonly eks: EksApi;
}

/** The cluster that instances join. The range of its service addresses is found out once, when something needs it. */
export class Cluster implements JoinedCluster {
  readonly name: string;
  readonly endpoint: string;
  readonly caBundle: string | undefined;
  readonly kubeDnsIp: string | undefined;
  readonly #eks: EksApi;
  #cidr: string | undefined;

  constructor({ facts, eks }: ClusterDeps) {
    this.name = facts.name;
    this.endpoint = facts.endpoint;
    this.caBundle = facts.caBundle;
    this.kubeDnsIp = facts.kubeDnsIp;
    this.#eks = eks;
  }

  get cidr(): string | undefined {
    return this.#cidr;
  }

  /** Finds the service addresses if they are not known; IPv4 is taken where there are both (spec 08 §2). */
  async resolveCidr(signal: AbortSignal): Promise<void> {
    if (this.#cidr !== undefined) return;
    const { cluster } = await this.#eks.describeCluster({ name: this.name }, signal);
    const { serviceIpv4Cidr, serviceIpv6Cidr } = cluster?.kubernetesNetworkConfig ?? {};
    this.#cidr = serviceIpv4Cidr || serviceIpv6Cidr || undefined;
    if (this.#cidr === undefined) throw new Error('no CIDR found in DescribeCluster response');
  }
}

export interface ZonalShiftQuestion extends Pick<AwsApis, 'eks' | 'arcZonalShift'> {
  readonly logger: Logger;
}

/**
 * The ARN of the cluster, if ARC manages it. Throws, in upstream's words, if it does not: zonal shifts could then not be
 * seen.
 */
export async function requireZonalShift(
  clusterName: string,
  { eks, arcZonalShift, logger }: ZonalShiftQuestion,
  signal: AbortSignal,
): Promise<string> {
  let name = clusterName;
  try {
    const { cluster } = await eks.describeCluster({ name: clusterName }, signal);
    if (!cluster?.arn) throw new Error('no ARN found in DescribeCluster response');
    name = cluster.arn;
    await arcZonalShift.getManagedResource({ resourceIdentifier: name }, signal);
    return name;
  } catch (cause) {
    logger.error('Cluster not found in Zonal Shift', cause, { Cluster: name });
    throw new Error(
      `Unable to find Cluster ${name} in Zonal Shift. Please check that the cluster is enabled for Zonal Shift ` +
        `and roles have appropriate permissions ${errorText(cause)}`,
      { cause },
    );
  }
}
