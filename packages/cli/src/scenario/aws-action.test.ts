import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { sdkHandler } from '@karpenter-ts/aws-emulator';
import { type Cluster, simulatedNode, startCluster } from '@karpenter-ts/embedded';
import type { AwsApis } from '@karpenter-ts/provider-aws';
import { createAwsApis } from '@karpenter-ts/provider-aws/parts';
import { MINUTE, Metrics, nullLogger, SECOND, VirtualClock } from '@karpenter-ts/runtime';
import { NEVER } from '@karpenter-ts/runtime/testing';
import { type AwsAccount, startAwsAccount } from '../aws/account.ts';
import { type AwsAction, findActionProblem, performAction } from './aws-action.ts';

interface Fixture {
  readonly clock: VirtualClock;
  readonly account: AwsAccount;
  readonly cluster: Cluster;
  readonly apis: AwsApis;
  readonly told: readonly string[];
  perform(action: AwsAction): Promise<void>;
  /** Starts an instance, and has a Node for it. Returns its id. */
  addNode(name: string, lifecycle: 'spot' | 'on-demand'): Promise<string>;
  /** What EC2 says to a launch: nothing, or the code of an error. */
  launch(instanceType: string, zone: string): Promise<string | undefined>;
}

const PARAMETER = '/aws/service/eks/optimized-ami/1.35/amazon-linux-2023/arm64/standard/recommended/image_id';

async function start(t: TestContext): Promise<Fixture> {
  const clock = new VirtualClock();
  const account = await startAwsAccount({ clock, seed: 1, instanceTypes: ['m5.large', 'm5.xlarge'] });
  const cluster = await startCluster({ clock, seed: 1 });
  account.adopt(cluster);
  const handler = sdkHandler(account.emulator) as never;
  const env = { ...account.env, AWS_ENDPOINT_URL: 'http://aws.invalid' };
  const settings = { env, clock, logger: nullLogger, metrics: new Metrics(clock), version: '0', handler };
  const { apis, close } = await createAwsApis(settings);
  await apis.eks.describeCluster({ name: 'my-cluster' }, NEVER); // reads the SDK's files, which the clock does not wait for
  const ending = new AbortController();
  const told: string[] = [];
  t.after(async () => {
    ending.abort();
    close();
    await clock.runUntil(cluster.stop());
    await account.stop();
  });
  const launch = async (instanceType: string, zone: string, spot = false) => {
    const { Images = [] } = await apis.ec2.describeImages({ Owners: ['amazon'] }, NEVER);
    const { Subnets = [] } = await apis.ec2.describeSubnets({}, NEVER);
    const { ImageId } = Images.find(({ Name }) => Name?.startsWith('amazon-eks-node-al2023-x86_64-standard'))!;
    const { SubnetId } = Subnets.find(({ AvailabilityZone }) => AvailabilityZone === zone)!;
    const market = spot ? { InstanceMarketOptions: { MarketType: 'spot' as const } } : {};
    const request = {
      MinCount: 1,
      MaxCount: 1,
      InstanceType: instanceType as 'm5.large',
      ImageId,
      SubnetId,
      ...market,
    };
    return clock.runUntil(apis.ec2.runInstances(request, NEVER));
  };
  return {
    clock,
    account,
    cluster,
    apis,
    told,
    perform: (action) =>
      performAction(action, {
        client: cluster.client,
        account,
        after: (delay, run) => void clock.sleep(delay, ending.signal).then(run, () => undefined),
        tell: (text) => void told.push(text),
      }),
    addNode: async (name, lifecycle) => {
      const { Instances = [] } = await launch('m5.large', 'us-east-1a', lifecycle === 'spot');
      const { InstanceId = '' } = Instances[0] ?? {};
      const labels = { 'karpenter.sh/nodepool': 'default', 'karpenter.sh/capacity-type': lifecycle };
      const node = simulatedNode({ name, labels });
      const providerID = `aws:///us-east-1a/${InstanceId}`;
      const type = { group: '', version: 'v1', plural: 'nodes', kind: 'Node', namespaced: false };
      await cluster.client.create(type, { ...node, spec: { ...node.spec, providerID } });
      return InstanceId;
    },
    launch: async (instanceType, zone) => {
      try {
        await launch(instanceType, zone);
        return undefined;
      } catch (error) {
        return (error as { readonly code?: string }).code;
      }
    },
  };
}

test('images that are released are what the recommended parameter names from then on', async (t) => {
  const { apis, account, perform, told } = await start(t);
  const latest = async (): Promise<string> => {
    const { Parameter } = await apis.ssm.getParameter({ Name: PARAMETER }, NEVER);
    return account.emulator.ec2.findImage(Parameter?.Value ?? '')?.name ?? '';
  };
  assert.equal(await latest(), 'amazon-eks-node-al2023-arm64-standard-1.35-v20260601');
  await perform({ publishImages: { version: 'v20260701' } });
  assert.equal(await latest(), 'amazon-eks-node-al2023-arm64-standard-1.35-v20260701');
  assert.deepEqual(told, ['images v20260701 for Kubernetes 1.35 are released']);
});

test('an upgraded cluster tells its version, and has images for it', async (t) => {
  const { apis, perform } = await start(t);
  await perform({ kubernetesVersion: '1.37' });
  const { cluster } = await apis.eks.describeCluster({ name: 'my-cluster' }, NEVER);
  assert.equal(cluster?.version, '1.37');
  const { Parameter } = await apis.ssm.getParameter({ Name: PARAMETER.replace('1.35', '1.37') }, NEVER);
  assert.match(Parameter?.Value ?? '', /^ami-/);
});

test('a pool without capacity refuses launches until it has some again', async (t) => {
  const { clock, perform, launch, told } = await start(t);
  await perform({ capacity: { instances: 0, instanceTypes: ['m5.large'], zone: 'us-east-1a', for: '1m' } });
  assert.equal(await launch('m5.large', 'us-east-1a'), 'InsufficientInstanceCapacity');
  assert.equal(await launch('m5.large', 'us-east-1b'), undefined);
  assert.equal(await launch('m5.xlarge', 'us-east-1a'), undefined);
  await clock.advance(1 * MINUTE);
  assert.equal(await launch('m5.large', 'us-east-1a'), undefined);
  assert.deepEqual(told, ['EC2 has none left of m5.large in us-east-1a', 'EC2 has m5.large in us-east-1a again']);
});

test('spot instances are interrupted by name of their nodes, with two minutes of notice', async (t) => {
  const { clock, account, perform, addNode, told } = await start(t);
  const { ec2, sqs } = account.emulator;
  const ids = [await addNode('b', 'spot'), await addNode('a', 'spot'), await addNode('0', 'on-demand')];
  const states = (): readonly (string | undefined)[] => ids.map((id) => ec2.findInstance(id)?.state);
  await clock.advance(5 * SECOND);
  const before = sqs.size('my-cluster');
  await perform({ interrupt: { nodes: 1 } });
  assert.equal(sqs.size('my-cluster'), before + 1);
  await clock.advance(119 * SECOND);
  assert.deepEqual(states(), ['running', 'running', 'running']);
  await clock.advance(1 * SECOND);
  assert.deepEqual(states(), ['running', 'shutting-down', 'running']);
  await perform({ interrupt: { nodes: 5, nodePool: 'other' } });
  assert.deepEqual(told, [
    '1 spot instance will be interrupted in two minutes',
    '0 spot instances will be interrupted in two minutes',
  ]);
});

test('a reservation is there with its tags until it is cancelled', async (t) => {
  const { clock, apis, perform } = await start(t);
  const reserve = { instanceType: 'm5.large', zone: 'us-east-1b', instances: 3, tags: { team: 'a' }, for: '1m' };
  await perform({ reserve });
  const read = async () => (await apis.ec2.describeCapacityReservations({}, NEVER)).CapacityReservations ?? [];
  const [found] = await read();
  assert.deepEqual(
    [found?.State, found?.AvailableInstanceCount, found?.Tags],
    ['active', 3, [{ Key: 'team', Value: 'a' }]],
  );
  await clock.advance(1 * MINUTE);
  assert.equal((await read())[0]?.State, 'cancelled');
});

test('a role can be taken away and added again', async (t) => {
  const { apis, clock, perform } = await start(t);
  const names = { InstanceProfileName: 'one', RoleName: 'KarpenterNodeRole-my-cluster' };
  const add = async (): Promise<unknown> => {
    await apis.iam.createInstanceProfile({ InstanceProfileName: 'one' }, NEVER).catch(() => undefined);
    return apis.iam.addRoleToInstanceProfile(names, NEVER);
  };
  await perform({ removeRole: names.RoleName });
  await assert.rejects(clock.runUntil(add()), { code: 'NoSuchEntity' });
  await perform({ addRole: names.RoleName });
  await clock.advance(1 * SECOND);
  await clock.runUntil(add());
});

test('what AWS does not have is named before the scenario begins', async (t) => {
  const { account } = await start(t);
  const find = (action: AwsAction): string | undefined => findActionProblem(action, account);
  assert.equal(
    find({ capacity: { instances: 0, instanceTypes: ['m5.large', 'm5.huge'] } }),
    'there is no instance type m5.huge in us-east-1',
  );
  assert.equal(
    find({ reserve: { instanceType: 'm5.large', instances: 1, zone: 'us-east-1f' } }),
    'the cluster has no zone us-east-1f; there are us-east-1a, us-east-1b, us-east-1c',
  );
  assert.equal(find({ capacity: { instances: 0, zone: 'us-east-1b' } }), undefined);
  assert.equal(find({ removeRole: 'any' }), undefined);
});
