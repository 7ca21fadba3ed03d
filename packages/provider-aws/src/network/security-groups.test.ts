// The security groups of a NodeClass: what EC2 is asked, and what the status lists.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DescribeSecurityGroupsCommandInput, SecurityGroup } from '@aws-sdk/client-ec2';
import type { EC2NodeClass } from '@karpenter-ts/apis';
import { MINUTE, VirtualClock } from '@karpenter-ts/runtime';
import { NEVER, recordingLogger } from '@karpenter-ts/runtime/testing';
import { AwsError } from '../api/aws-error.ts';
import { SecurityGroups } from './security-groups.ts';

type Terms = NonNullable<NonNullable<EC2NodeClass['spec']>['securityGroupSelectorTerms']>;

const nodeClass = (securityGroupSelectorTerms: Terms, metadata: object = {}): EC2NodeClass =>
  ({
    metadata: { name: 'default', uid: 'uid', generation: 1, ...metadata },
    spec: { securityGroupSelectorTerms },
  }) as unknown as EC2NodeClass;

/** EC2 answers to the first filter of a call. */
function environment(answers: Readonly<Record<string, readonly (readonly SecurityGroup[])[]>>) {
  const clock = new VirtualClock();
  const logger = recordingLogger();
  const asked: DescribeSecurityGroupsCommandInput[] = [];
  const describeSecurityGroups = async (input: DescribeSecurityGroupsCommandInput) => {
    asked.push(input);
    const found = answers[input.Filters![0]!.Name!];
    if (found === undefined) throw new AwsError('InternalError', 'no answer');
    const page = Number(input.NextToken ?? 0);
    const isLast = page + 1 >= found.length;
    return { SecurityGroups: [...found[page]!], ...(!isLast && { NextToken: String(page + 1) }), $metadata: {} };
  };
  const groups = new SecurityGroups({ ec2: { describeSecurityGroups }, clock, logger, stopping: NEVER });
  return { clock, logger, asked, list: (one: EC2NodeClass) => groups.list(one, NEVER) };
}

const group = (id: string): SecurityGroup => ({ GroupId: id, GroupName: `name-of-${id}` });

test('08/11 groups by ids, names and tags are all attached, sorted by id', async () => {
  const env = environment({
    'group-id': [[group('sg-3'), group('sg-1')]],
    'group-name': [[group('sg-2'), group('sg-3')]],
    'tag:foo': [[group('sg-4')]],
  });
  const terms: Terms = [{ id: 'sg-3' }, { tags: { foo: 'bar' } }, { name: 'a*' }, { id: 'sg-1' }, { name: 'b' }];
  assert.deepEqual(await env.list(nodeClass(terms)), [
    { id: 'sg-1', name: 'name-of-sg-1' },
    { id: 'sg-2', name: 'name-of-sg-2' },
    { id: 'sg-3', name: 'name-of-sg-3' },
    { id: 'sg-4', name: 'name-of-sg-4' },
  ]);
  assert.deepEqual(env.asked, [
    { Filters: [{ Name: 'tag:foo', Values: ['bar'] }], MaxResults: 500 },
    { Filters: [{ Name: 'group-id', Values: ['sg-3', 'sg-1'] }], MaxResults: 500 },
    { Filters: [{ Name: 'group-name', Values: ['a*', 'b'] }], MaxResults: 500 },
  ]);
});

test('08/3 08/5 the tag value * asks for the key alone, and an empty page ends nothing', async () => {
  const env = environment({ 'tag-key': [[group('sg-1')], [], [group('sg-2')]] });
  assert.equal((await env.list(nodeClass([{ tags: { foo: '*' } }]))).length, 2);
  assert.equal(env.asked.length, 3);
});

test('08/129 of an id, a name and tags in one term the id alone counts, then the name', async () => {
  const env = environment({ 'group-id': [[group('sg-1')]], 'group-name': [[group('sg-2')]] });
  const terms: Terms = [
    { id: 'sg-1', name: 'a', tags: { foo: 'bar' } },
    { name: 'b', tags: { foo: 'bar' } },
  ];
  await env.list(nodeClass(terms));
  assert.deepEqual(
    env.asked.map(({ Filters }) => Filters),
    [[{ Name: 'group-id', Values: ['sg-1'] }], [{ Name: 'group-name', Values: ['b'] }]],
  );
});

test('08/8 08/128 an answer holds for a minute and for one generation of one class; questions at once share it', async () => {
  const env = environment({ 'group-id': [[group('sg-1')]] });
  const terms: Terms = [{ id: 'sg-1' }];
  await Promise.all(Array.from({ length: 10_000 }, () => env.list(nodeClass(terms))));
  assert.equal(env.asked.length, 1);
  await env.list(nodeClass(terms, { generation: 2 }));
  await env.list(nodeClass(terms, { uid: 'other' }));
  assert.equal(env.asked.length, 3);
  await env.clock.advance(1 * MINUTE);
  await env.list(nodeClass(terms));
  assert.equal(env.asked.length, 4);
  assert.deepEqual(
    env.logger.lines.map(({ message, fields }) => [message, fields]),
    [['discovered security groups', { 'security-groups': ['sg-1'] }]],
  );
});

test('a failure names the filters', async () => {
  const env = environment({});
  await assert.rejects(env.list(nodeClass([{ id: 'sg-1' }])), {
    message: 'describing security groups [{"Name":"group-id","Values":["sg-1"]}], api error InternalError: no answer',
  });
});
