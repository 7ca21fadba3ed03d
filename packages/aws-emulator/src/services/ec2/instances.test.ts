import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  CreateTagsCommand,
  DescribeInstancesCommand,
  DescribeSubnetsCommand,
  type Instance,
  paginateDescribeInstances,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import { codeOf, type Ec2Fixture, startEc2, ZONE } from './testing/ec2-fixture.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

async function launchMany({ template, fleet }: Ec2Fixture, count: number, kind?: 'spot'): Promise<readonly string[]> {
  const name = await template(`many-${count}`);
  const { Instances = [] } = await fleet({ template: name, types: ['m5.large'], count, ...(kind && { kind }) });
  return Instances.flatMap(({ InstanceIds = [] }) => InstanceIds);
}

const ids = (instances: readonly Instance[]): (string | undefined)[] => instances.map(({ InstanceId }) => InstanceId);

async function list({ client }: Ec2Fixture, input: object, pageSize = 1000): Promise<Instance[]> {
  const found: Instance[] = [];
  for await (const { Reservations = [] } of paginateDescribeInstances({ client, pageSize }, input)) {
    found.push(...Reservations.flatMap(({ Instances = [] }) => Instances));
  }
  return found;
}

test('a created instance is not told of at first', async (t) => {
  const fixture = await startEc2(t);
  const { client, clock } = fixture;
  const [id] = await launchMany(fixture, 1);
  const describe = (): Promise<unknown> => client.send(new DescribeInstancesCommand({ InstanceIds: [id!] }));
  const terminate = (): Promise<unknown> => client.send(new TerminateInstancesCommand({ InstanceIds: [id!] }));
  const tag = new CreateTagsCommand({ Resources: [id!], Tags: [{ Key: 'a', Value: '' }] });
  assert.equal(await codeOf(describe()), 'InvalidInstanceID.NotFound');
  assert.equal(await codeOf(terminate()), 'InvalidInstanceID.NotFound');
  assert.equal(await codeOf(client.send(tag)), 'InvalidInstanceID.NotFound');
  assert.deepEqual(await list(fixture, {}), []);
  await clock.advance(2000);
  assert.equal(await codeOf(describe()), undefined);
  assert.deepEqual(ids(await list(fixture, {})), [id]);
});

test('an instance runs, is terminated, and is forgotten an hour after its end', async (t) => {
  const fixture = await startEc2(t);
  const { client, clock, ec2, heard, instance } = fixture;
  const changes: string[] = [];
  ec2.onInstance(({ id, state }) => changes.push(`${id} ${state}`));
  const [id] = await launchMany(fixture, 1);
  await clock.advance(3000);
  assert.equal((await instance(id!))?.State?.Name, 'pending');
  await clock.advance(12_000);
  assert.equal((await instance(id!))?.State?.Name, 'running');
  const answer = await client.send(new TerminateInstancesCommand({ InstanceIds: [id!] }));
  const [change] = answer.TerminatingInstances!;
  assert.deepEqual([change!.PreviousState?.Name, change!.CurrentState?.Name], ['running', 'shutting-down']);
  await clock.advance(50_000);
  const gone = (await instance(id!))!;
  assert.deepEqual([gone.State?.Name, gone.State?.Code, gone.SubnetId], ['terminated', 48, undefined]);
  const again = await client.send(new TerminateInstancesCommand({ InstanceIds: [id!] }));
  assert.equal(again.TerminatingInstances?.[0]?.CurrentState?.Name, 'terminated');
  await clock.advance(HOUR);
  assert.equal(await instance(id!), undefined);
  const states = ['pending', 'running', 'shutting-down', 'terminated'];
  assert.deepEqual(
    changes,
    states.map((state) => `${id} ${state}`),
  );
  assert.deepEqual(
    heard.map(({ 'detail-type': type, detail }) => [type, detail['instance-id'], detail['state']]),
    states.map((state) => ['EC2 Instance State-change Notification', id, state]),
  );
});

test('instances are listed by tag and state in pages, which hold while others go', async (t) => {
  const fixture = await startEc2(t);
  const { client, clock, ec2 } = fixture;
  const all = await launchMany(fixture, 12);
  await clock.advance(20_000);
  await client.send(new CreateTagsCommand({ Resources: all.slice(0, 11), Tags: [{ Key: 'pool', Value: 'a' }] }));
  const Filters = [
    { Name: 'tag:pool', Values: ['a'] },
    { Name: 'tag-key', Values: ['pool'] },
    { Name: 'instance-state-name', Values: ['pending', 'running', 'stopping', 'stopped', 'shutting-down'] },
  ];
  assert.deepEqual(ids(await list(fixture, { Filters }, 5)), all.slice(0, 11));
  ec2.terminate(all[0]!);
  await clock.advance(MINUTE);
  assert.deepEqual(ids(await list(fixture, { Filters }, 5)), all.slice(1, 11));
});

test('ids are all known or all refused, and cannot be paged through', async (t) => {
  const fixture = await startEc2(t);
  const { client, clock, instance } = fixture;
  const [id] = await launchMany(fixture, 1);
  await clock.advance(15_000);
  const describe = (input: object): Promise<unknown> => client.send(new DescribeInstancesCommand(input));
  const unknown = 'i-0123456789abcdef0';
  assert.equal(await codeOf(describe({ InstanceIds: [id, unknown] })), 'InvalidInstanceID.NotFound');
  assert.equal(await codeOf(describe({ InstanceIds: ['node-1'] })), 'InvalidInstanceID.Malformed');
  assert.equal(await codeOf(describe({ InstanceIds: [id], MaxResults: 10 })), 'InvalidParameterCombination');
  assert.equal(await codeOf(describe({ MaxResults: 4 })), 'InvalidParameterValue');
  assert.equal(await codeOf(describe({ MaxResults: 1001 })), 'InvalidParameterValue');
  const terminate = new TerminateInstancesCommand({ InstanceIds: [id!, unknown] });
  assert.equal(await codeOf(client.send(terminate)), 'InvalidInstanceID.NotFound');
  assert.equal((await instance(id!))?.State?.Name, 'running');
  const dry = new TerminateInstancesCommand({ InstanceIds: [id!], DryRun: true });
  assert.equal(await codeOf(client.send(dry)), 'DryRunOperation');
  assert.equal((await instance(id!))?.State?.Name, 'running');
});

test('a spot instance that is interrupted gets its warning two minutes before its end', async (t) => {
  const fixture = await startEc2(t);
  const { clock, ec2, heard, instance } = fixture;
  const [id] = await launchMany(fixture, 1, 'spot');
  await clock.advance(15_000);
  const found = (await instance(id!))!;
  assert.equal(found.InstanceLifecycle, 'spot');
  assert.match(found.SpotInstanceRequestId!, /^sir-/);
  ec2.recommendRebalance(id!);
  ec2.interrupt(id!);
  const types = heard.map((event) => event['detail-type']).slice(-2);
  assert.deepEqual(types, ['EC2 Instance Rebalance Recommendation', 'EC2 Spot Instance Interruption Warning']);
  assert.deepEqual(heard.at(-1)!.detail, { 'instance-id': id, 'instance-action': 'terminate' });
  await clock.advance(2 * MINUTE - 1);
  assert.equal((await instance(id!))?.State?.Name, 'running');
  await clock.advance(1);
  const ending = (await instance(id!))!;
  assert.deepEqual([ending.State?.Name, ending.StateReason?.Code], ['shutting-down', 'Server.SpotInstanceTermination']);
});

test('spot instances are interrupted at random if that is wanted, on-demand ones never', async (t) => {
  const fixture = await startEc2(t);
  const { clock, ec2 } = fixture;
  ec2.setSpotInterruptions(0.5);
  await launchMany(fixture, 40, 'spot');
  const name = await fixture.template('stable');
  await fixture.fleet({ template: name, types: ['m5.xlarge'], count: 40 });
  await clock.advance(HOUR);
  const left = (lifecycle: string): number =>
    ec2.instances().filter((one) => one.lifecycle === lifecycle && one.state === 'running').length;
  const spot = left('spot');
  assert.ok(spot > 12 && spot < 36, `${spot} of 40 are left after an hour, and 24 are to be expected`);
  assert.equal(left('on-demand'), 40);
});

test('a month of launches leaves nothing behind', async (t) => {
  const fixture = await startEc2(t);
  const { clock, ec2, network, client } = fixture;
  const name = await fixture.template('monthly');
  for (let day = 0; day < 30; day++) {
    const fleet = await fixture.fleet({ template: name, types: ['m5.large'], count: 5, kind: 'spot' });
    const ended = await fixture.running(fleet);
    await client.send(new TerminateInstancesCommand({ InstanceIds: [...ended] }));
    await clock.advance(24 * HOUR);
  }
  assert.equal(ec2.instances().length, 0);
  const { Subnets = [] } = await client.send(new DescribeSubnetsCommand({ SubnetIds: [network.subnetIds[ZONE]!] }));
  assert.equal(Subnets[0]?.AvailableIpAddressCount, 4091);
  assert.equal(fixture.pendingTimers(), 0);
});
