import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { findAwsError, isDryRunSuccess, isServerFault } from '../api/aws-error.ts';
import { Metrics, nullLogger, VirtualClock } from '@karpenter-ts/runtime';
import { createAwsApis } from './create-aws-apis.ts';
import { KEYS, NEVER, startClients, startServer } from './testing/answering-server.ts';

const ec2Error = (code: string, message = 'because'): string =>
  `<?xml version="1.0"?><Response><Errors><Error><Code>${code}</Code><Message>${message}</Message></Error></Errors><RequestID>req-1</RequestID></Response>`;
const regions = `<DescribeSubnetsResponse><requestId>r</requestId><subnetSet/></DescribeSubnetsResponse>`;

function respond(response: ServerResponse, status: number, body: string, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'text/xml', ...headers });
  response.end(body);
}

test('calls are signed for the region, with karpenter in the user agent', async (t) => {
  const { received, url } = await startServer(t, (_, response) => respond(response, 200, regions));
  const { apis, region } = await startClients(t, url);
  assert.equal(region, 'us-west-2');
  assert.deepEqual((await apis.ec2.describeSubnets({ MaxResults: 500 }, NEVER)).Subnets, []);
  const [{ headers, body }] = received as [(typeof received)[0]];
  assert.match(headers['user-agent']!, /(^| )karpenter\.sh-1\.14\.1( |$)/);
  assert.match(headers.authorization!, /Credential=AKIAEXAMPLE\/\d+\/us-west-2\/ec2\/aws4_request/);
  assert.match(body, /^Action=DescribeSubnets&Version=2016-11-15/);
});

test('messages are asked for at the endpoint of SQS that the settings choose, whatever host the URL of the queue has', async () => {
  const clock = new VirtualClock();
  const hosts: string[] = [];
  const handle = ({ hostname }: { readonly hostname: string }) => {
    hosts.push(hostname);
    return Promise.resolve({ response: { statusCode: 200, headers: {}, body: Buffer.from('{}') } });
  };
  const env = { AWS_REGION: 'us-gov-west-1', AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE', AWS_SECRET_ACCESS_KEY: 'secret' };
  const metrics = new Metrics(clock);
  const { apis } = await createAwsApis({ env, clock, logger: nullLogger, metrics, version: '1', handler: { handle } });
  await apis.sqs.receiveMessage({ QueueUrl: 'https://queue.amazonaws.com/111122223333/a' }, NEVER);
  assert.deepEqual(hosts, ['sqs.us-gov-west-1.amazonaws.com']);
});

test('05/72 an error of a service becomes an AwsError with its code, text, fault, status and request id', async (t) => {
  const { url } = await startServer(t, (_, response) =>
    respond(response, 403, ec2Error('UnauthorizedOperation', 'You may not'), { 'x-amzn-requestid': 'req-2' }),
  );
  const { apis } = await startClients(t, url);
  await assert.rejects(apis.ec2.createTags({ Resources: [], Tags: [] }, NEVER), (error: Error) => {
    const found = findAwsError(error)!;
    assert.equal(found.message, 'api error UnauthorizedOperation: You may not');
    assert.deepEqual(
      [found.code, found.fault, found.statusCode, found.requestId],
      ['UnauthorizedOperation', 'client', 403, 'req-2'],
    );
    assert.deepEqual(found.values, {
      'aws-error-code': 'UnauthorizedOperation',
      'aws-operation-name': 'CreateTags',
      'aws-request-id': 'req-2',
      'aws-service-name': 'EC2',
      'aws-status-code': 403,
    });
    return true;
  });
});

test('throttling and server faults are tried three times, with one client token, and measured', async (t) => {
  const { received, url } = await startServer(t, (_, response, count) => {
    if (count === 1) respond(response, 503, ec2Error('RequestLimitExceeded'));
    else if (count === 2) response.destroy();
    else respond(response, 200, '<CreateFleetResponse><fleetId>fleet-1</fleetId></CreateFleetResponse>');
  });
  const { apis, metrics } = await startClients(t, url);
  const fleet = { LaunchTemplateConfigs: [], TargetCapacitySpecification: { TotalTargetCapacity: 1 } };
  assert.equal((await apis.ec2.createFleet(fleet, NEVER)).FleetId, 'fleet-1');
  assert.equal(received.length, 3);
  const tokens = received.map(({ body }) => new URLSearchParams(body).get('ClientToken'));
  assert.ok(tokens[0]);
  assert.equal(new Set(tokens).size, 1, 'EC2 launches once, whichever attempt it saw');
  let page = '';
  for await (const part of metrics.render('prometheus' as never)) page += part;
  assert.match(page, /aws_sdk_go_request_total\{action="CreateFleet",code="200",service="EC2"\} 1/);
  for (const code of ['0', '200', '503']) {
    assert.match(
      page,
      new RegExp(`aws_sdk_go_request_attempt_total\\{action="CreateFleet",code="${code}",service="EC2"\\} 1`),
    );
  }
  assert.match(page, /aws_sdk_go_request_retry_count_sum\{action="CreateFleet",code="200",service="EC2"\} 2/);
  assert.match(
    page,
    /aws_sdk_go_request_attempt_duration_seconds_count\{action="CreateFleet",code="200",service="EC2"\} 3/,
  );
});

test('a service that goes on failing fails the call after the third attempt; its fault is the server’s', async (t) => {
  const { received, url } = await startServer(t, (_, response) => respond(response, 500, ec2Error('InternalError')));
  const { apis } = await startClients(t, url);
  await assert.rejects(apis.ec2.describeSubnets({}, NEVER), (error) => isServerFault(error));
  assert.equal(received.length, 3);
});

test('the dry runs of a validation are not tried again; that of the start is', async (t) => {
  const { received, url } = await startServer(t, (_, response) => respond(response, 500, ec2Error('InternalError')));
  const { apis } = await startClients(t, url);
  await assert.rejects(apis.ec2.runInstances({ DryRun: true, MinCount: 1, MaxCount: 1 }, NEVER));
  assert.equal(received.length, 1);
  await assert.rejects(apis.ec2.describeInstanceTypes({ DryRun: true }, NEVER));
  assert.equal(received.length, 4);
});

test('the answer of a dry run that would succeed is told apart', async (t) => {
  const { received, url } = await startServer(t, (_, response) => respond(response, 412, ec2Error('DryRunOperation')));
  const { apis } = await startClients(t, url);
  await assert.rejects(apis.ec2.describeInstanceTypes({ DryRun: true }, NEVER), (error) => isDryRunSuccess(error));
  assert.equal(received.length, 1);
});

test('an aborted call rejects at once with the reason, also while it waits to try again', async (t) => {
  const { url } = await startServer(t, () => undefined);
  const { apis } = await startClients(t, url);
  const stop = new AbortController();
  const call = apis.sqs.receiveMessage({ QueueUrl: `${url}/1/q` }, stop.signal);
  setTimeout(() => stop.abort(new Error('stopping')), 50);
  await assert.rejects(call, { message: 'stopping' });
  await assert.rejects(apis.ec2.describeSubnets({}, stop.signal), { message: 'stopping' });
});

test('half an answer is asked for again, and then an error that names the call', async (t) => {
  const { received, url } = await startServer(t, (_, response) => respond(response, 200, regions.slice(0, 60)));
  const { apis } = await startClients(t, url);
  await assert.rejects(apis.ec2.describeSubnets({}, NEVER), {
    message: 'operation error EC2: DescribeSubnets, the answer is incomplete',
  });
  assert.equal(received.length, 3);
});

test('what is no XML or no JSON is an error that names the call, without the SDK’s hints', async (t) => {
  const { url } = await startServer(t, (_, response) => respond(response, 200, '<html>'));
  const { apis } = await startClients(t, url);
  await assert.rejects(apis.eks.describeCluster({ name: 'c' }, NEVER), (error: Error) => {
    assert.match(error.message, /^operation error EKS: DescribeCluster, reading the answer failed, [^\n]*$/);
    assert.equal(findAwsError(error), undefined);
    return true;
  });
});

test('a gateway’s page is an error with its status', async (t) => {
  const { url } = await startServer(t, (_, response) => respond(response, 502, 'Bad Gateway'));
  const { apis } = await startClients(t, url);
  await assert.rejects(apis.ssm.getParameter({ Name: 'p' }, NEVER), (error: Error) => {
    assert.match(error.message, /502|UnknownError|reading the answer failed/);
    return true;
  });
});

test('nobody at the address is an error that names the call and the cause', async (t) => {
  const { apis } = await startClients(t, 'http://127.0.0.1:1');
  await assert.rejects(apis.ec2.describeSubnets({}, NEVER), {
    message: 'operation error EC2: DescribeSubnets, connect ECONNREFUSED 127.0.0.1:1',
  });
});

test('values that we do not know and fields that are missing are no errors', async (t) => {
  const body = `<DescribeInstancesResponse><reservationSet><item><instancesSet><item><instanceId>i-1</instanceId><instanceType>z99.huge</instanceType><surprise><deep>1</deep></surprise></item></instancesSet></item></reservationSet></DescribeInstancesResponse>`;
  const { url } = await startServer(t, (_, response) => respond(response, 200, body));
  const { apis } = await startClients(t, url);
  const [instance] = (await apis.ec2.describeInstances({}, NEVER)).Reservations![0]!.Instances!;
  assert.deepEqual({ ...instance }, { InstanceId: 'i-1', InstanceType: 'z99.huge' });
});

test('a page of a thousand instances is read whole, and others get their turns meanwhile', async (t) => {
  const tags = Array.from({ length: 8 }, (_, i) => `<item><key>k${i}</key><value>v</value></item>`).join('');
  const instances = Array.from(
    { length: 1000 },
    (_, i) =>
      `<item><reservationId>r-${i}</reservationId><instancesSet><item><instanceId>i-${i}</instanceId><tagSet>${tags}</tagSet></item></instancesSet></item>`,
  ).join('');
  const body = `<DescribeInstancesResponse><requestId>r</requestId><reservationSet>${instances}</reservationSet><nextToken>more</nextToken></DescribeInstancesResponse>`;
  const { received, url } = await startServer(t, (_, response) => respond(response, 200, body));
  const { apis } = await startClients(t, url);
  let turns = 0;
  let isDone = false;
  const count = (): void => {
    turns++;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  const page = await apis.ec2.describeInstances({}, NEVER);
  isDone = true;
  assert.deepEqual(
    page.Reservations!.map(({ Instances }) => Instances![0]!.InstanceId),
    Array.from({ length: 1000 }, (_, i) => `i-${i}`),
  );
  assert.equal(page.NextToken, 'more');
  assert.equal(received.length, 1);
  assert.ok(turns >= body.length / (64 * 1024), `${turns} turns`);
});

test('ARC is asked with a signed request, and its times are dates', async (t) => {
  const { received, url } = await startServer(t, (_, response, count) => {
    if (count === 1) {
      response.destroy();
      return;
    }
    const shift = { awayFrom: 'usw2-az1', expiryTime: 1_800_000_000, appliedStatus: 'APPLIED' };
    respond(response, 200, JSON.stringify({ arn: 'a', zonalShifts: [shift, { appliedStatus: 'NEW_WORD' }] }));
  });
  const { apis } = await startClients(t, url);
  const arn = 'arn:aws:eks:us-west-2:1:cluster/c';
  const { zonalShifts } = await apis.arcZonalShift.getManagedResource({ resourceIdentifier: arn }, NEVER);
  assert.deepEqual(zonalShifts, [
    { awayFrom: 'usw2-az1', expiryTime: new Date(1_800_000_000_000), appliedStatus: 'APPLIED' },
    { awayFrom: undefined, expiryTime: undefined, appliedStatus: 'NEW_WORD' },
  ]);
  assert.equal(received.length, 2);
  assert.equal(received[1]!.path, '/managedresources/arn%3Aaws%3Aeks%3Aus-west-2%3A1%3Acluster%2Fc');
  assert.match(received[1]!.headers.authorization!, /\/us-west-2\/arc-zonal-shift\/aws4_request/);
});

test('errors of ARC carry the code of their header', async (t) => {
  const { url } = await startServer(t, (_, response) =>
    respond(response, 404, '{"message":"not there"}', { 'x-amzn-errortype': 'ResourceNotFoundException:' }),
  );
  const { apis } = await startClients(t, url);
  await assert.rejects(apis.arcZonalShift.getManagedResource({ resourceIdentifier: 'a' }, NEVER), {
    name: 'AwsError',
    message: 'api error ResourceNotFoundException: not there',
  });
});

test('a service’s own endpoint comes before the general one', async (t) => {
  const { received, url } = await startServer(t, (_, response) => respond(response, 200, regions));
  const { apis } = await startClients(t, 'http://127.0.0.1:1', { AWS_ENDPOINT_URL_EC2: url });
  await apis.ec2.describeSubnets({}, NEVER);
  assert.equal(received.length, 1);
  await assert.rejects(startClients(t, 'nonsense'), { message: 'AWS_ENDPOINT_URL is no address of HTTP: nonsense' });
});

test('plain HTTP goes through HTTP_PROXY unless NO_PROXY names the host', async (t) => {
  const { received, url } = await startServer(t, (_, response) => respond(response, 200, regions));
  const env = { HTTP_PROXY: url.replace('://', '://jane:pw@'), NO_PROXY: 'near.example' };
  const { apis } = await startClients(t, 'http://aws.example', env);
  await apis.ec2.describeSubnets({}, NEVER);
  assert.equal(received[0]!.path, 'http://aws.example:80/');
  assert.equal(received[0]!.headers['proxy-authorization'], `Basic ${Buffer.from('jane:pw').toString('base64')}`);
  const { apis: near } = await startClients(t, 'http://near.example', env);
  await assert.rejects(near.ec2.describeSubnets({}, NEVER), /near\.example/);
  assert.equal(received.length, 1);
});

test('without a region in the environment the instance is asked for it, with a token', async (t) => {
  const { received, url } = await startServer(t, (request, response) => {
    if (request.method === 'PUT') respond(response, 200, 'token-1');
    else respond(response, 200, '{"region":"eu-west-3"}');
  });
  const env = { AWS_REGION: '', AWS_EC2_METADATA_SERVICE_ENDPOINT: url };
  const { region } = await startClients(t, url, env);
  assert.equal(region, 'eu-west-3');
  assert.deepEqual(
    received.map(({ method, path }) => [method, path]),
    [
      ['PUT', '/latest/api/token'],
      ['GET', '/latest/dynamic/instance-identity/document'],
    ],
  );
  assert.equal(received[1]!.headers['x-aws-ec2-metadata-token'], 'token-1');
  await assert.rejects(startClients(t, url, { ...KEYS, ...env, AWS_EC2_METADATA_DISABLED: 'true' }), {
    message: /^unable to determine region from IMDS: access disabled to EC2 IMDS/,
  });
});
