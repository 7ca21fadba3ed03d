import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { Metrics, nullLogger, realClock } from '@karpenter-ts/runtime';
import { createAwsApis } from './create-aws-apis.ts';
import { NEVER, startServer } from './testing/answering-server.ts';
import { startAws } from './testing/emulated-aws.ts';
import { setEnvironment, writeFiles } from './testing/environment.ts';

const SECOND = 1000;
const HOUR = 3600 * SECOND;

/** Where nobody answers: tests must not ask the metadata service of the host that they run on. */
const NO_METADATA = { AWS_EC2_METADATA_DISABLED: 'true' };

/** The clients of a process with these variables. */
async function startWith(t: TestContext, variables: NodeJS.ProcessEnv) {
  setEnvironment(t, { ...NO_METADATA, ...variables });
  const clients = await createAwsApis({
    env: process.env,
    clock: realClock,
    logger: nullLogger,
    metrics: new Metrics(realClock),
    version: '1.14.1',
    random: () => 0,
  });
  t.after(() => clients.close());
  return clients;
}

function webIdentityToken(subject: string): string {
  const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
  const claims = { sub: subject, aud: 'sts.amazonaws.com', iss: 'https://oidc.example', exp: 4_102_444_800 };
  return `${encode({ alg: 'RS256' })}.${encode(claims)}.signature`;
}

const ROLE = { AWS_ROLE_ARN: 'arn:aws:iam::444455556666:role/karpenter' };

test('with IRSA the token of the service account is exchanged once for all clients', async (t) => {
  const { emulator, carriedOut, count } = await startAws(t);
  const files = writeFiles(t, { token: webIdentityToken('system:serviceaccount:kube-system:karpenter') });
  const { apis } = await startWith(t, {
    ...ROLE,
    AWS_REGION: 'us-west-2',
    AWS_ENDPOINT_URL: emulator.endpoint,
    AWS_WEB_IDENTITY_TOKEN_FILE: files.path('token'),
  });
  await Promise.all([
    apis.ec2.describeSubnets({}, NEVER),
    apis.ec2.describeImages({ Owners: ['self'] }, NEVER),
    apis.pricing.getProducts(
      { ServiceCode: 'AmazonEC2', Filters: [{ Type: 'TERM_MATCH', Field: 'regionCode', Value: 'us-west-2' }] },
      NEVER,
    ),
    assert.rejects(apis.arcZonalShift.getManagedResource({ resourceIdentifier: 'demo' }, NEVER)),
  ]);
  assert.equal(count('AssumeRoleWithWebIdentity'), 1);
  const others = carriedOut.filter(({ operation }) => operation !== 'AssumeRoleWithWebIdentity');
  assert.deepEqual(
    others.map(({ account }) => account),
    others.map(() => '444455556666'),
    'they are made as the role',
  );
});

test('with IRSA a session about to expire is renewed, with the token as it is in the file then', async (t) => {
  const clock = { ...realClock, now: () => realClock.now() - HOUR + 200 * SECOND }; // sessions have 200 s left at once
  const { emulator, carriedOut } = await startAws(t, clock);
  const files = writeFiles(t, { token: webIdentityToken('first') });
  const { apis } = await startWith(t, {
    ...ROLE,
    AWS_REGION: 'us-west-2',
    AWS_ENDPOINT_URL: emulator.endpoint,
    AWS_WEB_IDENTITY_TOKEN_FILE: files.path('token'),
  });
  const exchanged = (): readonly string[] =>
    carriedOut.flatMap(({ operation, input }) =>
      operation === 'AssumeRoleWithWebIdentity' ? (input as { WebIdentityToken: string }).WebIdentityToken : [],
    );
  await apis.ec2.describeSubnets({}, NEVER);
  assert.equal(exchanged()[0], webIdentityToken('first'));
  files.write('token', webIdentityToken('second'));
  for (let i = 0; i < 100 && !exchanged().includes(webIdentityToken('second')); i++) {
    await apis.ec2.describeSubnets({}, NEVER); // the SDK renews it beside the calls, while the old one still works
    await realClock.sleep(5);
  }
  assert.equal(exchanged().at(-1), webIdentityToken('second'));
});

test('a token that STS does not take is an error that says so', async (t) => {
  const { emulator } = await startAws(t);
  const files = writeFiles(t, { token: 'nonsense' });
  const { apis } = await startWith(t, {
    ...ROLE,
    AWS_REGION: 'us-west-2',
    AWS_ENDPOINT_URL: emulator.endpoint,
    AWS_WEB_IDENTITY_TOKEN_FILE: files.path('token'),
  });
  await assert.rejects(apis.ec2.describeSubnets({}, NEVER), /not a valid JWT/);
});

test('with EKS Pod Identity the agent is asked with the pod’s token, and its session signs the requests', async (t) => {
  const aws = await startServer(t, (_, response) =>
    response.end('<DescribeSubnetsResponse><subnetSet/></DescribeSubnetsResponse>'),
  );
  const agent = await startServer(t, (_, response) => {
    response.end(
      JSON.stringify({
        AccessKeyId: 'ASIAPOD',
        SecretAccessKey: 'secret',
        Token: 'session-of-the-pod',
        Expiration: '2126-01-01T00:00:00Z',
      }),
    );
  });
  const files = writeFiles(t, { token: 'token-of-the-pod' });
  const { apis } = await startWith(t, {
    AWS_REGION: 'us-west-2',
    AWS_ENDPOINT_URL: aws.url,
    AWS_CONTAINER_CREDENTIALS_FULL_URI: `${agent.url}/v1/credentials`,
    AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: files.path('token'),
  });
  await apis.ec2.describeSubnets({}, NEVER);
  await apis.ec2.describeSubnets({}, NEVER);
  assert.deepEqual(
    agent.received.map(({ path, headers }) => [path, headers.authorization]),
    [['/v1/credentials', 'token-of-the-pod']],
  );
  const [{ headers }] = aws.received as [(typeof aws.received)[0]];
  assert.match(headers.authorization!, /Credential=ASIAPOD\//);
  assert.equal(headers['x-amz-security-token'], 'session-of-the-pod');
});

test('a profile gives the region and the keys', async (t) => {
  const { emulator, carriedOut } = await startAws(t);
  const files = writeFiles(t, {
    config: '[profile nodes]\nregion = eu-north-1\n',
    credentials: '[nodes]\naws_access_key_id = AKIAPROFILE\naws_secret_access_key = secret\n',
  });
  const { apis, region } = await startWith(t, {
    AWS_PROFILE: 'nodes',
    AWS_CONFIG_FILE: files.path('config'),
    AWS_SHARED_CREDENTIALS_FILE: files.path('credentials'),
    AWS_ENDPOINT_URL: emulator.endpoint,
  });
  assert.equal(region, 'eu-north-1');
  await apis.ec2.describeSubnets({}, NEVER);
  assert.deepEqual(
    carriedOut.map(({ account }) => account),
    [emulator.place.account],
  );
});

test('a profile with a role takes the role with the keys of another', async (t) => {
  const { emulator, carriedOut } = await startAws(t);
  const files = writeFiles(t, {
    config: [
      '[profile nodes]',
      'region = us-west-2',
      'role_arn = arn:aws:iam::444455556666:role/karpenter',
      'role_session_name = karpenter',
      'source_profile = base',
      '[profile base]',
      'region = us-west-2',
      '',
    ].join('\n'),
    credentials: '[base]\naws_access_key_id = AKIABASE\naws_secret_access_key = secret\n',
  });
  const { apis } = await startWith(t, {
    AWS_PROFILE: 'nodes',
    AWS_CONFIG_FILE: files.path('config'),
    AWS_SHARED_CREDENTIALS_FILE: files.path('credentials'),
    AWS_ENDPOINT_URL: emulator.endpoint,
  });
  await apis.ec2.describeSubnets({}, NEVER);
  assert.deepEqual(
    carriedOut.map(({ operation, account }) => [operation, account]),
    [
      ['AssumeRole', emulator.place.account],
      ['DescribeSubnets', '444455556666'],
    ],
  );
});

test('on an instance its role gives the keys, and its metadata the region', async (t) => {
  const aws = await startServer(t, (_, response) =>
    response.end('<DescribeSubnetsResponse><subnetSet/></DescribeSubnetsResponse>'),
  );
  const metadata = await startServer(t, ({ method, path }, response) => {
    if (method === 'PUT') response.end('token-1');
    else if (path === '/latest/dynamic/instance-identity/document') response.end('{"region":"eu-west-3"}');
    else if (path.endsWith('/security-credentials/')) response.end('node-role');
    else {
      response.end(
        JSON.stringify({
          Code: 'Success',
          AccessKeyId: 'ASIANODE',
          SecretAccessKey: 'secret',
          Token: 'session-of-the-node',
          Expiration: '2126-01-01T00:00:00Z',
        }),
      );
    }
  });
  const { apis, region } = await startWith(t, {
    AWS_EC2_METADATA_DISABLED: 'false',
    AWS_EC2_METADATA_SERVICE_ENDPOINT: metadata.url,
    AWS_CONFIG_FILE: '/dev/null',
    AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
    AWS_ENDPOINT_URL: aws.url,
  });
  assert.equal(region, 'eu-west-3');
  await apis.ec2.describeSubnets({}, NEVER);
  assert.match(aws.received[0]!.headers.authorization!, /Credential=ASIANODE\/\d+\/eu-west-3\//);
});

test('without any credentials a call is an error that names the call and says so', async (t) => {
  const { emulator } = await startAws(t);
  const { apis } = await startWith(t, {
    AWS_REGION: 'us-west-2',
    AWS_CONFIG_FILE: '/dev/null',
    AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
    AWS_ENDPOINT_URL: emulator.endpoint,
  });
  await assert.rejects(apis.ec2.describeSubnets({}, NEVER), {
    message: /^operation error EC2: DescribeSubnets, .*credentials/,
  });
});
