// The subnets of a NodeClass: what EC2 is asked, and what the status lists.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DescribeSubnetsCommandInput, Filter, Subnet } from '@aws-sdk/client-ec2';
import type { EC2NodeClass } from '@karpenter-ts/apis';
import { MINUTE, VirtualClock } from '@karpenter-ts/runtime';
import { NEVER, recordingLogger } from '@karpenter-ts/runtime/testing';
import { AwsError } from '../api/aws-error.ts';
import { Subnets } from './subnets.ts';

type Terms = NonNullable<NonNullable<EC2NodeClass['spec']>['subnetSelectorTerms']>;

const subnet = (id: string, free: number, tags: Record<string, string> = {}, zone = 'us-west-2a'): Subnet => ({
  SubnetId: id,
  AvailabilityZone: zone,
  AvailabilityZoneId: `id-of-${zone}`,
  AvailableIpAddressCount: free,
  Tags: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })),
});

const nodeClass = (subnetSelectorTerms: Terms, metadata: object = {}): EC2NodeClass =>
  ({
    metadata: { name: 'default', uid: 'uid', generation: 1, ...metadata },
    spec: { subnetSelectorTerms },
  }) as unknown as EC2NodeClass;

function environment(subnets: readonly Subnet[]) {
  const clock = new VirtualClock();
  const logger = recordingLogger();
  const env = {
    subnets,
    clock,
    logger,
    asked: [] as DescribeSubnetsCommandInput[],
    listed: [] as (readonly [string, number])[],
    failure: undefined as Error | undefined,
    /** The subnets of one page. */
    pageSize: 100,
    list: (one: EC2NodeClass) => resolver.list(one, NEVER),
  };
  const describeSubnets = async (input: DescribeSubnetsCommandInput) => {
    env.asked.push(input);
    if (env.failure !== undefined) throw env.failure;
    const found = env.subnets.filter((one) => (input.Filters ?? []).every((filter) => passes(one, filter)));
    const from = Number(input.NextToken ?? 0);
    const next = from + env.pageSize;
    return {
      Subnets: found.slice(from, next),
      ...(next < found.length && { NextToken: String(next) }),
      $metadata: {},
    };
  };
  const addresses = { listed: (id: string, free: number) => void env.listed.push([id, free]) };
  const resolver = new Subnets({
    ec2: { describeSubnets },
    clock,
    logger,
    addresses,
    refreshInterval: 1 * MINUTE,
    stopping: NEVER,
  });
  return env;
}

function passes({ SubnetId = '', Tags = [] }: Subnet, filter: Filter): boolean {
  const { Name = '', Values = [] } = filter;
  if (Name === 'subnet-id') return Values.includes(SubnetId);
  return Tags.some(({ Key, Value }) =>
    Name === 'tag-key' ? Values.includes(Key!) : Name === `tag:${Key}` && Values.includes(Value!),
  );
}

const FILTERED_BY_ID = { Filters: [{ Name: 'subnet-id', Values: ['subnet-1'] }], MaxResults: 500 };

test('08/1 terms by id and by tag give the union, each subnet once', async () => {
  const env = environment([subnet('subnet-1', 1, { foo: 'bar' }), subnet('subnet-2', 2, { foo: 'bar' })]);
  const found = await env.list(nodeClass([{ tags: { foo: 'bar' } }, { id: 'subnet-1' }]));
  assert.deepEqual(
    found.map(({ id }) => id),
    ['subnet-2', 'subnet-1'],
  );
  assert.deepEqual(env.asked, [{ Filters: [{ Name: 'tag:foo', Values: ['bar'] }], MaxResults: 500 }, FILTERED_BY_ID]);
});

test('08/2 tags of one term all hold, those of two terms either, and each class has its own answer', async () => {
  const env = environment([subnet('subnet-1', 1, { a: '1', b: '2' }), subnet('subnet-2', 2, { b: '2' })]);
  const both = nodeClass([{ tags: { a: '1', b: '2' } }]);
  const either = nodeClass([{ tags: { a: '1' } }, { tags: { b: '2' } }], { uid: 'other' });
  const ids = async (one: EC2NodeClass) => (await env.list(one)).map(({ id }) => id);
  assert.deepEqual(await ids(both), ['subnet-1']);
  assert.deepEqual(await ids(either), ['subnet-2', 'subnet-1']);
  assert.deepEqual(await ids(both), ['subnet-1']);
  assert.equal(env.asked.length, 3);
});

test('08/3 the tag value * asks for the key alone', async () => {
  const env = environment([subnet('subnet-1', 1, { foo: 'x' }), subnet('subnet-2', 1)]);
  assert.deepEqual(
    (await env.list(nodeClass([{ tags: { foo: '*' } }]))).map(({ id }) => id),
    ['subnet-1'],
  );
  assert.deepEqual(env.asked[0]!.Filters, [{ Name: 'tag-key', Values: ['foo'] }]);
});

test('08/4 08/129 of an id and tags in one term the id alone counts', async () => {
  const env = environment([subnet('subnet-1', 1)]);
  assert.equal((await env.list(nodeClass([{ id: 'subnet-1', tags: { foo: 'bar' } }]))).length, 1);
  assert.deepEqual(env.asked, [FILTERED_BY_ID]);
});

test('08/5 pages are merged, also where one in the middle is empty', async () => {
  const env = environment([subnet('subnet-1', 3), subnet('subnet-2', 2)]);
  const answers = [
    { Subnets: [env.subnets[0]!], NextToken: 'a', $metadata: {} },
    { Subnets: [], NextToken: 'b', $metadata: {} },
    { Subnets: [env.subnets[1]!], $metadata: {} },
  ];
  const resolver = new Subnets({
    ec2: { describeSubnets: () => Promise.resolve(answers.shift()!) },
    clock: env.clock,
    logger: env.logger,
    addresses: { listed: () => undefined },
    refreshInterval: 1 * MINUTE,
    stopping: NEVER,
  });
  const found = await resolver.list(nodeClass([{ tags: { foo: '*' } }]), NEVER);
  assert.deepEqual(
    found.map(({ id }) => id),
    ['subnet-1', 'subnet-2'],
  );
});

test('08/6 the status lists the most free addresses first, then by id', async () => {
  const ids = ['subnet-3', 'subnet-2', 'subnet-1'];
  const free = [20, 20, 50];
  const env = environment(ids.map((id, i) => subnet(id, free[i]!, { foo: 'bar' })));
  assert.deepEqual(await env.list(nodeClass([{ tags: { foo: 'bar' } }])), [
    { id: 'subnet-1', zone: 'us-west-2a', zoneID: 'id-of-us-west-2a' },
    { id: 'subnet-2', zone: 'us-west-2a', zoneID: 'id-of-us-west-2a' },
    { id: 'subnet-3', zone: 'us-west-2a', zoneID: 'id-of-us-west-2a' },
  ]);
});

test('08/8 ten thousand questions at once are one call with one answer', async () => {
  const env = environment([subnet('subnet-1', 1, { foo: 'bar' }), subnet('subnet-2', 2, { foo: 'bar' })]);
  const asked = Array.from({ length: 10_000 }, () => env.list(nodeClass([{ tags: { foo: 'bar' } }])));
  const answers = await Promise.all(asked);
  const sorted = answers[0]!.toReversed();
  assert.equal(sorted[0]!.id, 'subnet-1');
  for (const answer of answers) assert.equal(answer[0]!.id, 'subnet-2');
  assert.equal(env.asked.length, 1);
});

test('08/128 nothing is asked again within the interval, but for another class or generation', async () => {
  const env = environment([subnet('subnet-1', 1)]);
  const terms: Terms = [{ id: 'subnet-1' }];
  await env.list(nodeClass(terms));
  await env.clock.advance(1 * MINUTE - 1);
  await env.list(nodeClass(terms));
  assert.equal(env.asked.length, 1);
  await env.list(nodeClass(terms, { uid: 'other' }));
  await env.list(nodeClass(terms, { generation: 2 }));
  assert.equal(env.asked.length, 3);
  await env.clock.advance(1);
  await env.list(nodeClass(terms));
  assert.equal(env.asked.length, 4);
});

test('every listing tells how many addresses the subnets have left, and the log when the set changes', async () => {
  const env = environment([subnet('subnet-1', 7, { foo: 'bar' }), subnet('subnet-2', 5, { foo: 'bar' })]);
  const terms: Terms = [{ tags: { foo: 'bar' } }];
  await env.list(nodeClass(terms));
  assert.deepEqual(env.listed, [
    ['subnet-1', 7],
    ['subnet-2', 5],
  ]);
  await env.clock.advance(1 * MINUTE);
  await env.list(nodeClass(terms));
  assert.deepEqual(
    env.logger.lines.map(({ level, message }) => [level, message]),
    [['debug', 'discovered subnets']],
  );
  env.subnets = [];
  await env.clock.advance(1 * MINUTE);
  assert.deepEqual(await env.list(nodeClass(terms)), []);
  assert.equal(env.logger.lines.length, 2);
});

test('a failure names the filters, tells no addresses and is not remembered', async () => {
  const env = environment([subnet('subnet-1', 1)]);
  env.failure = new AwsError('UnauthorizedOperation', 'no');
  await assert.rejects(env.list(nodeClass([{ id: 'subnet-1' }])), {
    message:
      'describing subnets with filters, api error UnauthorizedOperation: no ' +
      '(filters=[{"Name":"subnet-id","Values":["subnet-1"]}])',
  });
  assert.deepEqual(env.listed, []);
  env.failure = undefined;
  assert.equal((await env.list(nodeClass([{ id: 'subnet-1' }]))).length, 1);
});

test('a class without terms selects nothing and asks nothing; subnets without id or zone are left out', async () => {
  const env = environment([{ AvailabilityZone: 'us-west-2a' }, { SubnetId: 'subnet-1' }, { ...subnet('subnet-2', 0) }]);
  assert.deepEqual(await env.list(nodeClass([])), []);
  assert.equal(env.asked.length, 0);
  const found = await env.list(nodeClass([{ id: 'subnet-1' }, { id: 'subnet-2' }], { generation: 2 }));
  assert.deepEqual(
    found.map(({ id }) => id),
    ['subnet-2'],
  );
});
