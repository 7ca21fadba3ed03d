// EC2NodeClasses while the API server or AWS refuse, are slow or change in between.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINUTE, SECOND } from '@karpenter-ts/runtime';
import { EC2_NODE_CLASSES } from '../node-class/node-class-lookup.ts';
import { NodeClassEnvironment } from '../testing/node-class-environment.ts';

const THROTTLED = { kind: 'refuse', code: 'RequestLimitExceeded', message: 'slow down', status: 503 } as const;
const BROKEN = { kind: 'refuse', code: 'InternalError', message: 'broken', status: 500 } as const;
const STATUS = /ec2nodeclasses\/default\/status$/;

test('what a step found stays while AWS throttles it, and the other steps go on', async (t) => {
  const classes = await NodeClassEnvironment.start(t);
  const { env, aws } = classes;
  await classes.add();
  await classes.until('SubnetsReady', 'True');
  const before = await classes.status();
  const lift = aws.emulator.faults.inject(THROTTLED, { operation: 'DescribeSubnets' });
  const subnet = { id: Object.values(aws.network.subnetIds)[0]! };
  await classes.change({ subnetSelectorTerms: [subnet], amiSelectorTerms: [{ tags: { absent: 'yes' } }] });
  await env.clock.advance(20 * SECOND);
  const during = await classes.status();
  assert.deepEqual(during.subnets, before.subnets);
  assert.deepEqual((await classes.verdict('AMIsReady')).slice(0, 2), ['False', 'AMINotFound']);
  const condition = await classes.condition('SubnetsReady');
  assert.deepEqual([condition?.status, condition?.observedGeneration], ['True', 1]);
  assert.match(classes.failures()[0]!, /^getting subnets, describing subnets with filters, .*RequestLimitExceeded/);
  lift();
  await env.clock.advance(1 * MINUTE);
  assert.deepEqual(
    (await classes.status()).subnets?.map(({ id }) => id),
    [subnet.id],
  );
});

test('when everything in AWS fails, one line names each failure, and nothing that was found is lost', async (t) => {
  const classes = await NodeClassEnvironment.start(t);
  const { env, aws } = classes;
  await classes.add({ placementGroupSelector: { name: 'none' } });
  await classes.until('SubnetsReady', 'True');
  const { subnets, securityGroups, amis } = await classes.status();
  aws.emulator.faults.inject(BROKEN, { service: 'ec2' });
  await env.clock.advance(3 * MINUTE);
  const line = classes.failures().at(-1)!;
  for (const part of [
    /getting amis, describing images, /,
    /resolving placement group, describing placement groups, /,
    /getting subnets, describing subnets with filters, /,
    /getting security groups, describing security groups /,
  ]) {
    assert.match(line, part);
  }
  const after = await classes.status();
  assert.deepEqual([after.subnets, after.securityGroups, after.amis], [subnets, securityGroups, amis]);
  assert.equal((await classes.verdict('SubnetsReady'))[0], 'True');
});

test('a conflict makes the pass begin anew without a word', async (t) => {
  const classes = await NodeClassEnvironment.start(t);
  const { env } = classes;
  env.refusals.add({ method: 'PATCH', path: /ec2nodeclasses\/default$/, code: 409, times: 2 });
  env.refusals.add({ method: 'PATCH', path: STATUS, code: 409, times: 3 });
  await classes.add();
  await env.clock.advance(5 * SECOND);
  assert.equal((await classes.verdict('SubnetsReady'))[0], 'True');
  assert.deepEqual(classes.failures(), []);
});

test('a write of somebody else in between is not undone', async (t) => {
  const classes = await NodeClassEnvironment.start(t);
  const { env, aws } = classes;
  await classes.add();
  await classes.until('SubnetsReady', 'True');
  aws.emulator.faults.inject({ kind: 'slow', delay: 5 * SECOND }, { operation: 'DescribeSubnets', times: 1 });
  await classes.change({ subnetSelectorTerms: [{ tags: { absent: 'yes' } }] });
  const foreign = {
    type: 'Foreign',
    status: 'True',
    reason: 'X',
    message: '',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };
  const conditions = [...((await classes.status()).conditions ?? []), foreign];
  await env.change(EC2_NODE_CLASSES, 'default', { status: { conditions } });
  await env.clock.advance(1 * MINUTE);
  assert.equal((await classes.verdict('Foreign'))[0], 'True');
  assert.equal((await classes.verdict('SubnetsReady'))[1], 'SubnetsNotFound');
});

for (const code of [403, 500] as const) {
  test(`while the API server refuses the status with ${code}, that is logged and tried again`, async (t) => {
    const classes = await NodeClassEnvironment.start(t);
    const { env } = classes;
    env.refusals.add({ method: 'PATCH', path: STATUS, code, times: 3 });
    await classes.add();
    await env.clock.advance(10 * SECOND);
    assert.equal((await classes.verdict('SubnetsReady'))[0], 'True');
    assert.ok(classes.failures().length > 0);
  });
}

test('a NodeClass that cannot get its finalizer gets no status, as nothing would clean up after it', async (t) => {
  const classes = await NodeClassEnvironment.start(t);
  const { env } = classes;
  env.refusals.add({ method: 'PATCH', path: /ec2nodeclasses\/default$/, code: 403, times: 1_000 });
  await classes.add();
  await env.clock.advance(30 * SECOND);
  assert.deepEqual(await classes.status(), {});
  assert.ok(classes.failures().length > 0);
});

test('a NodeClass that is deleted in the middle of a pass ends, and the pass writes nothing', async (t) => {
  const classes = await NodeClassEnvironment.start(t);
  const { env, aws } = classes;
  await classes.add();
  await classes.until('SubnetsReady', 'True');
  aws.emulator.faults.inject({ kind: 'slow', delay: 5 * SECOND }, { operation: 'DescribeSubnets', times: 1 });
  await classes.change({ subnetSelectorTerms: [{ tags: { absent: 'yes' } }] });
  await env.clock.advance(1 * SECOND);
  await env.delete(EC2_NODE_CLASSES, 'default');
  await env.clock.advance(20 * SECOND);
  assert.equal(await classes.find(), undefined);
  assert.deepEqual(classes.failures(), []);
});

test('a NodeClass that is gone at the end of a pass is no failure', async (t) => {
  const classes = await NodeClassEnvironment.start(t);
  const { env, aws } = classes;
  await classes.add();
  await classes.until('SubnetsReady', 'True');
  aws.emulator.faults.inject({ kind: 'slow', delay: 5 * SECOND }, { operation: 'DescribeSubnets', times: 1 });
  await classes.change({ subnetSelectorTerms: [{ tags: { absent: 'yes' } }] });
  await env.clock.advance(1 * SECOND);
  await env.change(EC2_NODE_CLASSES, 'default', { metadata: { finalizers: null } });
  await env.delete(EC2_NODE_CLASSES, 'default');
  await env.clock.advance(20 * SECOND);
  assert.equal(await classes.find(), undefined);
  assert.deepEqual(classes.failures(), []);
});

test('a namesake of a NodeClass that is gone has a status of its own', async (t) => {
  const classes = await NodeClassEnvironment.start(t);
  const { env, aws } = classes;
  await classes.add();
  await classes.until('SubnetsReady', 'True');
  await env.delete(EC2_NODE_CLASSES, 'default');
  await env.clock.advance(10 * SECOND);
  const subnet = { id: Object.values(aws.network.subnetIds)[0]! };
  await classes.add({ subnetSelectorTerms: [subnet] });
  await classes.until('SubnetsReady', 'True');
  assert.deepEqual(
    (await classes.status()).subnets?.map(({ id }) => id),
    [subnet.id],
  );
});
