// From a pending pod to a pod that runs on EC2, and back: control plane, operator and AWS in one process, virtual time.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type EC2NodeClass, NODE_CLAIMS } from '@karpenter-ts/apis';
import { findCondition, isTrue, PODS, READY } from '@karpenter-ts/kubernetes';
import { MINUTE, SECOND } from '@karpenter-ts/runtime';
import { EC2_NODE_CLASSES } from './node-class/node-class-lookup.ts';
import { AwsCluster, type Family, ZONES } from './testing/aws-cluster.ts';

const TYPE = 'node.kubernetes.io/instance-type';
const ZONE = 'topology.kubernetes.io/zone';
const CAPACITY_TYPE = 'karpenter.sh/capacity-type';

function oneOf(key: string, ...values: readonly string[]): object {
  return { key, operator: 'In', values };
}

const ON_DEMAND = oneOf(CAPACITY_TYPE, 'on-demand');
const SMALL = oneOf(TYPE, 'm5.large', 'm6i.large');

test('a pending pod gets an instance that joins, and the instance is terminated when its NodeClaim is deleted', async (t) => {
  const env = await AwsCluster.start(t);
  await env.addPool('default', 'AL2023', { requirements: [ON_DEMAND, SMALL] });
  await env.addPod('app', 'default');
  await env.untilRunning('app');

  const [nodeClaim] = await env.nodeClaims();
  const [node] = await env.nodes();
  const [instance] = env.livingInstances();
  assert.equal(isTrue(nodeClaim!, READY), true);
  assert.equal(nodeClaim?.status?.nodeName, node?.metadata.name);
  assert.equal(node?.spec?.providerID, `aws:///${instance?.zone.name}/${instance?.id}`);
  assert.equal(nodeClaim?.status?.providerID, node?.spec?.providerID);
  assert.equal(node?.metadata.labels?.[CAPACITY_TYPE], 'on-demand');
  assert.equal(instance?.lifecycle, 'on-demand');
  assert.deepEqual(node?.spec?.taints ?? [], []);
  assert.equal(env.requests.get('ec2 CreateFleet'), 1);

  await env.client.delete(PODS, { name: 'app', namespace: 'default' });
  await env.client.delete(NODE_CLAIMS, nodeClaim.metadata);
  await env.until('NodeClaim and Node are gone', async () => {
    return (await env.nodeClaims()).length === 0 && (await env.nodes()).length === 0;
  });
  assert.deepEqual(env.livingInstances(), []);
});

test('a NodeClass is validated by dry runs before a pod gets an instance with it', async (t) => {
  const env = await AwsCluster.start(t, { disableDryRun: false });
  await env.addPool('default', 'AL2023', { requirements: [ON_DEMAND, SMALL] });
  const nodeClass = () => env.client.get<EC2NodeClass>(EC2_NODE_CLASSES, { name: 'default' });
  await env.until('it is validated', async () => isTrue(await nodeClass(), 'ValidationSucceeded'));
  assert.equal(isTrue(await nodeClass(), READY), true);
  const calls = ['CreateLaunchTemplate', 'CreateFleet', 'RunInstances'];
  assert.deepEqual(
    calls.map((call) => env.requests.get(`ec2 ${call}`)),
    [1, 1, 1],
  );
  assert.deepEqual(env.livingInstances(), []);
  await env.addPod('app', 'default');
  await env.untilRunning('app');
  assert.equal(env.requests.get('ec2 CreateFleet'), 2);
});

describe('nodes of each image family join with what their user data says', () => {
  const cases: readonly [Family, object][] = [
    ['AL2', {}],
    ['AL2023', {}],
    ['Bottlerocket', {}],
  ];
  for (const [family, spec] of cases) {
    test(family, async (t) => {
      const env = await AwsCluster.start(t);
      const kubelet = { maxPods: 17, systemReserved: { cpu: '100m' } };
      const taint = { key: 'team', value: 'a', effect: 'NoSchedule' };
      await env.addPool('default', family, {
        spec: { kubelet, ...spec },
        requirements: [ON_DEMAND, SMALL],
        taints: [taint],
        template: { metadata: { labels: { team: 'a' } } },
      });
      await env.addPod('app', 'default', { spec: { tolerations: [{ key: 'team', operator: 'Exists' }] } });
      await env.untilRunning('app');
      const [node] = await env.nodes();
      assert.equal(node?.status?.capacity?.['pods'], '17');
      assert.equal(node?.metadata.labels?.['team'], 'a');
      assert.deepEqual(node?.spec?.taints, [taint]);
      assert.equal(node?.status?.allocatable?.['cpu'], '1830m');
    });
  }

  test('Custom, whose user data is the user’s own', async (t) => {
    const env = await AwsCluster.start(t);
    const taints = '--register-with-taints=karpenter.sh/unregistered:NoExecute';
    const userData = `#!/bin/bash\n/etc/eks/bootstrap.sh test --kubelet-extra-args '${taints} --node-labels=own=1'\n`;
    await env.addPool('default', 'Custom', { spec: { userData }, requirements: [ON_DEMAND, SMALL] });
    await env.addPod('app', 'default');
    await env.untilRunning('app');
    const [node] = await env.nodes();
    assert.equal(node?.metadata.labels?.['own'], '1');
  });

  test('Windows: a Node becomes Ready', async (t) => {
    const env = await AwsCluster.start(t);
    const windows = oneOf('kubernetes.io/os', 'windows');
    await env.addPool('default', 'Windows2022', { requirements: [ON_DEMAND, SMALL, windows] });
    await env.addPod('app', 'default', { nodeSelector: { 'kubernetes.io/os': 'windows' } });
    await env.untilRunning('app');
    const [node] = await env.nodes();
    assert.equal(node?.metadata.labels?.['kubernetes.io/os'], 'windows');
    assert.equal(node?.status?.capacity?.['pods'], '110');
  });
});

test('a pod for arm64 gets an arm64 instance with an arm64 image', async (t) => {
  const env = await AwsCluster.start(t);
  await env.addPool('default', 'AL2023', { requirements: [ON_DEMAND, oneOf(TYPE, 'm5.large', 'm6g.large')] });
  await env.addPod('app', 'default', { nodeSelector: { 'kubernetes.io/arch': 'arm64' } });
  await env.untilRunning('app');
  const [instance] = env.livingInstances();
  assert.deepEqual([instance?.instanceType, instance?.architecture], ['m6g.large', 'arm64']);
});

test('a pod that needs a GPU gets an instance with one', async (t) => {
  const env = await AwsCluster.start(t);
  await env.addPool('default', 'Bottlerocket', { requirements: [ON_DEMAND, oneOf(TYPE, 'm5.large', 'g4dn.xlarge')] });
  await env.addPod('app', 'default', {
    requests: { cpu: '1', 'nvidia.com/gpu': '1' },
    limits: { 'nvidia.com/gpu': '1' },
  });
  await env.untilRunning('app');
  const [node] = await env.nodes();
  assert.equal(node?.status?.allocatable?.['nvidia.com/gpu'], '1');
  assert.equal(env.livingInstances()[0]?.instanceType, 'g4dn.xlarge');
});

test('spot is bought where the pool allows it', async (t) => {
  const env = await AwsCluster.start(t);
  await env.addPool('default', 'AL2023', { requirements: [oneOf(CAPACITY_TYPE, 'spot', 'on-demand'), SMALL] });
  await env.addPod('app', 'default');
  await env.untilRunning('app');
  const [node] = await env.nodes();
  assert.equal(node?.metadata.labels?.[CAPACITY_TYPE], 'spot');
  assert.equal(env.livingInstances()[0]?.lifecycle, 'spot');
});

test('an interrupted spot instance is replaced, and its pod runs elsewhere', async (t) => {
  const env = await AwsCluster.start(t, { interruptionQueue: 'interruptions' });
  await env.addPool('default', 'AL2023', { requirements: [oneOf(CAPACITY_TYPE, 'spot'), SMALL] });
  await env.addDeployment('app', 'default');
  await env.until('a pod runs', async () => (await env.runningPods()).length === 1);
  const [first] = env.livingInstances();
  const [nodeClaim] = await env.nodeClaims();
  env.emulator.ec2.interrupt(first!.id);
  await env.clock.advance(1 * SECOND);
  const deleted = (await env.nodeClaims()).find(({ metadata }) => metadata.name === nodeClaim!.metadata.name);
  assert.notEqual(deleted?.metadata.deletionTimestamp, undefined, 'it is drained from the warning on');
  const moved = async (): Promise<boolean> => {
    const [running] = await env.runningPods();
    const nodes = await env.nodes();
    const node = nodes.find(({ metadata }) => metadata.name === running?.spec.nodeName);
    return node !== undefined && !node.spec?.providerID?.endsWith(first!.id);
  };
  await env.until('the pod runs on another instance before EC2 takes the first', moved, 110);
  await env.until('the queue is empty', async () => env.emulator.sqs.size('interruptions') === 0);
  await env.until('the first is gone', async () => env.livingInstances().length === 1);
});

test('when a zone has no capacity left, an instance of another zone is bought', async (t) => {
  const env = await AwsCluster.start(t);
  const [a, b] = ZONES;
  env.emulator.ec2.setCapacity({ zone: a }, 0);
  await env.addPool('default', 'AL2023', { requirements: [ON_DEMAND, SMALL, oneOf(ZONE, a, b)] });
  await env.addPod('app', 'default');
  await env.untilRunning('app');
  const [instance] = env.livingInstances();
  assert.equal(instance?.zone.name, b);
  assert.equal(env.livingInstances().length, 1);
});

test('when nothing can be had, the NodeClaim goes, and one is launched once there is capacity', async (t) => {
  const env = await AwsCluster.start(t);
  env.emulator.ec2.setCapacity({}, 0);
  await env.addPool('default', 'AL2023', { requirements: [ON_DEMAND, oneOf(TYPE, 'm5.large')] });
  await env.addPod('app', 'default');
  await env.clock.advance(1 * MINUTE);
  assert.deepEqual(env.livingInstances(), []);
  assert.ok((env.requests.get('ec2 CreateFleet') ?? 0) >= 1);
  env.emulator.ec2.setCapacity({}, 100);
  await env.untilRunning('app', 600); // what is out of capacity is not asked for again for three minutes
});

test('an instance whose user data joins no cluster is given up after the registration timeout', async (t) => {
  const env = await AwsCluster.start(t);
  const userData = '#!/bin/bash\necho hello\n';
  await env.addPool('default', 'Custom', { spec: { userData }, requirements: [ON_DEMAND, SMALL] });
  await env.addPod('app', 'default');
  await env.until('an instance runs', async () => env.livingInstances().length === 1);
  const [nodeClaim] = await env.nodeClaims();
  const [first] = env.livingInstances();
  await env.clock.advance(10 * MINUTE);
  assert.equal(env.boots.stateOf(first!.id)?.kind, 'failed');
  assert.equal(findCondition((await env.nodeClaims())[0]!, 'Registered')?.status, 'Unknown');
  assert.deepEqual(await env.nodes(), []);
  await env.clock.advance(6 * MINUTE);
  const left = await env.nodeClaims();
  assert.equal(
    left.some(({ metadata }) => metadata.uid === nodeClaim!.metadata.uid),
    false,
  );
  assert.equal(
    env.livingInstances().some(({ id }) => id === first!.id),
    false,
  );
});

test('an instance that EC2 tells of late is neither bought twice nor lost', async (t) => {
  const env = await AwsCluster.start(t);
  env.emulator.ec2.setTiming({ visible: [20 * SECOND, 20 * SECOND], start: [25 * SECOND, 25 * SECOND] });
  await env.addPool('default', 'AL2023', { requirements: [ON_DEMAND, SMALL] });
  await env.addPod('app', 'default');
  await env.untilRunning('app');
  await env.clock.advance(10 * MINUTE);
  assert.equal(env.livingInstances().length, 1);
  assert.equal((await env.nodes()).length, 1);
});

test('a launch whose answer is lost is not made twice', async (t) => {
  const env = await AwsCluster.start(t);
  env.emulator.faults.inject({ kind: 'reset', when: 'after' }, { operation: 'CreateFleet', times: 1 });
  await env.addPool('default', 'AL2023', { requirements: [ON_DEMAND, SMALL] });
  await env.addPod('app', 'default');
  await env.untilRunning('app');
  await env.clock.advance(10 * MINUTE);
  assert.equal(env.requests.get('ec2 CreateFleet'), 2);
  assert.equal(env.emulator.ec2.instances().length, 1);
});

test('a controller that is restarted while an instance boots does not launch another', async (t) => {
  const env = await AwsCluster.start(t);
  await env.addPool('default', 'AL2023', { requirements: [ON_DEMAND, SMALL] });
  await env.addPod('app', 'default');
  await env.until('the NodeClaim is launched', async () => (await env.nodeClaims())[0]?.status?.providerID);
  await env.stopOperator();
  await env.startOperator();
  await env.untilRunning('app');
  await env.clock.advance(10 * MINUTE);
  assert.equal(env.emulator.ec2.instances().length, 1);
});

test('a controller that ends between a launch and its answer leaves one instance: the other is collected', async (t) => {
  const env = await AwsCluster.start(t);
  env.emulator.faults.inject({ kind: 'slow', delay: 1 * MINUTE }, { operation: 'CreateFleet', times: 1 });
  await env.addPool('default', 'AL2023', { requirements: [ON_DEMAND, SMALL] });
  await env.addPod('app', 'default');
  await env.until('an instance is launched', async () => env.livingInstances().length > 0);
  await env.stopOperator();
  assert.equal((await env.nodeClaims())[0]?.status?.providerID, undefined);
  await env.startOperator();
  await env.untilRunning('app');
  await env.clock.advance(30 * MINUTE);
  assert.equal(env.livingInstances().length, 1);
  assert.equal((await env.nodeClaims()).length, 1);
  assert.equal((await env.nodes()).length, 1);
});
