import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DescribeInstanceStatusCommand, type InstanceStatus } from '@aws-sdk/client-ec2';
import { type Ec2Fixture, startEc2 } from './testing/ec2-fixture.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

async function startRunning(t: { after(cleanUp: () => unknown): void }): Promise<Ec2Fixture & { readonly id: string }> {
  const fixture = await startEc2(t);
  const name = await fixture.template('status');
  const [id] = await fixture.running(await fixture.fleet({ template: name, types: ['m5.large'] }));
  return { ...fixture, id: id! };
}

async function statuses(
  { client }: Ec2Fixture,
  filter?: [name: string, ...values: string[]],
): Promise<InstanceStatus[]> {
  const Filters = filter && [{ Name: filter[0], Values: filter.slice(1) }];
  const { InstanceStatuses = [] } = await client.send(new DescribeInstanceStatusCommand({ Filters }));
  return InstanceStatuses;
}

test('a new instance initializes, and is ok after two minutes', async (t) => {
  const fixture = await startRunning(t);
  const summary = async (): Promise<unknown> => {
    const [{ InstanceStatus, SystemStatus } = {}] = await statuses(fixture);
    return [InstanceStatus?.Status, SystemStatus?.Status, InstanceStatus?.Details?.[0]?.Status];
  };
  assert.deepEqual(await summary(), ['initializing', 'initializing', 'initializing']);
  await fixture.clock.advance(2 * MINUTE);
  assert.deepEqual(await summary(), ['ok', 'ok', 'passed']);
});

test('a failing check is told of with its time, until it recovers', async (t) => {
  const fixture = await startRunning(t);
  const { clock, ec2, id } = fixture;
  const since = clock.now();
  ec2.impair(id, 'system');
  await clock.advance(5 * MINUTE);
  const [status] = await statuses(fixture, ['system-status.status', 'impaired']);
  assert.equal(status?.InstanceId, id);
  assert.deepEqual(status?.SystemStatus, {
    Status: 'impaired',
    Details: [{ Name: 'reachability', Status: 'failed', ImpairedSince: new Date(since) }],
  });
  assert.equal(status?.InstanceStatus?.Status, 'ok');
  assert.deepEqual(await statuses(fixture, ['instance-status.status', 'impaired']), []);
  ec2.recover(id, 'system');
  assert.deepEqual(await statuses(fixture, ['system-status.status', 'impaired']), []);
});

test('maintenance is announced by EC2 and by AWS Health, carried out, and told of for another week', async (t) => {
  const fixture = await startRunning(t);
  const { clock, ec2, heard, id } = fixture;
  const notBefore = clock.now() + DAY;
  ec2.scheduleEvent(id, { code: 'system-maintenance', notBefore });
  const [status] = await statuses(fixture, ['event.code', 'instance-stop', 'system-maintenance']);
  const [event] = status!.Events!;
  assert.deepEqual([event!.Code, event!.NotBefore?.getTime()], ['system-maintenance', notBefore]);
  const sent = heard.at(-1)!;
  assert.deepEqual([sent.source, sent['detail-type']], ['aws.health', 'AWS Health Event']);
  assert.equal(sent.detail['eventTypeCategory'], 'scheduledChange');
  assert.equal(sent.detail['service'], 'EC2');
  assert.equal((sent.detail['affectedEntities'] as { entityValue: string }[])[0]?.entityValue, id);
  await clock.advance(DAY);
  const [after] = await statuses(fixture, ['event.code', 'system-maintenance']);
  assert.match(after!.Events![0]!.Description!, /^\[Completed\] /);
  await clock.advance(7 * DAY);
  assert.deepEqual(await statuses(fixture, ['event.code', 'system-maintenance']), []);
});

test('an instance is retired when its time has come, unless that was cancelled', async (t) => {
  const fixture = await startRunning(t);
  const { clock, ec2, id, instance } = fixture;
  const cancelled = ec2.scheduleEvent(id, { code: 'instance-stop', notBefore: clock.now() + MINUTE });
  ec2.endEvent(id, cancelled, 'Canceled');
  ec2.scheduleEvent(id, { code: 'instance-retirement', notBefore: clock.now() + DAY });
  await clock.advance(DAY - 1);
  assert.equal((await instance(id))?.State?.Name, 'running');
  await clock.advance(1);
  assert.equal((await instance(id))?.State?.Name, 'shutting-down');
});
