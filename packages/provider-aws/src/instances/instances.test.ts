import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NodeClaimNotFoundError } from '@karpenter-ts/cloudprovider';
import { NEVER } from '@karpenter-ts/runtime/testing';
import { AwsError } from '../api/aws-error.ts';
import { terminationFailures } from './instances.ts';
import { CLUSTER, described, fakeInstances } from './testing/fake-instances.ts';

const idsOf = (instances: readonly { readonly id: string }[]) => instances.map(({ id }) => id);
const inZone = (zone: string, zoneId: string) => ({
  Placement: { AvailabilityZone: zone, AvailabilityZoneId: zoneId },
});

test('an instance that is known is not described again, unless it is to be fresh', async () => {
  const { fake, instances } = fakeInstances([described('i-1')]);
  await instances.get('i-1', NEVER);
  await instances.get('i-1', NEVER);
  assert.deepEqual(fake.calls, ['describe i-1']);
  await instances.getFresh('i-1', NEVER);
  assert.deepEqual(fake.calls, ['describe i-1', 'describe i-1']);
});

test('an instance that does not exist, or that EC2 answers without, is not found and forgotten', async () => {
  for (const vanish of ['deleted', 'missing'] as const) {
    const { fake, instances } = fakeInstances([described('i-1')]);
    await instances.get('i-1', NEVER);
    if (vanish === 'deleted') fake.held = [];
    else fake.missing.add('i-1');
    await assert.rejects(instances.getFresh('i-1', NEVER), NodeClaimNotFoundError);
    await assert.rejects(instances.get('i-1', NEVER), NodeClaimNotFoundError);
  }
});

test('a description that fails otherwise leaves what is known', async () => {
  const { fake, instances } = fakeInstances([described('i-1')]);
  await instances.get('i-1', NEVER);
  fake.fail.set('describe', new AwsError('RequestLimitExceeded', 'slow down'));
  await assert.rejects(instances.getFresh('i-1', NEVER), {
    message: 'failed to describe ec2 instances, api error RequestLimitExceeded: slow down',
  });
  assert.equal((await instances.get('i-1', NEVER)).id, 'i-1');
});

test('07/91 instances are listed by the three tags of the cluster, in all states but terminated', async () => {
  const untagged = described('i-untagged');
  const { fake, instances } = fakeInstances([
    described('i-1'),
    described('i-terminated', { State: { Name: 'terminated' } }),
    described('i-stopped', { State: { Name: 'stopped' } }),
    { ...untagged, Tags: untagged.Tags!.filter(({ Key }) => Key !== 'karpenter.sh/nodepool') },
    described('i-foreign', {}, { 'eks:eks-cluster-name': 'other' }),
  ]);
  assert.deepEqual(idsOf(await instances.list(NEVER)), ['i-1', 'i-stopped']);
  assert.deepEqual(fake.listings, [
    {
      Filters: [
        { Name: 'tag-key', Values: ['karpenter.sh/nodepool'] },
        { Name: 'tag-key', Values: ['karpenter.k8s.aws/ec2nodeclass'] },
        { Name: 'tag:eks:eks-cluster-name', Values: [CLUSTER] },
        { Name: 'instance-state-name', Values: ['pending', 'running', 'stopping', 'stopped', 'shutting-down'] },
      ],
      MaxResults: 1000,
    },
  ]);
});

test('a cluster without instances lists none', async () => {
  const { instances } = fakeInstances([]);
  assert.deepEqual(await instances.list(NEVER), []);
});

test('07/92 a listing refreshes what is known and evicts what it lacks, but for shifted zones', async () => {
  const { fake, instances } = fakeInstances([
    described('i-1'),
    described('i-2'),
    described('i-3', inZone('us-west-2b', 'usw2-az2')),
  ]);
  await instances.list(NEVER);
  fake.held = [described('i-1', { ImageId: 'ami-2' })];
  fake.shiftedZones.add('usw2-az2');
  await instances.list(NEVER);
  fake.calls.length = 0;
  assert.equal((await instances.get('i-1', NEVER)).imageId, 'ami-2');
  assert.equal((await instances.get('i-3', NEVER)).id, 'i-3');
  await assert.rejects(instances.get('i-2', NEVER), NodeClaimNotFoundError);
  assert.deepEqual(fake.calls, ['describe i-2']);
});

test('a listing that fails says so and evicts nothing', async () => {
  const { fake, instances } = fakeInstances([described('i-1')]);
  await instances.list(NEVER);
  fake.fail.set('list', new AwsError('InternalError', 'out of order'));
  await assert.rejects(instances.list(NEVER), {
    message: 'describing ec2 instances, api error InternalError: out of order',
  });
  fake.calls.length = 0;
  await instances.get('i-1', NEVER);
  assert.deepEqual(fake.calls, []);
});

test('07/93 nothing is asked about, or done to, an instance in a zone that is shifted away from', async () => {
  const { fake, instances, metrics } = fakeInstances([described('i-1'), described('i-2')]);
  await instances.get('i-1', NEVER);
  fake.shiftedZones.add('usw2-az1');
  fake.calls.length = 0;
  assert.equal((await instances.getFresh('i-1', NEVER)).id, 'i-1');
  await assert.rejects(instances.delete('i-1', NEVER), {
    message: 'instance i-1 is in zonally shifted availability zone us-west-2a (usw2-az1), skipping termination',
  });
  await assert.rejects(instances.createTags('i-1', { Name: 'node-1' }, NEVER), {
    message: 'instance i-1 is in zonally shifted availability zone us-west-2a (usw2-az1), skipping tag creation',
  });
  assert.deepEqual(fake.calls, []);
  assert.equal(metrics.find(terminationFailures, { zone: 'us-west-2a', zone_id: 'usw2-az1' }), undefined);
  await instances.createTags('i-2', { Name: 'node-2' }, NEVER);
  assert.deepEqual(fake.calls, ['tag i-2']);
});

test('07/149 an instance that is not known and turns out to be in a shifted zone is not terminated', async () => {
  const { fake, instances } = fakeInstances([described('i-1')]);
  fake.shiftedZones.add('usw2-az1');
  await assert.rejects(instances.delete('i-1', NEVER), /skipping termination$/);
  assert.deepEqual(fake.calls, ['describe i-1']);
});

test('an instance is terminated once, and not found when it is gone', async () => {
  const { fake, instances } = fakeInstances([described('i-1')]);
  await instances.delete('i-1', NEVER);
  fake.held = [described('i-1', { State: { Name: 'shutting-down' } })];
  await instances.delete('i-1', NEVER);
  fake.held = [];
  await assert.rejects(instances.delete('i-1', NEVER), NodeClaimNotFoundError);
  assert.deepEqual(fake.calls, ['describe i-1', 'terminate i-1', 'describe i-1', 'describe i-1']);
});

test('07/94 a termination that fails is counted under the zone of the instance', async () => {
  const { fake, instances, metrics } = fakeInstances([described('i-1')]);
  fake.fail.set('terminate', new AwsError('UnauthorizedOperation', 'no'));
  await assert.rejects(instances.delete('i-1', NEVER), /UnauthorizedOperation/);
  await assert.rejects(instances.delete('i-1', NEVER), /UnauthorizedOperation/);
  assert.equal(metrics.find(terminationFailures, { zone: 'us-west-2a', zone_id: 'usw2-az1' }), 2);
});

test('tags are put on one instance; if that is gone, it is not found', async () => {
  const { fake, instances } = fakeInstances([described('i-1')]);
  await instances.createTags('i-1', { Name: 'node-1', a: 'b' }, NEVER);
  assert.deepEqual(fake.tags, [
    {
      Resources: ['i-1'],
      Tags: [
        { Key: 'Name', Value: 'node-1' },
        { Key: 'a', Value: 'b' },
      ],
    },
  ]);
  fake.fail.set('tag', new AwsError('InvalidInstanceID.NotFound', 'no'));
  await assert.rejects(instances.createTags('i-1', {}, NEVER), NodeClaimNotFoundError);
  fake.fail.set('tag', new AwsError('InternalError', 'out of order'));
  await assert.rejects(instances.createTags('i-1', {}, NEVER), {
    message: 'tagging instance, api error InternalError: out of order',
  });
});
