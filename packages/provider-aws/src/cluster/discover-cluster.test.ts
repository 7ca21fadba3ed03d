// What the provider finds out about the cluster when it starts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DescribeClusterCommandOutput } from '@aws-sdk/client-eks';
import type { Service } from '@karpenter-ts/kubernetes';
import { NEVER, recordingLogger } from '@karpenter-ts/runtime/testing';
import type { AwsApis, Ec2Api } from '../api/aws-apis.ts';
import { AwsError } from '../api/aws-error.ts';
import { Cluster, requireZonalShift } from './cluster.ts';
import { discoverCluster, type DiscoveryDeps } from './discover-cluster.ts';

const DRY_RUN = new AwsError('DryRunOperation', 'Request would have succeeded');
const DENIED = new AwsError('AccessDeniedException', 'no');

interface Environment {
  readonly options?: Partial<DiscoveryDeps['options']>;
  readonly dryRun?: Error;
  readonly cluster?: DescribeClusterCommandOutput['cluster'] | Error;
  readonly kubeDns?: string | Error;
  readonly ca?: string | undefined;
}

function environment({ options, dryRun = DRY_RUN, cluster = DENIED, kubeDns = '10.0.0.10', ca }: Environment) {
  const logger = recordingLogger();
  const asked: string[] = [];
  const ec2 = {
    describeInstanceTypes: async (input) => {
      asked.push(`DescribeInstanceTypes ${JSON.stringify(input)}`);
      throw dryRun;
    },
  } as Partial<Ec2Api> as Ec2Api;
  const eks: AwsApis['eks'] = {
    describeCluster: async ({ name }) => {
      asked.push(`DescribeCluster ${name}`);
      if (cluster instanceof Error) throw cluster;
      return { cluster, $metadata: {} };
    },
  };
  const get = async () => {
    if (kubeDns instanceof Error) throw kubeDns;
    return { metadata: { name: 'kube-dns' }, spec: { clusterIP: kubeDns } } as Service as never;
  };
  const deps: DiscoveryDeps = {
    apis: { ec2, eks },
    client: { get },
    options: { clusterName: 'demo', clusterEndpoint: '', clusterCaBundle: '', ...options },
    region: 'us-west-2',
    readClusterCa: async () => ca,
    logger,
  };
  const lines = () => logger.lines.map(({ level, message, fields }) => [level, message, fields]);
  return { deps, eks, asked, logger, lines, discover: () => discoverCluster(deps, NEVER) };
}

test('05/23 08/123 without the setting the endpoint is that of EKS, with it EKS is not asked', async () => {
  const found = environment({ cluster: { endpoint: 'https://eks.example' }, ca: 'pem' });
  assert.deepEqual(await found.discover(), {
    name: 'demo',
    endpoint: 'https://eks.example',
    caBundle: 'cGVt',
    kubeDnsIp: '10.0.0.10',
  });
  assert.deepEqual(found.asked, ['DescribeInstanceTypes {"DryRun":true}', 'DescribeCluster demo']);
  assert.deepEqual(found.lines(), [
    ['debug', 'discovered region', { region: 'us-west-2' }],
    ['debug', 'discovered cluster endpoint', { 'cluster-endpoint': 'https://eks.example' }],
    ['debug', 'discovered kube dns', { 'kube-dns-ip': '10.0.0.10' }],
  ]);
  const set = environment({ options: { clusterEndpoint: 'https://set.example' } });
  assert.equal((await set.discover()).endpoint, 'https://set.example');
  assert.equal(set.asked.length, 1);
});

test('05/23 08/123 an endpoint that cannot be found ends the start', async () => {
  for (const cluster of [DENIED, {}]) {
    const env = environment({ cluster });
    await assert.rejects(env.discover(), { message: 'failed detecting cluster endpoint' });
    const line = env.logger.lines.at(-1)!;
    assert.deepEqual([line.level, line.message], ['error', 'failed detecting cluster endpoint']);
    assert.match(line.error!, /^failed to resolve cluster endpoint, /);
  }
});

test('05/24 EC2 that cannot be reached ends the start, before anything else is asked', async () => {
  const env = environment({ dryRun: new AwsError('AuthFailure', 'AWS was not able to validate the credentials') });
  await assert.rejects(env.discover(), { message: 'ec2 api connectivity check failed' });
  assert.deepEqual(env.asked.length, 1);
  const [line] = env.logger.lines;
  assert.deepEqual([line!.level, line!.message], ['error', 'ec2 api connectivity check failed']);
  assert.match(line!.error!, /AuthFailure/);
});

const SET = { options: { clusterEndpoint: 'https://set.example' } };

test('05/25 08/124 without kube-dns the start goes on without a cluster DNS', async () => {
  for (const [kubeDns, why] of [
    [new Error('services "kube-dns" not found'), 'services "kube-dns" not found'],
    ['None', 'parsing cluster IP'],
    ['', 'parsing cluster IP'],
    ['fe80::1%eth0', 'parsing cluster IP'],
  ] as const) {
    const env = environment({ ...SET, kubeDns });
    assert.equal((await env.discover()).kubeDnsIp, undefined);
    assert.deepEqual(env.lines().at(-1), ['debug', `unable to detect the IP of the kube-dns service, ${why}`, {}]);
  }
  assert.equal((await environment({ ...SET, kubeDns: 'fd00::a' }).discover()).kubeDnsIp, 'fd00::a');
});

test('the certificates are those of the setting as they are, else our own in base64, else empty', async () => {
  const given = { ...SET.options, clusterCaBundle: 'Q0E=' };
  assert.equal((await environment({ options: given, ca: 'pem' }).discover()).caBundle, 'Q0E=');
  assert.equal((await environment({ ...SET, ca: 'pem' }).discover()).caBundle, 'cGVt');
  assert.equal((await environment(SET).discover()).caBundle, '');
});

const FACTS = { name: 'demo', endpoint: 'https://set.example', caBundle: '', kubeDnsIp: undefined };

function clusterOf({ eks, logger }: ReturnType<typeof environment>): Cluster {
  return new Cluster({ facts: FACTS, eks, logger, stopping: NEVER });
}

test('08/61 the range of service addresses is IPv4 if there is one, else IPv6, and asked for once', async () => {
  const both = { serviceIpv4Cidr: '10.100.0.0/16', serviceIpv6Cidr: 'fd00::/108' };
  const env = environment({ cluster: { kubernetesNetworkConfig: both } });
  const cluster = clusterOf(env);
  assert.equal(cluster.cidr, undefined);
  for (let i = 0; i < 2; i++) await cluster.resolveCidr(NEVER);
  assert.equal(cluster.cidr, '10.100.0.0/16');
  assert.equal(env.asked.length, 1);
  assert.deepEqual(env.lines(), [['debug', 'discovered cluster CIDR', { 'cluster-cidr': '10.100.0.0/16' }]]);
  const only = environment({ cluster: { kubernetesNetworkConfig: { serviceIpv6Cidr: 'fd00::/108' } } });
  const ipv6 = clusterOf(only);
  await ipv6.resolveCidr(NEVER);
  assert.equal(ipv6.cidr, 'fd00::/108');
});

test('a range of service addresses that nobody names is an error, and is looked for again', async () => {
  const env = environment({ cluster: {} });
  const cluster = clusterOf(env);
  for (let i = 0; i < 2; i++) {
    await assert.rejects(cluster.resolveCidr(NEVER), { message: 'no CIDR found in DescribeCluster response' });
  }
  assert.equal(env.asked.length, 2);
});

test('launches that need the range of service addresses at once ask for it once, and one that is aborted leaves', async () => {
  const env = environment({ cluster: { kubernetesNetworkConfig: { serviceIpv4Cidr: '10.100.0.0/16' } } });
  const cluster = clusterOf(env);
  const givenUp = new AbortController();
  const first = cluster.resolveCidr(givenUp.signal);
  const others = [cluster.resolveCidr(NEVER), cluster.resolveCidr(NEVER)];
  givenUp.abort(new Error('gone'));
  await assert.rejects(first, new Error('gone'));
  await Promise.all(others);
  assert.deepEqual([cluster.cidr, env.asked.length], ['10.100.0.0/16', 1]);
});

test('05/26 zonal shift needs a cluster that ARC manages', async () => {
  const env = environment({ cluster: { arn: 'arn:demo' } });
  const asked: string[] = [];
  const apis = (failure?: Error) => ({
    eks: env.eks,
    logger: env.logger,
    arcZonalShift: {
      getManagedResource: async ({ resourceIdentifier }: { readonly resourceIdentifier: string }) => {
        asked.push(resourceIdentifier);
        if (failure !== undefined) throw failure;
        return {};
      },
    },
  });
  assert.equal(await requireZonalShift('demo', apis(), NEVER), 'arn:demo');
  assert.deepEqual(asked, ['arn:demo']);
  await assert.rejects(requireZonalShift('demo', apis(new AwsError('ResourceNotFoundException', 'none')), NEVER), {
    message:
      'Unable to find Cluster arn:demo in Zonal Shift. Please check that the cluster is enabled for Zonal Shift and roles ' +
      'have appropriate permissions api error ResourceNotFoundException: none',
  });
  const { message, fields } = env.logger.lines.at(-1)!;
  assert.deepEqual([message, fields['Cluster']], ['Cluster not found in Zonal Shift', 'arn:demo']);
});
