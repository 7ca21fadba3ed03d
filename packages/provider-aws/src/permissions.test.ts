// The policies of deploy/aws/iam allow what the controller asks of AWS, and nothing that it does not ask.
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { NODE_CLAIMS, NODE_POOLS } from '@karpenter-ts/apis';
import { PODS } from '@karpenter-ts/kubernetes';
import { MINUTE, SECOND } from '@karpenter-ts/runtime';
import { EC2_NODE_CLASSES } from './node-class/node-class-lookup.ts';
import { AwsCluster, REGION } from './testing/aws-cluster.ts';
import { controllerPolicies } from './testing/iam-policies.ts';

const ACCOUNT = '111122223333';
const ROLE = 'KarpenterNodeRole-test';
const POLICIES = controllerPolicies({
  PARTITION: 'aws',
  REGION,
  ACCOUNT,
  CLUSTER_NAME: 'test',
  DNS_SUFFIX: 'amazonaws.com',
  OIDC_PROVIDER: 'oidc.example',
});

/** All that is optional is on, and nothing that AWS can be asked for is given by a setting. */
const EVERYTHING = {
  clusterEndpoint: '',
  isolatedVpc: false,
  eksControlPlane: true,
  enableZonalShift: true,
  interruptionQueue: 'test',
  disableDryRun: false,
};

function start(t: TestContext, policies: readonly unknown[]): Promise<AwsCluster> {
  return AwsCluster.start(t, EVERYTHING, {
    instanceTypes: ['m5.large', 'm6i.large'],
    prepare: (emulator) => {
      emulator.iam.addRole(ROLE);
      emulator.publishNodeImages({ kubernetes: '1.34' });
      emulator.arcZonalShift.manage(`arn:aws:eks:${REGION}:${ACCOUNT}:cluster/test`);
      emulator.authorization.enforce(policies);
    },
  });
}

const capacity = (...values: readonly string[]) => ({ key: 'karpenter.sh/capacity-type', operator: 'In', values });

async function addPool(env: AwsCluster, name: string, capacityType: string, spec: object = {}): Promise<void> {
  const own = { instanceProfile: undefined, role: ROLE, amiSelectorTerms: [{ alias: 'al2023@latest' }], ...spec };
  await env.addPool(name, 'AL2023', { spec: own, requirements: [capacity(capacityType)] });
  await env.clock.advance(20 * SECOND); // until EC2 knows of the instance profile
}

async function runPod(env: AwsCluster, pool: string): Promise<void> {
  await env.addPod(`on-${pool}`, pool);
  await env.untilRunning(`on-${pool}`);
}

async function endPool(env: AwsCluster, name: string): Promise<void> {
  if (await env.findPod(`on-${name}`)) await env.client.delete(PODS, { name: `on-${name}`, namespace: 'default' });
  await env.client.delete(NODE_POOLS, { name });
  await env.until('the nodes are gone', async () =>
    (await env.nodeClaims()).every(({ metadata }) => metadata.labels?.['karpenter.sh/nodepool'] !== name),
  );
  await env.client.delete(EC2_NODE_CLASSES, { name });
  await env.until('the class is gone', async () =>
    (await env.client.listAll(EC2_NODE_CLASSES)).items.every(({ metadata }) => metadata.name !== name),
  );
}

test('the policies allow all that the controller does, and it does all that they allow', async (t) => {
  const env = await start(t, POLICIES);
  const { emulator } = env;
  const reserved = emulator.ec2.addCapacityReservation({ instanceType: 'm5.large', zone: `${REGION}a`, count: 2 });
  emulator.ec2.addPlacementGroup({ name: 'together', strategy: 'cluster' });

  // As of instances that an earlier version launched, which is tagged with the cluster later.
  const end = emulator.ec2.onInstance(({ tags }) => tags.delete('eks:eks-cluster-name'));

  await addPool(env, 'on-demand', 'on-demand');
  await addPool(env, 'spot', 'spot');
  await addPool(env, 'reserved', 'reserved', { capacityReservationSelectorTerms: [{ id: reserved }] });
  await addPool(env, 'grouped', 'on-demand', { placementGroupSelector: { name: 'together' } });
  for (const pool of ['on-demand', 'spot', 'reserved', 'grouped']) await runPod(env, pool);
  end();
  assert.deepEqual(new Set(env.livingInstances().map(({ lifecycle }) => lifecycle)), new Set(['on-demand', 'spot']));

  const spot = env.livingInstances().find(({ lifecycle }) => lifecycle === 'spot')!;
  emulator.ec2.interrupt(spot.id);
  await env.until('the queue is empty', async () => emulator.sqs.size('test') === 0);
  await env.clock.advance(5 * MINUTE);
  await env.client.delete(NODE_CLAIMS, (await env.nodeClaims())[0]!.metadata);
  await env.clock.advance(2 * MINUTE);
  for (const pool of ['reserved', 'grouped', 'spot', 'on-demand']) await endPool(env, pool);
  await env.clock.advance(31 * MINUTE);

  for (const call of [
    'ec2 RunInstances',
    'pricing GetProducts',
    'arc-zonal-shift GetManagedResource',
    'sqs DeleteMessage',
  ]) {
    assert.ok((env.requests.get(call) ?? 0) > 0, call);
  }
  assert.deepEqual(emulator.authorization.denials(), []);
  assert.deepEqual(emulator.authorization.unused(), []);
  assert.deepEqual(
    emulator.iam.instanceProfiles().map(({ name }) => name),
    ['test-profile'],
  );
});
