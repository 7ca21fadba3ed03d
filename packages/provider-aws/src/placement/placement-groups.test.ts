import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DescribePlacementGroupsCommandInput, PlacementGroup as Ec2PlacementGroup } from '@aws-sdk/client-ec2';
import type { EC2NodeClass } from '@karpenter-ts/apis';
import { HOUR, MINUTE, SECOND, VirtualClock } from '@karpenter-ts/runtime';
import { NEVER } from '@karpenter-ts/runtime/testing';
import { AwsError } from '../api/aws-error.ts';
import { placementGroupVerdict } from './placement-group-condition.ts';
import { PlacementGroups } from './placement-groups.ts';

const GROUP: Ec2PlacementGroup = { GroupId: 'pg-1', GroupName: 'racks', Strategy: 'partition', PartitionCount: 5 };

const selecting = (placementGroupSelector?: { readonly name?: string; readonly id?: string }): EC2NodeClass => ({
  apiVersion: 'karpenter.k8s.aws/v1',
  kind: 'EC2NodeClass',
  metadata: { name: 'default' },
  spec: { ...(placementGroupSelector && { placementGroupSelector }) } as EC2NodeClass['spec'],
});
const BY_NAME = selecting({ name: 'racks' });
const BY_ID = selecting({ id: 'pg-1' });

/** An EC2 with these groups, all of them available, or that fails. */
function environment(answer: readonly Ec2PlacementGroup[] | Error = [GROUP]) {
  const clock = new VirtualClock();
  const inputs: DescribePlacementGroupsCommandInput[] = [];
  const ec2 = {
    answer,
    describePlacementGroups: async (input: DescribePlacementGroupsCommandInput) => {
      inputs.push(input);
      if (ec2.answer instanceof Error) throw ec2.answer;
      return { $metadata: {}, PlacementGroups: [...ec2.answer] };
    },
  };
  return { clock, ec2, inputs, groups: new PlacementGroups({ ec2, clock, stopping: NEVER }) };
}

const FAILURE = new AwsError('InternalError', 'out of order');
const UNKNOWN = new AwsError('InvalidPlacementGroup.Unknown', "The Placement Group 'racks' is unknown.");
const Filters = [{ Name: 'state', Values: ['available'] }];

test('07/107, 08/156 a group is asked for by name or by id, also if its name looks like an id', async () => {
  const { groups, inputs } = environment();
  for (const nodeClass of [BY_NAME, BY_ID, selecting({ name: 'pg-1' })]) {
    assert.deepEqual(await groups.resolve(nodeClass, NEVER), {
      id: 'pg-1',
      name: 'racks',
      strategy: 'partition',
      partitionCount: 5,
    });
  }
  assert.deepEqual(inputs, [
    { Filters, GroupNames: ['racks'] },
    { Filters, GroupIds: ['pg-1'] },
    { Filters, GroupNames: ['pg-1'] },
  ]);
});

test('08/156 of several groups the first is taken', async () => {
  const { groups } = environment([GROUP, { GroupId: 'pg-2', GroupName: 'other', Strategy: 'spread' }]);
  assert.equal((await groups.resolve(BY_NAME, NEVER))?.id, 'pg-1');
});

test('07/107, 08/38 without a selector there is no group, no call, and the condition is True', async () => {
  const { groups, inputs } = environment();
  const nodeClass = selecting();
  const answer = await groups.find(nodeClass, NEVER);
  assert.deepEqual(answer, { group: undefined });
  assert.deepEqual(placementGroupVerdict(nodeClass, answer), { status: 'True' });
  assert.deepEqual(inputs, []);
});

test('07/107 with the group that is selected the condition is True', async () => {
  const { groups } = environment();
  assert.deepEqual(placementGroupVerdict(BY_ID, await groups.find(BY_ID, NEVER)), { status: 'True' });
});

for (const [name, answer, nodeClass, message] of [
  ['is not available', [], BY_NAME, 'Placement group "racks" not found'],
  ['EC2 does not know', UNKNOWN, BY_ID, 'Placement group "pg-1" not found'],
] as const) {
  test(`07/107, 08/39 a group that ${name} is not found, and the condition names it`, async () => {
    const { groups } = environment(answer);
    const found = await groups.find(nodeClass, NEVER);
    assert.deepEqual(found, { group: undefined });
    const verdict = { status: 'False', reason: 'PlacementGroupNotFound', message };
    assert.deepEqual(placementGroupVerdict(nodeClass, found), verdict);
  });
}

test('07/107, 08/40 after a failure the group of before is used for a day, and the condition tells of the failure', async () => {
  const { clock, ec2, groups } = environment();
  await groups.resolve(BY_NAME, NEVER);
  ec2.answer = FAILURE;
  await clock.advance(1 * MINUTE);
  const answer = await groups.find(BY_NAME, NEVER);
  assert.equal(answer.group?.id, 'pg-1');
  assert.equal(answer.error?.message, 'describing placement groups, api error InternalError: out of order');
  const message = 'Failed to resolve placement group';
  const verdict = { status: 'False', reason: 'PlacementGroupResolutionFailed', message };
  assert.deepEqual(placementGroupVerdict(BY_NAME, answer), verdict);
  assert.equal((await groups.resolve(BY_NAME, NEVER))?.id, 'pg-1');
  await clock.advance(24 * HOUR);
  await assert.rejects(groups.resolve(BY_NAME, NEVER), /^Error: describing placement groups, /);
});

test('a group that EC2 no longer knows stays gone, also when the next question fails', async () => {
  const { clock, ec2, groups } = environment();
  await groups.resolve(BY_NAME, NEVER);
  ec2.answer = UNKNOWN;
  await clock.advance(1 * MINUTE);
  assert.equal(await groups.resolve(BY_NAME, NEVER), undefined);
  await clock.advance(30 * SECOND);
  assert.equal(await groups.resolve(BY_NAME, NEVER), undefined);
  ec2.answer = FAILURE;
  await clock.advance(30 * SECOND);
  await assert.rejects(groups.resolve(BY_NAME, NEVER));
});

test('08/41, 08/156 equal selectors share an answer for a minute; another selector has its own, none has none', async () => {
  const { clock, groups, inputs } = environment();
  await Promise.all([groups.resolve(BY_NAME, NEVER), groups.resolve(selecting({ name: 'racks' }), NEVER)]);
  await clock.advance(59 * SECOND);
  await groups.resolve(BY_NAME, NEVER);
  assert.equal(inputs.length, 1);
  await groups.resolve(selecting({ name: 'other' }), NEVER);
  assert.equal(await groups.resolve(selecting(), NEVER), undefined);
  assert.equal(inputs.length, 2);
  await clock.advance(1 * SECOND);
  await groups.resolve(BY_NAME, NEVER);
  assert.equal(inputs.length, 3);
});

test('that there is no such group is remembered for a minute, too', async () => {
  const { clock, ec2, groups, inputs } = environment([]);
  await groups.resolve(BY_NAME, NEVER);
  ec2.answer = [GROUP];
  assert.equal(await groups.resolve(BY_NAME, NEVER), undefined);
  assert.equal(inputs.length, 1);
  await clock.advance(1 * MINUTE);
  assert.equal((await groups.resolve(BY_NAME, NEVER))?.id, 'pg-1');
});
