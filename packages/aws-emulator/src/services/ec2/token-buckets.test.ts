import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CreateLaunchTemplateCommand, DescribeInstancesCommand, DescribeSubnetsCommand } from '@aws-sdk/client-ec2';
import { VirtualClock } from '@karpenter-ts/runtime';
import { codeOf, startEc2 } from './testing/ec2-fixture.ts';
import { TokenBuckets } from './token-buckets.ts';

const NO_LIMIT = { burst: Infinity, perSecond: Infinity };

/** How many requests in a row are let through. */
function admitted(buckets: TokenBuckets, operation: string, input: object = {}): number {
  for (let count = 0; count < 2000; count++) {
    try {
      buckets.admit(operation, input);
    } catch {
      return count;
    }
  }
  throw new Error('there is no limit');
}

test('each call has a bucket of its own, which fills again', async () => {
  const clock = new VirtualClock();
  const buckets = new TokenBuckets(clock);
  assert.equal(admitted(buckets, 'CreateFleet'), 50);
  assert.equal(admitted(buckets, 'CreateLaunchTemplate'), 50);
  assert.equal(admitted(buckets, 'DescribeSubnets'), 100);
  assert.equal(admitted(buckets, 'CreateTags'), 100);
  assert.equal(admitted(buckets, 'RunInstances'), 5);
  await clock.advance(2000);
  assert.equal(admitted(buckets, 'CreateFleet'), 10);
  assert.equal(admitted(buckets, 'DescribeSubnets'), 40);
  assert.equal(admitted(buckets, 'CreateTags'), 20);
  await clock.advance(3_600_000);
  assert.equal(admitted(buckets, 'CreateFleet'), 50);
});

test('asking for everything at once has a smaller bucket', () => {
  const buckets = new TokenBuckets(new VirtualClock());
  assert.equal(admitted(buckets, 'DescribeInstances'), 50);
  assert.equal(admitted(buckets, 'DescribeInstances', { MaxResults: 1000 }), 100);
  assert.equal(admitted(buckets, 'DescribeSubnets', {}), 100);
});

test('instances that are launched or terminated are tokens, too', async () => {
  const clock = new VirtualClock();
  const buckets = new TokenBuckets(clock);
  const many = { InstanceIds: Array.from({ length: 400 }, (_, index) => `i-${index}`) };
  assert.equal(admitted(buckets, 'TerminateInstances', many), 2);
  await clock.advance(10_000);
  assert.equal(admitted(buckets, 'TerminateInstances', many), 1);
});

test('a request over the limit is refused as EC2 does, in its own account and region only', async (t) => {
  const { client, ec2, emulator } = await startEc2(t);
  const ask = (): Promise<unknown> => client.send(new DescribeInstancesCommand({ MaxResults: 5 }));
  const codes = await Promise.all(Array.from({ length: 101 }, () => codeOf(ask())));
  assert.deepEqual(new Set(codes), new Set([undefined, 'RequestLimitExceeded']));
  assert.equal(codes.filter((code) => code !== undefined).length, 1);
  assert.equal(await codeOf(client.send(new DescribeSubnetsCommand({}))), undefined);
  emulator.ec2At({ ...emulator.place, region: 'us-west-2' }).setRequestRate('CreateLaunchTemplate', NO_LIMIT);
  ec2.setRequestRate('CreateLaunchTemplate', { burst: 1, perSecond: 0 });
  const create = (name: string): Promise<unknown> =>
    client.send(
      new CreateLaunchTemplateCommand({ LaunchTemplateName: name, LaunchTemplateData: { ImageId: 'ami-1' } }),
    );
  assert.deepEqual(
    [await codeOf(create('first')), await codeOf(create('second'))],
    [undefined, 'RequestLimitExceeded'],
  );
});
