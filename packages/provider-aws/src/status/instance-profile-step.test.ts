// The instance profiles of NodeClasses, from the creation of a NodeClass to its end.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINUTE, SECOND } from '@karpenter-ts/runtime';
import { EC2_NODE_CLASSES } from '../node-class/node-class-lookup.ts';
import { NodeClassEnvironment, type NodeClassEnvironmentParts } from '../testing/node-class-environment.ts';

const denied = { kind: 'refuse', code: 'AccessDenied', message: 'no', status: 403 } as const;

function profilesOf({ aws }: NodeClassEnvironment): readonly string[] {
  return aws.emulator.iam.instanceProfiles().map(({ name }) => name);
}

async function deleteClass({ env }: NodeClassEnvironment): Promise<void> {
  await env.delete(EC2_NODE_CLASSES, 'default');
  await env.clock.advance(30 * SECOND);
}

async function startWith(
  t: Parameters<typeof NodeClassEnvironment.start>[0],
  spec: object,
  parts?: NodeClassEnvironmentParts,
): Promise<NodeClassEnvironment> {
  const classes = await NodeClassEnvironment.start(t, parts);
  await classes.add(spec);
  await classes.until('InstanceProfileReady', 'True');
  await classes.env.clock.advance(10 * SECOND);
  return classes;
}

const OWN = { role: undefined, instanceProfile: 'own' };

test('08/43 the status names the instance profile of the role, and the condition is True', async (t) => {
  const classes = await startWith(t, {});
  const { instanceProfile } = await classes.status();
  assert.deepEqual(profilesOf(classes), [instanceProfile]);
  assert.deepEqual(await classes.verdict('InstanceProfileReady'), ['True', 'InstanceProfileReady', '']);
});

test('08/52 the status names the instance profile of the user’s own, and IAM is not asked', async (t) => {
  const classes = await startWith(t, OWN);
  assert.equal((await classes.status()).instanceProfile, 'own');
  assert.deepEqual(profilesOf(classes), []);
});

test('08/141 a role can be exchanged for an instance profile, and that for a role', async (t) => {
  const classes = await startWith(t, {});
  const { instanceProfile: first } = await classes.status();
  await classes.change({ role: null, instanceProfile: 'own' });
  await classes.env.clock.advance(5 * SECOND);
  assert.equal((await classes.status()).instanceProfile, 'own');
  await classes.change({ role: 'node', instanceProfile: null });
  await classes.env.clock.advance(5 * SECOND);
  assert.equal((await classes.status()).instanceProfile, first);
});

test('a role that is missing is named by the condition until it is there', async (t) => {
  const classes = await NodeClassEnvironment.start(t);
  await classes.add({ role: 'absent' });
  await classes.until('InstanceProfileReady', 'InstanceProfileResolutionFailed');
  const [status, , message] = await classes.verdict('InstanceProfileReady');
  assert.equal(status, 'Unknown');
  assert.equal(message, 'NoSuchEntity: The role with name absent cannot be found.');
  const { resourceVersion } = (await classes.find())!.metadata;
  await classes.env.clock.advance(10 * MINUTE);
  assert.equal((await classes.find())!.metadata.resourceVersion, resourceVersion);
  assert.equal((await classes.verdict('Ready'))[0], 'Unknown');
  assert.deepEqual(profilesOf(classes), []);
  classes.aws.emulator.iam.addRole('absent');
  await classes.env.clock.advance(3 * MINUTE);
  assert.deepEqual(await classes.verdict('InstanceProfileReady'), ['True', 'InstanceProfileReady', '']);
});

test('a role that is changed to one that is missing is named by the condition, which was True of the one before', async (t) => {
  const classes = await startWith(t, {});
  const { instanceProfile } = await classes.status();
  await classes.change({ role: 'absent' });
  await classes.until('InstanceProfileReady', 'InstanceProfileResolutionFailed');
  const message = 'NoSuchEntity: The role with name absent cannot be found.';
  const expected = ['Unknown', 'InstanceProfileResolutionFailed', message];
  assert.deepEqual(await classes.verdict('InstanceProfileReady'), expected);
  assert.equal((await classes.verdict('Ready'))[0], 'Unknown');
  assert.equal((await classes.status()).instanceProfile, instanceProfile);
  await classes.env.clock.advance(10 * SECOND);
  const { resourceVersion } = (await classes.find())!.metadata;
  await classes.env.clock.advance(5 * MINUTE);
  assert.equal((await classes.find())!.metadata.resourceVersion, resourceVersion);
  await classes.change({ role: 'node' });
  await classes.until('Ready', 'True');
  assert.deepEqual(profilesOf(classes), [instanceProfile]);
});

test('08/51 an error of IAM leaves a condition that was True as it is', async (t) => {
  const classes = await startWith(t, {});
  classes.aws.emulator.faults.inject(denied, { service: 'iam' });
  await classes.env.clock.advance(20 * MINUTE);
  assert.equal((await classes.verdict('InstanceProfileReady'))[0], 'True');
  assert.match(classes.failures().at(-1)!, /getting instance profile .*AccessDenied/);
});

test('08/55 the instance profiles of a NodeClass go with it', async (t) => {
  const classes = await startWith(t, {});
  await deleteClass(classes);
  assert.equal(await classes.find(), undefined);
  assert.deepEqual(profilesOf(classes), []);
});

test('05/88, 08/59 in an isolated VPC a NodeClass goes without a call of IAM', async (t) => {
  const classes = await startWith(t, {}, { options: { isolatedVpc: true } });
  classes.aws.emulator.faults.inject(denied, { service: 'iam' });
  await deleteClass(classes);
  assert.equal(await classes.find(), undefined);
  assert.equal(profilesOf(classes).length, 1);
});

test('a NodeClass whose instance profile cannot be deleted stays, and an event says why', async (t) => {
  const classes = await startWith(t, {});
  const lift = classes.aws.emulator.faults.inject(denied, { operation: 'DeleteInstanceProfile' });
  await deleteClass(classes);
  assert.ok(await classes.find());
  const event = classes.env.eventTexts().find((text) => text.includes('InstanceProfileDeletionFailed'));
  assert.match(
    event!,
    /^EC2NodeClass\/default InstanceProfileDeletionFailed: Deleting instance profiles failed, deleting instance profile, api error AccessDenied: no/,
  );
  lift();
  await classes.env.clock.advance(2 * MINUTE);
  assert.equal(await classes.find(), undefined);
  assert.deepEqual(profilesOf(classes), []);
});

for (const [what, fault] of [
  ['the permissions of IAM', denied],
  ['a way to IAM', { kind: 'slow', delay: 10 * MINUTE }],
] as const) {
  test(`a NodeClass with the user’s own instance profile goes without ${what}`, async (t) => {
    const classes = await startWith(t, OWN);
    classes.aws.emulator.faults.inject(fault, { service: 'iam' });
    await deleteClass(classes);
    assert.equal(await classes.find(), undefined);
    assert.ok(classes.env.eventTexts().some((text) => text.includes('InstanceProfileDeletionFailed')));
  });
}
