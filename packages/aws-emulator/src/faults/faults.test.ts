import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import {
  CreateLaunchTemplateCommand,
  DescribeLaunchTemplatesCommand,
  DescribeSubnetsCommand,
  type DescribeSubnetsCommandOutput,
  EC2Client,
  type EC2ClientConfig,
} from '@aws-sdk/client-ec2';
import { CreateInstanceProfileCommand, GetRoleCommand, IAMClient } from '@aws-sdk/client-iam';
import { EKSClient, DescribeClusterCommand } from '@aws-sdk/client-eks';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { AssumeRoleCommand, GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { realClock } from '@karpenter-ts/runtime';
import { type Emulator, startEmulator } from '../emulator.ts';
import { sdkHandler } from '../sdk-handler.ts';
import {
  expiredCredentials,
  type Fault,
  internalError,
  requestLimitExceeded,
  unauthorized,
  unauthorizedTo,
} from './faults.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** An emulator that listens, and an account of what it was asked. Ends with the test. */
async function start(t: TestContext) {
  const asked: string[] = [];
  const emulator = await startEmulator({
    clock: realClock,
    seed: 1,
    listen: { port: 0 },
    onRequest: (_service, operation) => asked.push(operation),
  });
  t.after(() => emulator.stop());
  const settings = (more: object = {}) => ({
    region: 'us-east-1',
    endpoint: emulator.endpoint!,
    credentials: { accessKeyId: 'AKIATEST', secretAccessKey: 'secret' },
    maxAttempts: 1,
    ...more,
  });
  const ec2Of = (more: Partial<EC2ClientConfig> = {}) => {
    const ec2 = new EC2Client(settings(more));
    t.after(() => ec2.destroy());
    return ec2;
  };
  return { emulator, asked, settings, ec2Of };
}

function inProcess(emulator: Emulator): Partial<EC2ClientConfig> {
  return { requestHandler: sdkHandler(emulator) as never };
}

const TEMPLATE = { LaunchTemplateName: 'demo', LaunchTemplateData: { ImageId: 'ami-1' } };

for (const how of ['over HTTP', 'in the process'] as const) {
  test(`a connection that breaks before the request is done leaves nothing behind, ${how}`, async (t) => {
    const { emulator, ec2Of } = await start(t);
    const ec2 = ec2Of(how === 'in the process' ? inProcess(emulator) : {});
    emulator.faults.inject({ kind: 'reset', when: 'before' }, { operation: 'CreateLaunchTemplate', times: 1 });
    await assert.rejects(ec2.send(new CreateLaunchTemplateCommand(TEMPLATE)), { code: 'ECONNRESET' });
    assert.deepEqual((await ec2.send(new DescribeLaunchTemplatesCommand({}))).LaunchTemplates, []);
    await ec2.send(new CreateLaunchTemplateCommand(TEMPLATE));
  });

  test(`a connection that breaks after the request is done leaves what was asked for, ${how}`, async (t) => {
    const { emulator, ec2Of } = await start(t);
    const ec2 = ec2Of(how === 'in the process' ? inProcess(emulator) : {});
    for (const fault of [{ kind: 'reset', when: 'after' }, { kind: 'half-answer' }] as const satisfies Fault[]) {
      emulator.faults.inject(fault, { operation: 'CreateLaunchTemplate', times: 1 });
      const template = { ...TEMPLATE, LaunchTemplateName: fault.kind };
      await assert.rejects(ec2.send(new CreateLaunchTemplateCommand(template)), { code: 'ECONNRESET' });
    }
    const { LaunchTemplates } = await ec2.send(new DescribeLaunchTemplatesCommand({}));
    const left = LaunchTemplates!.map(({ LaunchTemplateName }) => LaunchTemplateName);
    assert.deepEqual(new Set(left), new Set(['reset', 'half-answer']));
  });
}

test('half an answer that hides it is half a document to the client', async (t) => {
  const { emulator, ec2Of } = await start(t);
  emulator.faults.inject({ kind: 'half-answer', length: 'hidden' }, { times: 1 });
  await assert.rejects(ec2Of().send(new DescribeSubnetsCommand({})), /Unclosed tag|Deserialization|closing tag|end/i);
});

test('the SDK tries again after a reset, a failure and throttling, and finds the answer', async (t) => {
  const { emulator, asked, ec2Of } = await start(t);
  for (const fault of [{ kind: 'reset', when: 'after' } as const, internalError, requestLimitExceeded]) {
    emulator.faults.inject(fault, { times: 1, operation: 'DescribeSubnets' });
    const { Subnets, $metadata } = await ec2Of({ maxAttempts: 2 }).send(new DescribeSubnetsCommand({}));
    assert.deepEqual(Subnets, []);
    assert.equal($metadata.attempts, 2);
  }
  assert.equal(asked.filter((operation) => operation === 'DescribeSubnets').length, 4, 'a refused request is not done');
});

test('a refusal comes with its code, its status and whose fault it is', async (t) => {
  const { emulator, ec2Of } = await start(t);
  const expected = [
    [requestLimitExceeded, { name: 'RequestLimitExceeded', status: 503, fault: 'client' }],
    [internalError, { name: 'InternalError', status: 500, fault: 'client' }],
    [unauthorized, { name: 'UnauthorizedOperation', status: 403, fault: 'client' }],
    [expiredCredentials('ec2'), { name: 'RequestExpired', status: 400, fault: 'client' }],
  ] as const;
  for (const [fault, { name, status }] of expected) {
    emulator.faults.inject(fault, { times: 1 });
    await assert.rejects(ec2Of().send(new DescribeSubnetsCommand({})), (error: Error) => {
      const { $metadata } = error as Error & { $metadata: { httpStatusCode: number; requestId: string } };
      assert.deepEqual([error.name, $metadata.httpStatusCode], [name, status]);
      assert.match($metadata.requestId, /^[0-9a-f-]{36}$/);
      return true;
    });
  }
});

test('an answer that comes late is late; a client that gives up first has its request done all the same', async (t) => {
  const { emulator, ec2Of } = await start(t);
  emulator.faults.inject({ kind: 'slow', delay: HOUR }, { operation: 'CreateLaunchTemplate', times: 1 });
  const giveUp = AbortSignal.timeout(100);
  await assert.rejects(ec2Of().send(new CreateLaunchTemplateCommand(TEMPLATE), { abortSignal: giveUp as never }), {
    name: /AbortError|TimeoutError/,
  });
  assert.equal((await ec2Of().send(new DescribeLaunchTemplatesCommand({}))).LaunchTemplates!.length, 1);
});

test('who waits for a slow answer when the emulator stops sees the connection break', async (t) => {
  const { emulator, asked, ec2Of } = await start(t);
  emulator.faults.inject({ kind: 'slow', delay: HOUR });
  const waiting = assert.rejects(ec2Of().send(new DescribeSubnetsCommand({})), { code: 'ECONNRESET' });
  while (asked.length === 0) await realClock.sleep(5);
  await emulator.stop();
  await waiting;
});

test('a client whose clock is off is refused, sets its clock by the answer, and gets through', async (t) => {
  const { emulator, settings, ec2Of } = await start(t);
  emulator.faults.inject({ kind: 'clock-skew', ahead: HOUR });
  await assert.rejects(ec2Of().send(new DescribeSubnetsCommand({})), { name: 'RequestExpired' });
  const { Subnets, $metadata } = await ec2Of({ maxAttempts: 2 }).send(new DescribeSubnetsCommand({}));
  assert.deepEqual([Subnets, $metadata.attempts], [[], 2]);
  const ssm = new SSMClient(settings());
  t.after(() => ssm.destroy());
  await assert.rejects(ssm.send(new GetParameterCommand({ Name: '/a' })), {
    name: 'InvalidSignatureException',
    message: /^Signature expired: \d{8}T\d{6}Z is now earlier than \d{8}T\d{6}Z \(\d{8}T\d{6}Z - 5 min\.\)$/,
  });
});

test('a clock that is less than five minutes off is not noticed', async (t) => {
  const { emulator, ec2Of } = await start(t);
  emulator.faults.inject({ kind: 'clock-skew', ahead: 4 * MINUTE });
  await ec2Of().send(new DescribeSubnetsCommand({}));
});

test('credentials of a session work until they expire, and each service says so in its own words', async (t) => {
  const clock = { ...realClock, ahead: 0, now: () => realClock.now() + clock.ahead };
  const emulator = await startEmulator({ clock, seed: 1, listen: { port: 0 } });
  t.after(() => emulator.stop());
  const settings = { region: 'us-east-1', endpoint: emulator.endpoint!, maxAttempts: 1 };
  const sts = new STSClient({ ...settings, credentials: { accessKeyId: 'AKIATEST', secretAccessKey: 'secret' } });
  const role = { RoleArn: 'arn:aws:iam::444455556666:role/other', RoleSessionName: 'test', DurationSeconds: 900 };
  const { Credentials } = await sts.send(new AssumeRoleCommand(role));
  const credentials = {
    accessKeyId: Credentials!.AccessKeyId!,
    secretAccessKey: Credentials!.SecretAccessKey!,
    sessionToken: Credentials!.SessionToken!,
  };
  const clients = {
    ec2: new EC2Client({ ...settings, credentials }),
    eks: new EKSClient({ ...settings, credentials }),
    iam: new IAMClient({ ...settings, credentials }),
    ssm: new SSMClient({ ...settings, credentials }),
    sts: new STSClient({ ...settings, credentials }),
  };
  t.after(() => {
    for (const client of [sts, ...Object.values(clients)]) client.destroy();
  });
  const caller = await clients.sts.send(new GetCallerIdentityCommand({}));
  assert.deepEqual([caller.Account, caller.Arn], ['444455556666', 'arn:aws:sts::444455556666:assumed-role/other/test']);
  clock.ahead = 901_000;
  await assert.rejects(clients.ec2.send(new DescribeSubnetsCommand({})), { name: 'RequestExpired' });
  await assert.rejects(clients.iam.send(new GetRoleCommand({ RoleName: 'a' })), { name: 'ExpiredToken' });
  await assert.rejects(clients.ssm.send(new GetParameterCommand({ Name: '/a' })), { name: 'ExpiredTokenException' });
  await assert.rejects(clients.eks.send(new DescribeClusterCommand({ name: 'a' })), { name: 'ExpiredTokenException' });
});

test('a request that is done and refused all the same is there for the next one', async (t) => {
  const { emulator, settings } = await start(t);
  const iam = new IAMClient(settings());
  t.after(() => iam.destroy());
  const fault: Fault = { kind: 'refuse-after', code: 'ServiceFailure', message: 'failed', status: 500 };
  emulator.faults.inject(fault, { operation: 'CreateInstanceProfile', times: 1 });
  const create = (): Promise<unknown> => iam.send(new CreateInstanceProfileCommand({ InstanceProfileName: 'demo' }));
  await assert.rejects(create(), { name: 'ServiceFailureException' });
  await assert.rejects(create(), { name: 'EntityAlreadyExistsException' });
});

test('answers can have values that nobody knows, and lack what everybody expects', async (t) => {
  const { emulator, ec2Of } = await start(t);
  const subnets = [{ SubnetId: 'subnet-1', State: 'on-holiday' }, { AvailableIpAddressCount: -1 }, {}];
  emulator.faults.inject({ kind: 'alter', alter: () => ({ Subnets: subnets }) }, { operation: 'DescribeSubnets' });
  const { Subnets } = await ec2Of().send(new DescribeSubnetsCommand({}));
  assert.deepEqual(
    Subnets!.map((subnet) => ({ ...subnet })),
    subnets,
  );
});

test('a listing can have a thousand pages', async (t) => {
  const { emulator, ec2Of } = await start(t);
  const answer = (input: object): object => {
    const page = Number((input as { readonly NextToken?: string }).NextToken ?? 0);
    return { Subnets: [{ SubnetId: `subnet-${page}` }], ...(page < 999 && { NextToken: String(page + 1) }) };
  };
  emulator.faults.inject({ kind: 'answer', answer }, { operation: 'DescribeSubnets' });
  emulator.ec2.setRequestRate('DescribeSubnets', { burst: 1000, perSecond: 1000 });
  const ec2 = ec2Of(inProcess(emulator));
  const seen = new Set<string>();
  let NextToken: string | undefined;
  do {
    const page: DescribeSubnetsCommandOutput = await ec2.send(new DescribeSubnetsCommand({ NextToken }));
    for (const { SubnetId } of page.Subnets!) seen.add(SubnetId!);
    ({ NextToken } = page);
  } while (NextToken !== undefined);
  assert.equal(seen.size, 1000);
});

test('a fault is for the requests in its scope, so many times, until it is lifted', async (t) => {
  const { emulator, ec2Of } = await start(t);
  const ec2 = ec2Of();
  const describe = (SubnetIds: string[]): Promise<string> =>
    ec2.send(new DescribeSubnetsCommand({ SubnetIds })).then(
      () => 'answered',
      ({ name }: Error) => name,
    );
  const lift = emulator.faults.inject(unauthorized, {
    service: 'ec2',
    operation: 'DescribeSubnets',
    when: (input) => (input as { SubnetIds: string[] }).SubnetIds.includes('subnet-1'),
  });
  assert.equal(await describe(['subnet-1']), 'UnauthorizedOperation');
  assert.equal(await describe(['subnet-2']), 'InvalidSubnetID.NotFound');
  assert.equal(await describe(['subnet-1']), 'UnauthorizedOperation');
  lift();
  assert.equal(await describe(['subnet-1']), 'InvalidSubnetID.NotFound');
});

test('who may not do something hears which kind of policy says so', async (t) => {
  const { emulator, ec2Of } = await start(t);
  const ec2 = ec2Of();
  const denied = async (...how: Parameters<typeof unauthorizedTo>): Promise<string> => {
    emulator.faults.inject(unauthorizedTo(...how), { times: 1 });
    const error = await ec2.send(new DescribeSubnetsCommand({})).then(
      () => assert.fail('was answered'),
      (refusal: Error) => refusal,
    );
    assert.equal(error.name, 'UnauthorizedOperation');
    return error.message;
  };
  const action = 'ec2:DescribeSubnets';
  assert.match(
    await denied(action, 'no-identity-based-policy'),
    /^You are not .+ User: arn:aws:sts::\d+:assumed-role\/\S+ is not authorized to perform: ec2:DescribeSubnets on resource: \* because no identity-based policy allows the ec2:DescribeSubnets action\. Encoded authorization failure message: \S+$/,
  );
  assert.match(await denied(action, 'identity-based-policy'), / with an explicit deny in an identity-based policy\./);
  assert.match(await denied(action, 'permissions-boundary'), / with an explicit deny in a permissions boundary\./);
  assert.match(await denied(action, 'service-control-policy'), / with an explicit deny in a service control policy\./);
  assert.equal(await denied('ec2:RunInstances', 'image', 'ami-1'), 'Not authorized for images: [ami-1]');
});
