import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import {
  expiredCredentials,
  type Fault,
  internalError,
  requestLimitExceeded,
  unauthorized,
} from '@karpenter-ts/aws-emulator';
import { realClock } from '@karpenter-ts/runtime';
import { findAwsError, isRateLimited, isServerFault, isUnauthorizedOperation } from '../api/aws-error.ts';
import { pages } from '../api/pages.ts';
import { NEVER } from './testing/answering-server.ts';
import { startEmulatedAws } from './testing/emulated-aws.ts';

const HOUR = 3_600_000;

/** What goes wrong after AWS has done what was asked: the caller cannot know that it has. */
const LOST_ANSWERS: readonly Fault[] = [
  { kind: 'reset', when: 'after' },
  { kind: 'half-answer' },
  { kind: 'half-answer', length: 'hidden' },
  { kind: 'refuse-after', code: 'InternalError', message: 'An internal error has occurred', status: 500 },
  { kind: 'refuse-after', code: 'Unavailable', message: 'The service is unavailable.', status: 503 },
];

/** What goes wrong before. */
const REFUSALS: readonly Fault[] = [{ kind: 'reset', when: 'before' }, internalError, requestLimitExceeded];

/** AWS with a launch template, an image and a subnet. */
async function startWithTemplate(t: TestContext) {
  const aws = await startEmulatedAws(t);
  const { subnetIds, securityGroupId } = aws.emulator.ec2.addClusterNetwork({ cluster: 'demo' });
  const ImageId = aws.emulator.ec2.addImage({ name: 'node', architecture: 'x86_64' });
  const template = { LaunchTemplateName: 'demo', LaunchTemplateData: { ImageId, SecurityGroupIds: [securityGroupId] } };
  const createTemplate = () => aws.apis.ec2.createLaunchTemplate(template, NEVER);
  const launch = () =>
    aws.apis.ec2.createFleet(
      {
        Type: 'instant',
        LaunchTemplateConfigs: [
          {
            LaunchTemplateSpecification: { LaunchTemplateName: 'demo', Version: '$Latest' },
            Overrides: [{ InstanceType: 'm5.large', SubnetId: Object.values(subnetIds)[0] }],
          },
        ],
        TargetCapacitySpecification: { TotalTargetCapacity: 1, DefaultTargetCapacityType: 'on-demand' },
      },
      NEVER,
    );
  return { ...aws, createTemplate, launch };
}

for (const fault of LOST_ANSWERS) {
  test(`a launch whose answer is lost launches one instance, and its answer is found (${nameOf(fault)})`, async (t) => {
    const { emulator, createTemplate, launch, count } = await startWithTemplate(t);
    await createTemplate();
    emulator.faults.inject(fault, { operation: 'CreateFleet', times: 1 });
    const { Instances, Errors } = await launch();
    assert.deepEqual(Errors ?? [], []);
    assert.equal(count('CreateFleet'), 2, 'it was asked for twice');
    const launched = emulator.ec2.instances().map(({ id }) => id);
    assert.equal(launched.length, 1);
    assert.deepEqual(
      Instances!.flatMap(({ InstanceIds }) => InstanceIds),
      launched,
    );
  });

  test(`a launch template whose answer is lost is there once, and its answer is found (${nameOf(fault)})`, async (t) => {
    const { emulator, apis, createTemplate } = await startWithTemplate(t);
    emulator.faults.inject(fault, { operation: 'CreateLaunchTemplate', times: 1 });
    const { LaunchTemplate } = await createTemplate();
    const { LaunchTemplates } = await apis.ec2.describeLaunchTemplates({ LaunchTemplateNames: ['demo'] }, NEVER);
    assert.deepEqual(
      LaunchTemplates!.map(({ LaunchTemplateId }) => LaunchTemplateId),
      [LaunchTemplate!.LaunchTemplateId],
    );
  });
}

for (const fault of REFUSALS) {
  test(`a launch that is refused twice is made the third time (${nameOf(fault)})`, async (t) => {
    const { emulator, createTemplate, launch, count } = await startWithTemplate(t);
    await createTemplate();
    emulator.faults.inject(fault, { operation: 'CreateFleet', times: 2 });
    await launch();
    assert.equal(count('CreateFleet'), 1);
    assert.equal(emulator.ec2.instances().length, 1);
  });
}

test('a launch whose answers are all lost is an error that says which call failed; one instance runs', async (t) => {
  const { emulator, createTemplate, launch } = await startWithTemplate(t);
  await createTemplate();
  emulator.faults.inject({ kind: 'reset', when: 'after' }, { operation: 'CreateFleet' });
  await assert.rejects(launch(), { message: /^operation error EC2: CreateFleet, / });
  assert.equal(emulator.ec2.instances().length, 1);
});

test('throttling that goes on is told as such, with the request’s id', async (t) => {
  const { emulator, apis } = await startEmulatedAws(t);
  emulator.faults.inject(requestLimitExceeded);
  await assert.rejects(apis.ec2.describeSubnets({}, NEVER), (error) => {
    assert.ok(isRateLimited(error));
    assert.match(findAwsError(error)!.requestId!, /^[0-9a-f-]{36}$/);
    return true;
  });
});

test('a failure that goes on is the server’s fault, in every protocol', async (t) => {
  const { emulator, apis } = await startEmulatedAws(t);
  emulator.faults.inject({ ...internalError, code: 'InternalFailure' } as Fault);
  const calls = [
    () => apis.ec2.describeSubnets({}, NEVER),
    () => apis.eks.describeCluster({ name: 'demo' }, NEVER),
    () => apis.ssm.getParameter({ Name: '/a' }, NEVER),
    () => apis.sqs.getQueueUrl({ QueueName: 'demo' }, NEVER),
    () => apis.pricing.getProducts({ ServiceCode: 'AmazonEC2' }, NEVER),
    () => apis.arcZonalShift.getManagedResource({ resourceIdentifier: 'demo' }, NEVER),
  ];
  for (const call of calls) {
    await assert.rejects(call(), (error) => {
      assert.ok(isServerFault(error), String(error));
      assert.equal(findAwsError(error)?.statusCode, 500);
      return true;
    });
  }
});

test('what AWS refuses for good is asked for once', async (t) => {
  const { emulator, apis, metrics } = await startEmulatedAws(t);
  emulator.faults.inject(unauthorized, { service: 'ec2' });
  await assert.rejects(apis.ec2.describeSubnets({}, NEVER), (error) => isUnauthorizedOperation(error));
  emulator.faults.liftAll();
  emulator.faults.inject(expiredCredentials('ec2'), { service: 'ec2' });
  emulator.faults.inject(expiredCredentials('ssm'), { service: 'ssm' });
  await assert.rejects(apis.ec2.describeImages({}, NEVER), {
    message: 'api error RequestExpired: Request has expired.',
  });
  await assert.rejects(apis.ssm.getParameter({ Name: '/a' }, NEVER), {
    message: 'api error ExpiredTokenException: The security token included in the request is expired',
  });
  let page = '';
  for await (const part of metrics.render('prometheus' as never)) page += part;
  assert.match(page, /aws_sdk_go_request_attempt_total\{action="DescribeSubnets",code="403",service="EC2"\} 1\n/);
});

test('a clock that is off is set by AWS’ answer, once for all further requests of a service', async (t) => {
  const { emulator, apis, count } = await startEmulatedAws(t);
  emulator.faults.inject({ kind: 'clock-skew', ahead: HOUR });
  await apis.ec2.describeSubnets({}, NEVER);
  await apis.ec2.describeSubnets({}, NEVER);
  assert.equal(count('DescribeSubnets'), 2);
  await assert.rejects(apis.ssm.getParameter({ Name: '/a' }, NEVER), (error) => {
    assert.equal(findAwsError(error)?.code, 'ParameterNotFound');
    return true;
  });
  await assert.rejects(apis.arcZonalShift.getManagedResource({ resourceIdentifier: 'demo' }, NEVER), (error) => {
    assert.equal(findAwsError(error)?.code, 'ResourceNotFoundException');
    return true;
  });
});

test('a slow answer is waited for until the caller gives up, who hears of nothing else', async (t) => {
  const { emulator, apis } = await startEmulatedAws(t);
  emulator.faults.inject({ kind: 'slow', delay: 300 }, { times: 1 });
  const begun = realClock.elapsed();
  await apis.ec2.describeSubnets({}, NEVER);
  assert.ok(realClock.elapsed() - begun >= 290);
  emulator.faults.inject({ kind: 'slow', delay: HOUR });
  const stop = new AbortController();
  const waiting = apis.ec2.describeSubnets({}, stop.signal);
  stop.abort(new Error('stopping'));
  await assert.rejects(waiting, { message: 'stopping' });
});

test('a message whose answer is lost comes again, and one that is deleted twice is no error', async (t) => {
  const { emulator, apis } = await startEmulatedAws(t);
  await createQueue(emulator.endpoint!);
  const { QueueUrl } = await apis.sqs.getQueueUrl({ QueueName: 'demo' }, NEVER);
  emulator.sqs.send('demo', 'interruption');
  emulator.faults.inject({ kind: 'half-answer' }, { operation: 'ReceiveMessage', times: 1 });
  const receive = { QueueUrl, VisibilityTimeout: 1, WaitTimeSeconds: 5 };
  const { Messages } = await apis.sqs.receiveMessage(receive, NEVER);
  assert.deepEqual(
    Messages!.map(({ Body }) => Body),
    ['interruption'],
  );
  emulator.faults.inject({ kind: 'reset', when: 'after' }, { operation: 'DeleteMessage', times: 1 });
  await apis.sqs.deleteMessage({ QueueUrl, ReceiptHandle: Messages![0]!.ReceiptHandle }, NEVER);
  assert.equal(emulator.sqs.size('demo'), 0);
});

test('a queue that is not there is not found', async (t) => {
  const { apis } = await startEmulatedAws(t);
  await assert.rejects(apis.sqs.getQueueUrl({ QueueName: 'demo' }, NEVER), {
    message: 'api error QueueDoesNotExist: The specified queue does not exist.',
  });
});

test('a thousand pages are read to the end, and a page that names itself ends with an error', async (t) => {
  const { emulator, apis } = await startEmulatedAws(t);
  emulator.ec2.setRequestRate('DescribeSubnets', { burst: 2000, perSecond: 1000 });
  const answer = (input: object): object => {
    const page = Number((input as { readonly NextToken?: string }).NextToken ?? 0);
    return { Subnets: [{ SubnetId: `subnet-${page}` }], ...(page < 999 && { NextToken: String(page + 1) }) };
  };
  const lift = emulator.faults.inject({ kind: 'answer', answer });
  const ids = new Set<string>();
  for await (const { Subnets } of pages(apis.ec2.describeSubnets, {}, NEVER)) ids.add(Subnets![0]!.SubnetId!);
  assert.equal(ids.size, 1000);
  lift();
  emulator.faults.inject({ kind: 'answer', answer: () => ({ Subnets: [], NextToken: 'again' }) });
  const readAll = async (): Promise<void> => {
    for await (const { Subnets } of pages(apis.ec2.describeSubnets, {}, NEVER)) assert.deepEqual(Subnets, []);
  };
  await assert.rejects(readAll(), { message: /does not end/ });
});

test('an answer without anything in it is one, in every protocol', async (t) => {
  const { emulator, apis } = await startEmulatedAws(t);
  emulator.faults.inject({ kind: 'answer', answer: () => ({}) });
  assert.deepEqual((await apis.ec2.describeInstances({}, NEVER)).Reservations ?? [], []);
  assert.equal((await apis.eks.describeCluster({ name: 'demo' }, NEVER)).cluster, undefined);
  assert.equal((await apis.ssm.getParameter({ Name: '/a' }, NEVER)).Parameter, undefined);
  assert.equal((await apis.sqs.receiveMessage({ QueueUrl: 'https://sqs/1/demo' }, NEVER)).Messages, undefined);
  assert.equal((await apis.pricing.getProducts({ ServiceCode: 'AmazonEC2' }, NEVER)).PriceList, undefined);
  const resource = await apis.arcZonalShift.getManagedResource({ resourceIdentifier: 'demo' }, NEVER);
  assert.deepEqual(resource.zonalShifts ?? [], []);
});

/** The provider has no call for it. */
async function createQueue(endpoint: string): Promise<void> {
  const scope = 'AKIATEST/20260101/us-west-2/sqs/aws4_request';
  const headers = {
    authorization: `AWS4-HMAC-SHA256 Credential=${scope}, Signature=0`,
    'x-amz-target': 'AmazonSQS.CreateQueue',
  };
  await fetch(endpoint, { method: 'POST', headers, body: JSON.stringify({ QueueName: 'demo' }) });
}

function nameOf(fault: Fault): string {
  const { kind, when, length, code } = fault as { kind: string; when?: string; length?: string; code?: string };
  return [kind, when, length, code].filter((part) => part !== undefined).join(' ');
}
