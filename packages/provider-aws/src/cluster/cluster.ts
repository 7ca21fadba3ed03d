import { errorText, type Logger, unlessAborted } from '@karpenter-ts/runtime';
import type { AwsApis, EksApi } from '../api/aws-apis.ts';
import type { ClusterFacts, JoinedCluster } from './cluster-facts.ts';

export interface ClusterDeps {
  readonly facts: ClusterFacts;
  readonly eks: EksApi;
  readonly logger: Logger;
  /** Aborted when the process stops. */
  readonly stopping: AbortSignal;
}

/** The cluster that instances join. The range of its service addresses is found out once, when something needs it. */
export class Cluster implements JoinedCluster {
  readonly name: string;
  readonly endpoint: string;
  readonly caBundle: string | undefined;
  readonly kubeDnsIp: string | undefined;
  readonly #deps: Omit<ClusterDeps, 'facts'>;
  #cidr: string | undefined;
  #finding: Promise<void> | undefined;

  constructor({ facts, ...deps }: ClusterDeps) {
    this.name = facts.name;
    this.endpoint = facts.endpoint;
    this.caBundle = facts.caBundle;
    this.kubeDnsIp = facts.kubeDnsIp;
    this.#deps = deps;
  }

  get cidr(): string | undefined {
    return this.#cidr;
  }

  /** Finds the service addresses if they are not known. Many launches may need them at once: EKS is asked for all of them. */
  async resolveCidr(signal: AbortSignal): Promise<void> {
    if (this.#cidr !== undefined) return;
    this.#finding ??= this.#findCidr().finally(() => {
      this.#finding = undefined;
    });
    await unlessAborted(this.#finding, signal);
  }

  /** IPv4 is taken where there are both (spec 08 §2). */
  async #findCidr(): Promise<void> {
    const { eks, logger, stopping } = this.#deps;
    const { cluster } = await eks.describeCluster({ name: this.name }, stopping);
    const { serviceIpv4Cidr, serviceIpv6Cidr } = cluster?.kubernetesNetworkConfig ?? {};
    const cidr = serviceIpv4Cidr || serviceIpv6Cidr;
    if (!cidr) throw new Error('no CIDR found in DescribeCluster response');
    this.#cidr = cidr;
    logger.debug('discovered cluster CIDR', { 'cluster-cidr': cidr });
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
