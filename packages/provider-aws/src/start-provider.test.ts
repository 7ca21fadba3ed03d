// The provider as the process makes it, on AWS in the process.
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { type Emulator, sdkHandler, startEmulator, unauthorized } from '@karpenter-ts/aws-emulator';
import type { ProviderParts } from '@karpenter-ts/cloudprovider';
import { defaultsOf, Metrics } from '@karpenter-ts/runtime';
import { NEVER } from '@karpenter-ts/runtime/testing';
import { createAwsApis } from './clients/create-aws-apis.ts';
import { configureAws } from './module.ts';
import { type AwsOptions, awsOptions } from './options/options.ts';
import { ProviderEnvironment } from './testing/provider-environment.ts';

const REGION = 'us-west-2';
const ENV = { AWS_REGION: REGION, AWS_ACCESS_KEY_ID: 'AKIATEST', AWS_SECRET_ACCESS_KEY: 'secret' };
const SET = { clusterName: 'demo', clusterEndpoint: 'https://demo.example' };

interface Environment {
  readonly env: ProviderEnvironment;
  readonly emulator: Emulator;
  start(options?: Partial<AwsOptions>): Promise<ProviderParts>;
}

async function environment(t: TestContext): Promise<Environment> {
  const env = await ProviderEnvironment.start(t);
  const emulator = await startEmulator({ clock: env.clock, seed: 1, region: REGION });
  const stopping = new AbortController();
  t.after(() => stopping.abort());
  t.after(() => emulator.stop());
  const handler = sdkHandler(emulator) as never;
  const start = (options: Partial<AwsOptions> = {}): Promise<ProviderParts> => {
    const parsed = { ...defaultsOf(awsOptions), ...SET, ...options };
    const process = { env: ENV, version: '1.14.1', readClusterCa: async () => 'pem' };
    const configured = configureAws(parsed, process, (settings) => createAwsApis({ ...settings, handler }));
    const { client, caches, clock, logger, events, deleteNodeClaim } = env;
    const created = configured.create({
      client,
      caches,
      clock,
      logger,
      events,
      deleteNodeClaim,
      metrics: new Metrics(clock),
      settings: { minValuesPolicy: 'Strict', reservedCapacity: true, nodeOverlay: false },
      random: () => 0.5,
      stopping: stopping.signal,
    });
    return env.clock.runUntil(created);
  };
  return { env, emulator, start };
}

test('a start finds the cluster and the types, and brings the controllers', async (t) => {
  const { env, start } = await environment(t);
  const { provider, controllers = [] } = await start();
  assert.equal(provider.name, 'aws');
  assert.deepEqual(
    controllers.map(({ name }) => name),
    [
      'providers.pricing',
      'providers.instancetype',
      'providers.instancetype.capacity',
      'cloudprovider.metrics',
      'providers.ssm.invalidation',
      'providers.version',
      'launchtemplate.expiration',
      'nodeclass.hash',
      'nodeclass',
      'instanceprofile.garbagecollection',
      'instance.garbagecollection',
      'nodeclaim.tagging',
      'capacityreservation.capacitytype',
      'capacityreservation.expiration',
      'interruption.instancestatus',
      'zonalshift',
    ],
  );
  const said = new Set(env.logger.lines.map(({ message }) => message));
  for (const line of ['discovered region', 'discovered cluster endpoint', 'discovered instance types']) {
    assert.ok(said.has(line), line);
  }
  await env.addNodePool('default');
  const list = () => env.clock.runUntil(provider.instanceTypes(pool, NEVER));
  const pool = env.caches.nodePools.get('default')!;
  assert.deepEqual(await list(), []);
  await env.addNodeClass('default', {
    status: { amis: [{ id: 'ami-1', requirements: [] }], subnets: [{ id: 'subnet-1', zone: `${REGION}a` }] },
  });
  const types = await list();
  assert.ok(types.length > 500);
  assert.equal(await list(), types);
});

test('a start without access to EC2 says so and fails', async (t) => {
  const { emulator, start } = await environment(t);
  emulator.faults.inject(unauthorized, { operation: 'DescribeInstanceTypes' });
  await assert.rejects(start(), { message: 'ec2 api connectivity check failed' });
});
