// What a change of an EC2NodeClass does to nodes: control plane, operator and AWS in one process, virtual time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NODE_POOLS } from '@karpenter-ts/apis';
import { EVENTS, findCondition } from '@karpenter-ts/kubernetes';
import { type CoreEvent, isNotFound, MINUTE, SECOND } from '@karpenter-ts/runtime';
import { EC2_NODE_CLASSES } from './node-class/node-class-lookup.ts';
import { AwsCluster } from './testing/aws-cluster.ts';

const CHANGES: readonly [what: string, reason: string, change: (env: AwsCluster) => object | Promise<object>][] = [
  ['its user data', 'NodeClassDrift', () => ({ userData: '#!/bin/bash\necho two\n' })],
  [
    'its image',
    'AMIDrift',
    ({ emulator }) => {
      const name = 'amazon-eks-node-al2023-x86_64-standard-1.35-v20260201';
      return { amiSelectorTerms: [{ id: emulator.ec2.addImage({ name, architecture: 'x86_64', id: 'ami-new' }) }] };
    },
  ],
  [
    'its subnets',
    'SubnetDrift',
    async (env) => {
      const [nodeClaim] = await env.nodeClaims();
      const zone = nodeClaim?.metadata.labels?.['topology.kubernetes.io/zone'];
      const others = Object.entries(env.network.subnetIds).filter(([name]) => name !== zone);
      return { subnetSelectorTerms: others.map(([, id]) => ({ id })) };
    },
  ],
  [
    'its security groups',
    'SecurityGroupDrift',
    ({ emulator, network }) => {
      const id = emulator.ec2.addSecurityGroup({ vpcId: network.vpcId, name: 'more' });
      return { securityGroupSelectorTerms: [{ id: network.securityGroupId }, { id }] };
    },
  ],
];

for (const [what, reason, change] of CHANGES) {
  test(`08/155 when ${what} change, nodes are drifted and replaced`, async (t) => {
    const env = await AwsCluster.start(t);
    await env.addPool('default', 'AL2023', { spec: { userData: '#!/bin/bash\necho one\n' } });
    await env.addDeployment('app', 'default');
    await env.until('the pod runs', async () => (await env.runningPods()).length === 1);
    const [before] = await env.nodeClaims();
    await env.clock.advance(30 * SECOND);
    assert.equal(findCondition(before!, 'Drifted'), undefined);
    const body = { spec: await change(env) };
    await env.client.patch(EC2_NODE_CLASSES, { name: 'default' }, { type: 'merge', body });
    const drifted = async (): Promise<string | undefined> => {
      const found = (await env.nodeClaims()).find(({ metadata }) => metadata.name === before?.metadata.name);
      return found && findCondition(found, 'Drifted')?.reason;
    };
    await env.until('the node has drifted', async () => (await drifted()) !== undefined, 600);
    assert.equal(await drifted(), reason);
    const isReplaced = async (): Promise<boolean> => {
      const nodeClaims = await env.nodeClaims();
      return nodeClaims.every(({ metadata }) => metadata.name !== before?.metadata.name);
    };
    await env.until('it is replaced', isReplaced, 600);
    await env.until('the pod runs again', async () => (await env.runningPods()).length === 1);
    await env.clock.advance(5 * MINUTE);
    const [after, ...others] = await env.nodeClaims();
    assert.deepEqual(others, []);
    assert.equal(findCondition(after!, 'Drifted'), undefined);
  });
}

test('a NodeClass is deleted after its nodes, and nothing that was made for it is left', async (t) => {
  const env = await AwsCluster.start(t);
  await env.addPool('default', 'AL2023');
  await env.addDeployment('app', 'default');
  await env.until('the pod runs', async () => (await env.runningPods()).length === 1);
  await env.client.delete(EC2_NODE_CLASSES, { name: 'default' });
  await env.clock.advance(30 * SECOND);
  assert.ok((await env.nodeClass('default')).metadata.finalizers?.length);
  await env.client.delete(NODE_POOLS, { name: 'default' });
  const isGone = async (): Promise<boolean> => {
    try {
      await env.nodeClass('default');
      return false;
    } catch (error) {
      if (isNotFound(error)) return true;
      throw error;
    }
  };
  await env.until('the NodeClass is gone', isGone, 900);
  assert.deepEqual(await env.nodeClaims(), []);
  assert.deepEqual(env.livingInstances(), []);
  assert.deepEqual(env.emulator.ec2.launchTemplates(), []);
});

test('changes of its conditions, and its end, show in events and metrics', async (t) => {
  const env = await AwsCluster.start(t);
  await env.addPool('default', 'AL2023');
  const metric = 'operator_ec2nodeclass_status_condition_count';
  const shown = 'name="default",namespace="",reason="SubnetsReady",status="True",type="SubnetsReady"';
  assert.ok((await env.page()).includes(`${metric}{${shown}} 1\n`));
  const kind = 'group="karpenter.k8s.aws",kind="EC2NodeClass"';
  assert.ok((await env.page()).includes(`operator_status_condition_count{${kind},${shown}} 1\n`));
  await env.client.delete(NODE_POOLS, { name: 'default' });
  await env.client.delete(EC2_NODE_CLASSES, { name: 'default' });
  await env.clock.advance(30 * SECOND);
  assert.ok(!(await env.page()).includes(`${metric}{`));
  assert.match(await env.page(), /^operator_ec2nodeclass_termination_duration_seconds_count 1$/m);
  const { items } = await env.client.listAll<CoreEvent>(EVENTS);
  const told = items.filter(({ involvedObject }) => involvedObject.kind === 'EC2NodeClass').map(textOf);
  assert.ok(told.includes('Finalized: Finalized karpenter.k8s.aws/termination'), told.join('\n'));
  const ready = 'Status condition transitioned, Type: SubnetsReady, Status: Unknown -> True, Reason: SubnetsReady';
  assert.ok(told.includes(`SubnetsReady: ${ready}`), told.join('\n'));
});

function textOf({ reason, message }: CoreEvent): string {
  return `${reason}: ${message}`;
}
