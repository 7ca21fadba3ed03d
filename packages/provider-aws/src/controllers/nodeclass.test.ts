// EC2NodeClasses from their creation to their end, on an API server and an AWS in the process.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINUTE, SECOND } from '@karpenter-ts/runtime';
import { EC2_NODE_CLASSES } from '../node-class/node-class-lookup.ts';
import { NodeClassEnvironment } from '../testing/node-class-environment.ts';

test('08/1 a NodeClass gets its finalizer, and its status says what its selectors find', async (t) => {
  const classes = await NodeClassEnvironment.start(t);
  await classes.add();
  await classes.until('Ready', 'True');
  const { metadata, status } = (await classes.find())!;
  assert.deepEqual(metadata.finalizers, ['karpenter.k8s.aws/termination']);
  const { network, image } = classes.aws;
  assert.deepEqual(new Set(status?.subnets?.map(({ id }) => id)), new Set(Object.values(network.subnetIds)));
  assert.deepEqual(
    status?.securityGroups?.map(({ id }) => id),
    [network.securityGroupId],
  );
  assert.deepEqual(
    status?.amis?.map(({ id }) => id),
    [image],
  );
});

test('08/7, 08/29 selectors that find nothing clear the status and say so, until they find something', async (t) => {
  const classes = await NodeClassEnvironment.start(t);
  await classes.add();
  await classes.until('Ready', 'True');
  const nothing = [{ tags: { absent: 'yes' } }];
  await classes.change({
    subnetSelectorTerms: nothing,
    securityGroupSelectorTerms: nothing,
    amiSelectorTerms: nothing,
  });
  await classes.until('Ready', 'False');
  const expected = [
    ['SubnetsReady', 'SubnetsNotFound', 'SubnetSelector did not match any Subnets'],
    ['SecurityGroupsReady', 'SecurityGroupsNotFound', 'SecurityGroupSelector did not match any SecurityGroups'],
    ['AMIsReady', 'AMINotFound', 'AMISelector did not match any AMIs'],
  ] as const;
  for (const [type, reason, message] of expected) {
    assert.deepEqual(await classes.verdict(type), ['False', reason, message]);
  }
  const { subnets, securityGroups, amis } = await classes.status();
  assert.deepEqual([subnets, securityGroups, amis], [undefined, undefined, undefined]);
  const [status, reason, message] = await classes.verdict('Ready');
  assert.deepEqual([status, reason], ['False', 'UnhealthyDependents']);
  const unhealthy = [...expected.map(([type]) => type), 'ValidationSucceeded'];
  assert.deepEqual(new Set(message?.split(', ')), new Set(unhealthy.map((type) => `${type}=False`)));

  const { aws } = classes;
  aws.emulator.ec2.addSubnet({ vpcId: aws.network.vpcId, zone: 'us-east-1a', tags: { absent: 'yes' } });
  aws.emulator.ec2.addSecurityGroup({ vpcId: aws.network.vpcId, name: 'late', tags: { absent: 'yes' } });
  aws.emulator.ec2.addImage({ name: 'late', architecture: 'x86_64', tags: { absent: 'yes' } });
  await classes.env.clock.advance(2 * MINUTE + 5 * SECOND);
  assert.equal((await classes.verdict('Ready'))[0], 'True');
});

test('the condition of what is not looked at yet, and of what is as it should be', async (t) => {
  const classes = await NodeClassEnvironment.start(t);
  classes.aws.emulator.faults.inject({ kind: 'slow', delay: 5 * SECOND }, { operation: 'DescribeSecurityGroups' });
  classes.aws.emulator.faults.inject(
    { kind: 'refuse', code: 'InternalError', message: 'broken', status: 500 },
    { operation: 'DescribeSecurityGroups', times: 10 },
  );
  await classes.add();
  await classes.until('SubnetsReady', 'True');
  assert.deepEqual(await classes.verdict('SubnetsReady'), ['True', 'SubnetsReady', '']);
  assert.deepEqual(await classes.verdict('SecurityGroupsReady'), [
    'Unknown',
    'AwaitingReconciliation',
    'object is awaiting reconciliation',
  ]);
  const [status, reason, message] = await classes.verdict('Ready');
  assert.deepEqual([status, reason], ['Unknown', 'ReconcilingDependents']);
  assert.match(message!, /SecurityGroupsReady=Unknown/);
});

test('a NodeClass that stays as it is is not written, though it is looked at every minute', async (t) => {
  const classes = await NodeClassEnvironment.start(t);
  await classes.add();
  await classes.until('Ready', 'True');
  await classes.env.clock.advance(5 * SECOND);
  const { writes } = classes.env;
  writes.length = 0;
  await classes.env.clock.advance(10 * MINUTE);
  assert.deepEqual(
    writes.filter((write) => write.includes('ec2nodeclasses')),
    [],
  );
});

test('08/6 the subnets are listed anew when their free addresses change', async (t) => {
  const classes = await NodeClassEnvironment.start(t);
  const { network, emulator } = classes.aws;
  await classes.add();
  await classes.until('Ready', 'True');
  const last = (await classes.status()).subnets!.at(-1)!.id;
  for (const id of Object.values(network.subnetIds)) if (id !== last) emulator.ec2.setFreeAddresses(id, 10);
  await classes.env.clock.advance(1 * MINUTE + 5 * SECOND);
  const others = Object.values(network.subnetIds).filter((id) => id !== last);
  const listed = (await classes.status()).subnets!.map(({ id }) => id);
  assert.deepEqual(listed, [last, ...others.toSorted()]);
});

for (const [alias, before, after, message] of [
  [
    'windows2025@latest',
    '1.34',
    '1.35',
    'getting AMI queries, Windows Server 2025 requires EKS version 1.35 or higher, current version: 1.34',
  ],
  [
    'al2@latest',
    '1.33',
    '1.32',
    'getting AMI queries, AL2 aliases are no longer supported on EKS 1.33+ ' +
      '(see https://docs.aws.amazon.com/eks/latest/userguide/kubernetes-versions-standard.html#kubernetes-1-33)',
  ],
] as const) {
  test(`08/16, 08/17 ${alias} is refused on ${before}, and looked at again ten minutes later`, async (t) => {
    const classes = await NodeClassEnvironment.start(t, { kubernetes: before });
    const { env, aws } = classes;
    aws.emulator.publishNodeImages({ kubernetes: after });
    await classes.add({ amiFamily: null, amiSelectorTerms: [{ alias }] });
    await classes.until('AMIsReady', 'UnsupportedAlias');
    assert.deepEqual(await classes.verdict('AMIsReady'), ['False', 'UnsupportedAlias', message]);
    assert.equal((await classes.verdict('SubnetsReady'))[0], 'True'); // all steps run
    assert.equal((await classes.verdict('Ready'))[0], 'False');
    await env.clock.advance(5 * SECOND);
    const failures = classes.failures();
    assert.equal(failures.at(-1), `terminal error: getting amis, ${message}`);
    await env.clock.advance(9 * MINUTE);
    assert.equal(classes.failures().length, failures.length);
    classes.kubernetes.version = after;
    await env.clock.advance(1 * MINUTE + 5 * SECOND);
    assert.equal((await classes.verdict('AMIsReady'))[0], 'True');
  });
}

test('a refused alias does not keep another failure from being tried again', async (t) => {
  const classes = await NodeClassEnvironment.start(t, { kubernetes: '1.33' });
  const { env, aws } = classes;
  const throttled = { kind: 'refuse', code: 'RequestLimitExceeded', message: 'slow down', status: 503 } as const;
  const lift = aws.emulator.faults.inject(throttled, { operation: 'DescribeSubnets' });
  await classes.add({ amiFamily: 'AL2', amiSelectorTerms: [{ alias: 'al2@latest' }] });
  await env.clock.advance(30 * SECOND);
  assert.match(classes.failures().at(-1)!, /^getting amis, .*; getting subnets, /);
  lift();
  await env.clock.advance(1 * MINUTE);
  assert.equal((await classes.verdict('SubnetsReady'))[0], 'True');
});

test('an alias with two @, with which upstream ends, is refused', async (t) => {
  const classes = await NodeClassEnvironment.start(t);
  await classes.add({ amiFamily: null, amiSelectorTerms: [{ alias: 'al2023@a@b' }] });
  await classes.until('AMIsReady', 'UnsupportedAlias');
  assert.equal((await classes.verdict('AMIsReady'))[0], 'False');
});

test('08/19 an alias without any image fails the pass and leaves the condition as it is', async (t) => {
  const classes = await NodeClassEnvironment.start(t);
  await classes.add({ amiFamily: null, amiSelectorTerms: [{ alias: 'al2023@v20990101' }] });
  await classes.env.clock.advance(20 * SECOND);
  assert.equal((await classes.verdict('AMIsReady'))[0], 'Unknown');
  const text = 'getting amis, getting AMI queries, failed to discover any AMIs for alias (alias=al2023@v20990101)';
  assert.equal(classes.failures()[0], text);
});

test('08/12 the images of an alias are in the status with what they are for', async (t) => {
  const classes = await NodeClassEnvironment.start(t);
  classes.aws.emulator.publishNodeImages({ kubernetes: '1.35' });
  await classes.add({ amiFamily: null, amiSelectorTerms: [{ alias: 'al2023@latest' }] });
  await classes.until('AMIsReady', 'True');
  const { amis = [] } = await classes.status();
  assert.equal(amis.length, 5);
  for (const { requirements } of amis) {
    const keys = requirements.map(({ key }) => key);
    assert.deepEqual(
      keys,
      keys.toSorted((a, b) => a.length - b.length || (a < b ? -1 : 1)),
    );
  }
});

test('01/83, 08/32, 08/33, 08/34 reservations are in the status until they end, and blocks say when they are about to', async (t) => {
  const classes = await NodeClassEnvironment.start(t);
  const { env, aws } = classes;
  const { ec2 } = aws.emulator;
  const tags = { team: 'a' };
  const where = { instanceType: 'm5.large', zone: 'us-east-1a', count: 1, tags };
  const open = ec2.addCapacityReservation({ ...where, matchCriteria: 'open' });
  const endsAt = env.clock.now() + 41 * MINUTE;
  const block = ec2.addCapacityReservation({ ...where, type: 'capacity-block', endsAt });
  await classes.add({ capacityReservationSelectorTerms: [{ tags }] });
  await classes.until('CapacityReservationsReady', 'True');
  const states = async () =>
    Object.fromEntries((await classes.status()).capacityReservations?.map(({ id, state }) => [id, state]) ?? []);
  assert.deepEqual(await states(), { [open]: 'active', [block]: 'active' });
  await env.clock.advance(2 * MINUTE);
  assert.deepEqual(await states(), { [open]: 'active', [block]: 'expiring' });
  await env.clock.advance(endsAt - env.clock.now() + 2 * SECOND);
  assert.deepEqual(await states(), { [open]: 'active' });
  ec2.cancelReservation(open);
  await env.clock.advance(1 * MINUTE + 5 * SECOND);
  assert.deepEqual(await states(), {});
  assert.deepEqual(await classes.verdict('CapacityReservationsReady'), ['True', 'CapacityReservationsReady', '']);
});

test('a reservation of a kind that EC2 has invented is left out and logged', async (t) => {
  const classes = await NodeClassEnvironment.start(t);
  const { aws, env } = classes;
  const where = { instanceType: 'm5.large', zone: 'us-east-1a', count: 1, tags: { team: 'a' } };
  const known = aws.emulator.ec2.addCapacityReservation(where);
  const other = aws.emulator.ec2.addCapacityReservation(where);
  const alter = (output: object) => {
    const { CapacityReservations = [] } = output as { CapacityReservations?: { CapacityReservationId: string }[] };
    const invented = CapacityReservations.map((one) =>
      one.CapacityReservationId === other ? { ...one, ReservationType: 'imaginary' } : one,
    );
    return { ...output, CapacityReservations: invented };
  };
  aws.emulator.faults.inject({ kind: 'alter', alter }, { operation: 'DescribeCapacityReservations' });
  await classes.add({ capacityReservationSelectorTerms: [{ tags: { team: 'a' } }] });
  await classes.until('CapacityReservationsReady', 'True');
  assert.deepEqual(
    (await classes.status()).capacityReservations?.map(({ id }) => id),
    [known],
  );
  const line = env.logger.lines.find(({ message }) => message === 'failed to parse discovered capacity reservations');
  assert.deepEqual([line?.fields['error-count'], line?.fields['total-count']], [1, 2]);
});

/** Those that every NodeClass has. */
const CONDITIONS = [
  'AMIsReady',
  'InstanceProfileReady',
  'PlacementGroupReady',
  'Ready',
  'SecurityGroupsReady',
  'SubnetsReady',
  'ValidationSucceeded',
];

test('01/82, 08/31 without the gate there is no condition of reservations, and what was found before goes', async (t) => {
  const classes = await NodeClassEnvironment.start(t, { reservedCapacity: false });
  const { env } = classes;
  const lastTransitionTime = '2026-01-01T00:00:00Z';
  const stale = { type: 'CapacityReservationsReady', status: 'True', reason: 'X', message: '', lastTransitionTime };
  await classes.add({ capacityReservationSelectorTerms: [{ id: 'cr-1' }] });
  await env.change(EC2_NODE_CLASSES, 'default', {
    status: { capacityReservations: [{ id: 'cr-1' }], conditions: [stale] },
  });
  await classes.until('Ready', 'True');
  const { capacityReservations, conditions = [] } = await classes.status();
  assert.equal(capacityReservations, undefined);
  assert.deepEqual(
    conditions.map(({ type, status }) => `${type}=${status}`).toSorted(),
    CONDITIONS.map((type) => `${type}=True`),
  );
});

test('08/31 with the gate reservations are among the conditions, and the NodeClass gets ready', async (t) => {
  const classes = await NodeClassEnvironment.start(t);
  await classes.add();
  await classes.until('Ready', 'True');
  const { conditions = [] } = await classes.status();
  assert.deepEqual(
    conditions.map(({ type, status }) => `${type}=${status}`).toSorted(),
    ['CapacityReservationsReady', ...CONDITIONS].map((type) => `${type}=True`).toSorted(),
  );
});

test('01/84, 08/38, 08/39, 08/41 a placement group is found, missed, and no longer asked for', async (t) => {
  const classes = await NodeClassEnvironment.start(t);
  const { env, aws } = classes;
  const id = aws.emulator.ec2.addPlacementGroup({ name: 'together', strategy: 'cluster' });
  await classes.add({ placementGroupSelector: { name: 'together' } });
  await classes.until('PlacementGroupReady', 'True');
  await classes.change({ placementGroupSelector: { name: 'elsewhere' } });
  await classes.until('PlacementGroupReady', 'False');
  const notFound = ['False', 'PlacementGroupNotFound', 'Placement group "elsewhere" not found'];
  assert.deepEqual(await classes.verdict('PlacementGroupReady'), notFound);
  await classes.change({ placementGroupSelector: null });
  await classes.until('PlacementGroupReady', 'True');
  await classes.change({ placementGroupSelector: { id } });
  await env.clock.advance(5 * SECOND);
  assert.equal((await classes.verdict('PlacementGroupReady'))[0], 'True');
  aws.emulator.ec2.removePlacementGroup(id);
  await env.clock.advance(3 * MINUTE);
  const gone = ['False', 'PlacementGroupNotFound', `Placement group "${id}" not found`];
  assert.deepEqual(await classes.verdict('PlacementGroupReady'), gone);
  assert.deepEqual(classes.failures(), []);
});

test('08/40 while EC2 cannot tell of the placement group, the condition says so, until it can', async (t) => {
  const classes = await NodeClassEnvironment.start(t);
  const { env, aws } = classes;
  aws.emulator.ec2.addPlacementGroup({ name: 'together', strategy: 'cluster' });
  await classes.add({ placementGroupSelector: { name: 'together' } });
  await classes.until('PlacementGroupReady', 'True');
  const refusal = { kind: 'refuse', code: 'UnauthorizedOperation', message: 'not you', status: 403 } as const;
  const lift = aws.emulator.faults.inject(refusal, { operation: 'DescribePlacementGroups' });
  await env.clock.advance(2 * MINUTE);
  const failed = ['False', 'PlacementGroupResolutionFailed', 'Failed to resolve placement group'];
  assert.deepEqual(await classes.verdict('PlacementGroupReady'), failed);
  assert.match(classes.failures().at(-1)!, /^resolving placement group, .*not you.*\(placement-group=together\)$/);
  lift();
  await env.clock.advance(2 * MINUTE);
  assert.equal((await classes.verdict('PlacementGroupReady'))[0], 'True');
});

test('08/4 of an id and tags in one term the id counts, and an event says so once', async (t) => {
  const classes = await NodeClassEnvironment.start(t);
  const { env, aws } = classes;
  const id = Object.values(aws.network.subnetIds)[0]!;
  await classes.add({ subnetSelectorTerms: [{ id, tags: { absent: 'yes' } }, { tags: { absent: 'yes' } }] });
  await classes.until('SubnetsReady', 'True');
  await env.clock.advance(5 * MINUTE);
  assert.deepEqual(
    (await classes.status()).subnets?.map((subnet) => subnet.id),
    [id],
  );
  assert.deepEqual(
    env.eventTexts().filter((text) => text.includes('SelectorFieldsIgnored')),
    [
      'EC2NodeClass/default SelectorFieldsIgnored: ' +
        'Fields of selector terms are ignored beside others that decide alone: subnetSelectorTerms[0].tags',
    ],
  );
});
