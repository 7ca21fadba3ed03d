import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import {
  CreateLaunchTemplateCommand,
  CreateTagsCommand,
  DescribeSubnetsCommand,
  EC2Client,
  RunInstancesCommand,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import { DescribeClusterCommand, EKSClient } from '@aws-sdk/client-eks';
import { AddRoleToInstanceProfileCommand, CreateInstanceProfileCommand, IAMClient } from '@aws-sdk/client-iam';
import { GetProductsCommand, PricingClient } from '@aws-sdk/client-pricing';
import { GetQueueUrlCommand, SQSClient } from '@aws-sdk/client-sqs';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { realClock } from '@karpenter-ts/runtime';
import { startEmulator } from './emulator.ts';
import { sdkHandler } from './sdk-handler.ts';

async function start(t: TestContext) {
  const emulator = await startEmulator({ clock: realClock, seed: 1 });
  t.after(() => emulator.stop());
  const settings = {
    region: 'us-east-1',
    endpoint: 'http://aws.invalid',
    credentials: { accessKeyId: 'AKIATEST', secretAccessKey: 'secret' },
    maxAttempts: 1,
    requestHandler: sdkHandler(emulator) as never,
  };
  return { emulator, settings, ec2: new EC2Client(settings), iam: new IAMClient(settings) };
}

const allow = (Action: unknown, Resource: unknown = '*', Condition: object = {}) => ({
  Statement: { Effect: 'Allow', Action, Resource, Condition },
});

async function refusalOf(call: Promise<unknown>) {
  const error = await call.then(
    () => assert.fail('was allowed'),
    (refusal: Error) => refusal as Error & { readonly $metadata: { readonly httpStatusCode: number } },
  );
  return { name: error.name, status: error.$metadata.httpStatusCode, message: error.message };
}

test('each service says in its own words what a caller may not do', async (t) => {
  const { emulator, settings, ec2, iam } = await start(t);
  emulator.authorization.enforce([allow('nothing:AtAll')]);
  const why = (action: string, resource: string) =>
    `User: arn:aws:iam::111122223333:user/emulator is not authorized to perform: ${action} on resource: ${resource} ` +
    `because no identity-based policy allows the ${action} action`;
  const refused = await refusalOf(ec2.send(new DescribeSubnetsCommand({})));
  assert.deepEqual([refused.name, refused.status], ['UnauthorizedOperation', 403]);
  assert.ok(
    refused.message.startsWith(
      `You are not authorized to perform this operation. ${why('ec2:DescribeSubnets', '*')}. Encoded authorization`,
    ),
  );
  const profile = 'arn:aws:iam::111122223333:instance-profile/p/a';
  const create = new CreateInstanceProfileCommand({ InstanceProfileName: 'a', Path: '/p/' });
  assert.deepEqual(await refusalOf(iam.send(create)), {
    name: 'AccessDenied',
    status: 403,
    message: why('iam:CreateInstanceProfile', profile),
  });
  const others: readonly [call: Promise<unknown>, action: string, resource: string, status: number][] = [
    [
      new EKSClient(settings).send(new DescribeClusterCommand({ name: 'c' })),
      'eks:DescribeCluster',
      'arn:aws:eks:us-east-1:111122223333:cluster/c',
      403,
    ],
    [
      new SSMClient(settings).send(new GetParameterCommand({ Name: '/aws/service/a' })),
      'ssm:GetParameter',
      'arn:aws:ssm:us-east-1::parameter/aws/service/a',
      400,
    ],
    [
      new SQSClient(settings).send(new GetQueueUrlCommand({ QueueName: 'q' })),
      'sqs:GetQueueUrl',
      'arn:aws:sqs:us-east-1:111122223333:q',
      403,
    ],
    [
      new PricingClient(settings).send(new GetProductsCommand({ ServiceCode: 'AmazonEC2' })),
      'pricing:GetProducts',
      '*',
      400,
    ],
  ];
  for (const [call, action, resource, status] of others) {
    assert.deepEqual(await refusalOf(call), { name: 'AccessDeniedException', status, message: why(action, resource) });
  }
  await new STSClient(settings).send(new GetCallerIdentityCommand({}));
  assert.deepEqual(emulator.authorization.denials().slice(0, 2), [
    'ec2:DescribeSubnets on *',
    `iam:CreateInstanceProfile on ${profile}`,
  ]);
});

test('an explicit deny is told as one', async (t) => {
  const { emulator, ec2 } = await start(t);
  emulator.authorization.enforce([
    { Statement: [allow('*').Statement, { Effect: 'Deny', Action: 'ec2:Describe*', Resource: '*' }] },
  ]);
  const { message } = await refusalOf(ec2.send(new DescribeSubnetsCommand({})));
  assert.match(message, /on resource: \* with an explicit deny in an identity-based policy\./);
});

test('a dry run tells who may launch from who may not, and a role is handed on to EC2', async (t) => {
  const { emulator, ec2, iam } = await start(t);
  const { subnetIds, securityGroupId } = emulator.ec2.addClusterNetwork({ cluster: 'c' });
  const ImageId = emulator.ec2.addImage({ name: 'a', architecture: 'x86_64' });
  emulator.iam.setDelays({ reads: 0, ec2: 0 });
  emulator.iam.addRole('node');
  emulator.iam.addInstanceProfile('profile', { role: 'node' });
  await ec2.send(
    new CreateLaunchTemplateCommand({
      LaunchTemplateName: 'template',
      LaunchTemplateData: { ImageId, SecurityGroupIds: [securityGroupId], IamInstanceProfile: { Name: 'profile' } },
    }),
  );
  const run = () =>
    refusalOf(
      ec2.send(
        new RunInstancesCommand({
          DryRun: true,
          MinCount: 1,
          MaxCount: 1,
          InstanceType: 'm5.large',
          SubnetId: subnetIds['us-east-1a'],
          LaunchTemplate: { LaunchTemplateName: 'template', Version: '$Latest' },
          TagSpecifications: [{ ResourceType: 'instance', Tags: [{ Key: 'team', Value: 'a' }] }],
        }),
      ),
    );
  const tagged = { StringEquals: { 'aws:RequestTag/team': 'a', 'ec2:CreateAction': 'RunInstances' } };
  const launching = allow('ec2:RunInstances');
  const tagging = allow('ec2:CreateTags', 'arn:aws:ec2:*:*:instance/*', tagged);
  const passing = allow('iam:PassRole', 'arn:aws:iam::*:role/node', {
    StringEquals: { 'iam:PassedToService': 'ec2.amazonaws.com' },
  });
  const enforced: readonly [policies: readonly object[], lacking: RegExp | undefined][] = [
    [
      [tagging, passing],
      /perform: ec2:RunInstances on resource: arn:aws:ec2:us-east-1:111122223333:launch-template\/lt-/,
    ],
    [[launching, passing], /perform: ec2:CreateTags on resource: arn:aws:ec2:us-east-1:111122223333:instance\/\*/],
    [[launching, tagging], /perform: iam:PassRole on resource: arn:aws:iam::111122223333:role\/node/],
    [[launching, tagging, passing], undefined],
  ];
  for (const [policies, lacking] of enforced) {
    emulator.authorization.enforce(policies);
    const { name, message } = await run();
    assert.equal(name, lacking === undefined ? 'DryRunOperation' : 'UnauthorizedOperation');
    if (lacking !== undefined) assert.match(message, lacking);
  }
  emulator.authorization.enforce([allow('iam:AddRoleToInstanceProfile')]);
  emulator.iam.addInstanceProfile('other');
  const add = new AddRoleToInstanceProfileCommand({ InstanceProfileName: 'other', RoleName: 'node' });
  assert.match((await refusalOf(iam.send(add))).message, /perform: iam:PassRole on resource: .*role\/node/);
});

test('what is called by its id is judged by its tags, and what is not there is not judged', async (t) => {
  const { emulator, ec2 } = await start(t);
  const subnet = emulator.ec2.addSubnet({ vpcId: emulator.ec2.addVpc(), zone: 'us-east-1a', tags: { own: 'yes' } });
  const condition = {
    StringEquals: { 'aws:ResourceTag/own': 'yes' },
    'ForAllValues:StringEquals': { 'aws:TagKeys': ['a'] },
  };
  emulator.authorization.enforce([allow('ec2:CreateTags', '*', condition)]);
  const tag = (Key: string) => ec2.send(new CreateTagsCommand({ Resources: [subnet], Tags: [{ Key, Value: '1' }] }));
  await tag('a');
  assert.equal((await refusalOf(tag('b'))).name, 'UnauthorizedOperation');
  const terminate = ec2.send(new TerminateInstancesCommand({ InstanceIds: ['i-00000000000000000'] }));
  assert.equal((await refusalOf(terminate)).name, 'InvalidInstanceID.NotFound');
});

test('what is no policy is not enforced', async (t) => {
  const { emulator } = await start(t);
  assert.throws(() => emulator.authorization.enforce([{ Statement: {} }]), {
    name: 'TypeError',
    message: /Statement\.Effect: must be "Allow" or "Deny"/,
  });
});
