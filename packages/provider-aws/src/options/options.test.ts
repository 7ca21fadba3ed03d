import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultsOf, MINUTE, parseOptions } from '@karpenter-ts/runtime';
import { type AwsOptions, awsOptions, checkAwsOptions } from './options.ts';

const GROUPS = { aws: { rows: awsOptions, check: checkAwsOptions } };

type Env = Readonly<Record<string, string>>;

function parse(argv: readonly string[], env: Env = { CLUSTER_NAME: 'c' }): AwsOptions {
  const parsed = parseOptions(GROUPS, argv, env);
  assert.equal(parsed.kind, 'parsed', JSON.stringify(parsed));
  return (parsed as { readonly options: { readonly aws: AwsOptions } }).options.aws;
}

function refusal(argv: readonly string[], env: Env = { CLUSTER_NAME: 'c' }): string {
  const parsed = parseOptions(GROUPS, argv, env);
  assert.equal(parsed.kind, 'refused');
  return (parsed as { readonly problem: string }).problem;
}

test('every option has upstream’s flag, variable and default', () => {
  assert.deepEqual(
    Object.values(awsOptions).map(({ flag, variable, fallback }) => [flag, variable, fallback]),
    [
      ['cluster-name', 'CLUSTER_NAME', ''],
      ['cluster-endpoint', 'CLUSTER_ENDPOINT', ''],
      ['cluster-ca-bundle', 'CLUSTER_CA_BUNDLE', ''],
      ['isolated-vpc', 'ISOLATED_VPC', false],
      ['eks-control-plane', 'EKS_CONTROL_PLANE', false],
      ['vm-memory-overhead-percent', 'VM_MEMORY_OVERHEAD_PERCENT', 0.075],
      ['interruption-queue', 'INTERRUPTION_QUEUE', ''],
      ['reserved-enis', 'RESERVED_ENIS', 0],
      ['disable-dry-run', 'DISABLE_DRY_RUN', false],
      ['enable-zonal-shift', 'ENABLE_ZONAL_SHIFT', false],
      ['ami-refresh-interval', 'AMI_REFRESH_INTERVAL', 1 * MINUTE],
      ['subnet-refresh-interval', 'SUBNET_REFRESH_INTERVAL', 1 * MINUTE],
    ],
  );
});

test('08/126 a refresh interval below a minute and a missing cluster name are named', () => {
  assert.equal(refusal([], {}), 'validating options, missing field, cluster-name');
  for (const flag of ['ami-refresh-interval', 'subnet-refresh-interval']) {
    assert.equal(refusal([`--${flag}=30s`]), `validating options, ${flag} must be at least 1m`);
    assert.equal(refusal([`--${flag}=59s`]), `validating options, ${flag} must be at least 1m`);
    parse([`--${flag}=1m`]);
  }
});

test('08/154 an endpoint without a scheme and negative figures are named; a flag wins over its variable', () => {
  assert.equal(
    refusal(['--cluster-endpoint', 'karpenter.sh']),
    'validating options, cluster endpoint URL is not valid (cluster-endpoint=karpenter.sh)',
  );
  assert.equal(
    refusal(['--vm-memory-overhead-percent=-0.01']),
    'validating options, vm-memory-overhead-percent cannot be negative',
  );
  assert.equal(refusal(['--reserved-enis=-1']), 'validating options, reserved-enis cannot be negative');
  const env = { CLUSTER_NAME: 'env', RESERVED_ENIS: '2', ISOLATED_VPC: 'true' };
  assert.deepEqual(
    [parse(['--cluster-name=flag', '--isolated-vpc=false'], env), parse([], env)].map(
      ({ clusterName, reservedEnis, isolatedVpc }) => [clusterName, reservedEnis, isolatedVpc],
    ),
    [
      ['flag', 2, false],
      ['env', 2, true],
    ],
  );
});

test('all that is wrong is reported together, in upstream’s order', () => {
  const problems = checkAwsOptions({
    ...defaultsOf(awsOptions),
    clusterEndpoint: 'x',
    vmMemoryOverheadPercent: -1,
    reservedEnis: -1,
    amiRefreshInterval: 0,
    subnetRefreshInterval: 0,
  });
  assert.deepEqual(problems, [
    'cluster endpoint URL is not valid (cluster-endpoint=x)',
    'vm-memory-overhead-percent cannot be negative',
    'reserved-enis cannot be negative',
    'missing field, cluster-name',
    'ami-refresh-interval must be at least 1m',
    'subnet-refresh-interval must be at least 1m',
  ]);
});

test('05/17 an endpoint is an absolute URL with a host', () => {
  const endpointProblems = (clusterEndpoint: string) =>
    checkAwsOptions({ ...defaultsOf(awsOptions), clusterName: 'c', clusterEndpoint }).length;
  for (const url of ['https://c', 'https://10.0.0.1:6443/x?y', 'https://[fd00::1]:6443', 'x://host', 'https://u@h']) {
    assert.equal(endpointProblems(url), 0, url);
  }
  for (const url of ['host', '//host', 'https:', 'https://', 'https:///path', 'https://:443', '/path', 'mailto:a@b']) {
    assert.equal(endpointProblems(url), 1, url);
  }
});
