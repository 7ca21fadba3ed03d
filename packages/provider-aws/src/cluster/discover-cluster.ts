import { isIP } from 'node:net';
import { type Service, SERVICES } from '@karpenter-ts/kubernetes';
import { type CancellableClient, errorText, type Logger } from '@karpenter-ts/runtime';
import type { AwsApis, Ec2Api } from '../api/aws-apis.ts';
import { isDryRunSuccess } from '../api/aws-error.ts';
import type { AwsOptions } from '../options/options.ts';
import type { ClusterFacts } from './cluster-facts.ts';

export interface DiscoveryDeps {
  readonly apis: Pick<AwsApis, 'ec2' | 'eks'>;
  readonly client: Pick<CancellableClient, 'get'>;
  readonly options: Pick<AwsOptions, 'clusterName' | 'clusterEndpoint' | 'clusterCaBundle'>;
  readonly region: string;
  /** The certificates by which this process knows the API server, in PEM. */
  readonly readClusterCa: () => Promise<string | undefined>;
  readonly logger: Logger;
}

/**
 * What instances need to join the cluster (spec 08 §2). Rejects if EC2 cannot be reached or the cluster cannot be found,
 * after a line in upstream's words has said so; the process cannot go on then.
 */
export async function discoverCluster(deps: DiscoveryDeps, signal: AbortSignal): Promise<ClusterFacts> {
  const { apis, options, region, logger } = deps;
  await checkConnectivity(apis.ec2, logger, signal);
  logger.debug('discovered region', { region });
  const endpoint = await findEndpoint(deps, signal);
  logger.debug('discovered cluster endpoint', { 'cluster-endpoint': endpoint });
  const kubeDnsIp = await findKubeDns(deps, signal);
  return { name: options.clusterName, endpoint, caBundle: await findCaBundle(deps), kubeDnsIp };
}

/** A dry run shows early that EC2 can be reached and knows our credentials. */
async function checkConnectivity(ec2: Ec2Api, logger: Logger, signal: AbortSignal): Promise<void> {
  try {
    await ec2.describeInstanceTypes({ DryRun: true }, signal);
  } catch (error) {
    if (isDryRunSuccess(error)) return;
    signal.throwIfAborted();
    logger.error('ec2 api connectivity check failed', error);
    throw new Error('ec2 api connectivity check failed', { cause: error });
  }
}

async function findEndpoint({ apis, options, logger }: DiscoveryDeps, signal: AbortSignal): Promise<string> {
  if (options.clusterEndpoint !== '') return options.clusterEndpoint;
  try {
    return await endpointOf(options.clusterName, apis, signal);
  } catch (error) {
    signal.throwIfAborted();
    logger.error('failed detecting cluster endpoint', error);
    throw new Error('failed detecting cluster endpoint', { cause: error });
  }
}

async function endpointOf(name: string, { eks }: DiscoveryDeps['apis'], signal: AbortSignal): Promise<string> {
  try {
    const { cluster } = await eks.describeCluster({ name }, signal);
    if (!cluster?.endpoint) throw new Error('no endpoint found in DescribeCluster response');
    return cluster.endpoint;
  } catch (cause) {
    throw new Error(`failed to resolve cluster endpoint, ${errorText(cause)}`, { cause });
  }
}

/** The address of the cluster DNS. Some clusters have another one, of which the user has to tell. */
async function findKubeDns({ client, logger }: DiscoveryDeps, signal: AbortSignal): Promise<string | undefined> {
  try {
    const name = { namespace: 'kube-system', name: 'kube-dns' };
    const { spec } = await client.get<Service>(SERVICES, name, {}, signal);
    const address = spec.clusterIP ?? '';
    if (isIP(address) === 0 || address.includes('%')) throw new Error('parsing cluster IP');
    logger.debug('discovered kube dns', { 'kube-dns-ip': address });
    return address;
  } catch (error) {
    signal.throwIfAborted();
    logger.debug(`unable to detect the IP of the kube-dns service, ${errorText(error)}`);
    return undefined;
  }
}

/** In base64. The setting has that form already. Empty, not absent, where this process knows none either. */
async function findCaBundle({ options, readClusterCa }: DiscoveryDeps): Promise<string> {
  if (options.clusterCaBundle !== '') return options.clusterCaBundle;
  try {
    return Buffer.from((await readClusterCa()) ?? '').toString('base64');
  } catch (cause) {
    throw new Error(`discovering caBundle, ${errorText(cause)}`, { cause });
  }
}
