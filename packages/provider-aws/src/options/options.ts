import {
  bool,
  float,
  goDuration,
  int,
  MINUTE,
  option,
  type Parsed,
  StructuredError,
  text,
} from '@karpenter-ts/runtime';

/** Settings of the AWS provider: upstream's names, types and defaults (spec 05 §1.3). */
export const awsOptions = {
  clusterName: option('cluster-name', text, '', 'Name of the cluster, as its resources are tagged. Required.'),
  clusterEndpoint: option(
    'cluster-endpoint',
    text,
    '',
    'Address of the API server for nodes; if not set, EKS DescribeCluster is asked.',
  ),
  clusterCaBundle: option(
    'cluster-ca-bundle',
    text,
    '',
    'Certificates by which nodes know the API server, in base64; if not set, those of the controller.',
  ),
  isolatedVpc: option(
    'isolated-vpc',
    bool,
    false,
    'Do not call services of AWS that have no VPC endpoint: the price list and IAM.',
  ),
  eksControlPlane: option(
    'eks-control-plane',
    bool,
    false,
    'Ask EKS DescribeCluster for the version of Kubernetes, not the API server.',
  ),
  vmMemoryOverheadPercent: option(
    'vm-memory-overhead-percent',
    float,
    0.075,
    'Part of the memory that instances are taken to lose, for types that have never been seen.',
  ),
  interruptionQueue: option(
    'interruption-queue',
    text,
    '',
    'Name of the SQS queue of interruption messages; empty for none.',
  ),
  reservedEnis: option(
    'reserved-enis',
    int,
    0,
    'Network interfaces that are left out when the pods of an instance are counted.',
  ),
  disableDryRun: option('disable-dry-run', bool, false, 'Do not validate EC2NodeClasses by dry runs.'),
  enableZonalShift: option(
    'enable-zonal-shift',
    bool,
    false,
    'Do not launch in zones that ARC zonal shift moves traffic away from.',
  ),
  amiRefreshInterval: option(
    'ami-refresh-interval',
    goDuration,
    1 * MINUTE,
    'How long images that EC2 has named are not asked for again; at least 1m.',
  ),
  subnetRefreshInterval: option(
    'subnet-refresh-interval',
    goDuration,
    1 * MINUTE,
    'How long subnets that EC2 has named are not asked for again; at least 1m.',
  ),
};

/** The values of all options of the AWS provider. */
export type AwsOptions = Parsed<typeof awsOptions>;

/** All that is wrong with the settings, in upstream's words and order. */
export function checkAwsOptions(options: AwsOptions): readonly string[] {
  const { clusterEndpoint, vmMemoryOverheadPercent, reservedEnis, clusterName } = options;
  const problems: (string | false)[] = [
    clusterEndpoint !== '' && !isAbsoluteUrl(clusterEndpoint) && endpointProblem(clusterEndpoint),
    vmMemoryOverheadPercent < 0 && 'vm-memory-overhead-percent cannot be negative',
    reservedEnis < 0 && 'reserved-enis cannot be negative',
    clusterName === '' && 'missing field, cluster-name',
    options.amiRefreshInterval < 1 * MINUTE && 'ami-refresh-interval must be at least 1m',
    options.subnetRefreshInterval < 1 * MINUTE && 'subnet-refresh-interval must be at least 1m',
  ];
  return problems.filter((problem) => problem !== false);
}

function endpointProblem(endpoint: string): string {
  return new StructuredError('cluster endpoint URL is not valid', { 'cluster-endpoint': endpoint }).message;
}

/** A scheme, and a host behind it. Go's parser, unlike URL, finds a host after any scheme, and in no opaque URL. */
function isAbsoluteUrl(text: string): boolean {
  const authority = /^[a-zA-Z][a-zA-Z0-9+.-]*:\/\/([^/?#]*)/.exec(text)?.[1];
  if (authority === undefined) return false;
  const host = authority.slice(authority.lastIndexOf('@') + 1).replace(/:\d*$/, '');
  return host !== '' && host !== '[]' && !/[\s<>"\\^`{}|:]/.test(host.replace(/^\[[^\]]*\]$/, ''));
}
