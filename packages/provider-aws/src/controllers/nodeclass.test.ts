// EC2NodeClasses from their creation to their end, on an API server and an AWS in the process.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NODE_CLAIMS } from '@karpenter-ts/apis';
import { MINUTE, SECOND } from '@karpenter-ts/runtime';
import { EC2_NODE_CLASSES } from '../node-class/node-class-lookup.ts';
import { NodeClassEnvironment } from '../testing/node-class-environment.ts';

test('08/1 a NodeClass gets its finalizer, and its status says what its selectors find', async (t) => {
  const classes = await NodeClassEnvironment.start(t);
  await classes.add();
  await classes.until('Ready', 'True');
  const { metadata, status } = (await classes.find())!;
  assert.deepEqual(metadata.finalizers, ['karpenter.k8s.aws/termination']);
  const { network, image } = classes.aws;
  assert.deepEqual(new Set(status?.subnets?.map(({ id }) => id)), new Set(Object.values(network.subnetIds)));
  assert.deepEqual(
    status?.securityGroups?.map(({ id }) => id),
    [network.securityGroupId],
  );
  assert.deepEqual(
    status?.amis?.map(({ id }) => id),
    [image],
  );
});

test('08/7, 08/29 selectors that find nothing clear the status and say so, until they find something', async (t) => {
  const classes = await NodeClassEnvironment.start(t);
  await classes.add();
  await classes.until('Ready', 'True');
  const nothing = [{ tags: { absent: 'yes' } }];
  await classes.change({
    subnetSelectorTerms: nothing,
    securityGroupSelectorTerms: nothing,
    amiSelectorTerms: nothing,
  });
  await classes.until('Ready', 'False');
  const expected = [
    ['SubnetsReady', 'SubnetsNotFound', 'SubnetSelector did not match any Subnets'],
    ['SecurityGroupsReady', 'SecurityGroupsNotFound', 'SecurityGroupSelector did not match any SecurityGroups'],
    ['AMIsReady', 'AMINotFound', 'AMISelector did not match any AMIs'],
  ] as const;
  for (const [type, reason, message] of expected) {
    assert.deepEqual(await classes.verdict(type), ['False', reason, message]);
  }
  const { subnets, securityGroups, amis } = await classes.status();
  assert.deepEqual([subnets, securityGroups, amis], [undefined, undefined, undefined]);
  const [status, reason, message] = await classes.verdict('Ready');
  assert.deepEqual([status, reason], ['False', 'UnhealthyDependents']);
  assert.deepEqual(new Set(message?.split(', ')), new Set(expected.map(([type]) => `${type}=False`)));

  const { aws } = classes;
  aws.emulator.ec2.addSubnet({ vpcId: aws.network.vpcId, zone: 'us-east-1a', tags: { absent: 'yes' } });
  aws.emulator.ec2.addSecurityGroup({ vpcId: aws.network.vpcId, name: 'late', tags: { absent: 'yes' } });
  aws.emulator.ec2.addImage({ name: 'late', architecture: 'x86_64', tags: { absent: 'yes' } });
  await classes.env.clock.advance(2 * MINUTE + 5 * SECOND);
  assert.equal((await classes.verdict('Ready'))[0], 'True');
});

test('08/55 a NodeClass that is deleted stays until its NodeClaims are gone', async (t) => {
  const classes = await NodeClassEnvironment.start(t);
  const { env } = classes;
  await classes.add();
  await classes.until('Ready', 'True');
  for (const name of ['one', 'two']) await env.addNodeClaim(name);
  await env.delete(EC2_NODE_CLASSES, 'default');
  await env.clock.advance(2 * SECOND);
  const told = () => env.eventTexts().filter((text) => text.includes('WaitingOnNodeClaimTermination'));
  assert.deepEqual(told(), [
    'EC2NodeClass/default WaitingOnNodeClaimTermination: Waiting on NodeClaim termination for one, two',
  ]);
  await env.clock.advance(10 * MINUTE);
  assert.equal(told().length, 2);
  await env.delete(NODE_CLAIMS, 'one');
  await env.clock.advance(2 * SECOND);
  assert.ok((await classes.find()) !== undefined);
  await env.delete(NODE_CLAIMS, 'two');
  await env.clock.advance(5 * SECOND);
  assert.equal(await classes.find(), undefined);
});
