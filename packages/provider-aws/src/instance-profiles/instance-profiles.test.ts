import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINUTE, SECOND } from '@karpenter-ts/runtime';
import { NEVER } from '@karpenter-ts/runtime/testing';
import { ProfileEnvironment } from './testing/profile-environment.ts';

const PROFILE = { name: 'demo', role: 'A', path: '/karpenter/x/', tags: { team: 'a' } };

test('08/135 without a path IAM is told none, and the role is added by its name alone', async (t) => {
  const env = await ProfileEnvironment.start(t);
  await env.aws.settle(env.profiles.create({ ...PROFILE, path: '', role: 'p/q/A' }, NEVER));
  assert.deepEqual(env.takeInputs(), [
    { InstanceProfileName: 'demo' },
    { InstanceProfileName: 'demo', Tags: [{ Key: 'team', Value: 'a' }] },
    { InstanceProfileName: 'demo', RoleName: 'A' },
  ]);
  const [made] = env.iam.instanceProfiles();
  assert.deepEqual([made?.path, made?.role], ['/', 'A']);
});

test('08/136 what is remembered of an instance profile does not live longer for being created again', async (t) => {
  const env = await ProfileEnvironment.start(t);
  await env.aws.settle(env.profiles.create(PROFILE, NEVER));
  await env.aws.clock.advance(14 * MINUTE);
  env.takeCalls();
  await env.aws.settle(env.profiles.create(PROFILE, NEVER));
  assert.deepEqual(env.takeCalls(), []);
  await env.aws.clock.advance(1 * MINUTE);
  await env.aws.settle(env.profiles.find('demo', NEVER));
  assert.deepEqual(env.takeCalls(), ['getInstanceProfile']);
});

test('08/140 an instance profile is protected for an hour, or until that is taken back', async (t) => {
  const { profiles, aws } = await ProfileEnvironment.start(t);
  assert.equal(profiles.isProtected('demo'), false);
  profiles.protect('demo');
  assert.equal(profiles.isProtected('demo'), true);
  profiles.unprotect('demo');
  assert.equal(profiles.isProtected('demo'), false);
  profiles.protect('demo');
  await aws.clock.advance(59 * MINUTE);
  assert.equal(profiles.isProtected('demo'), true);
  await aws.clock.advance(1 * MINUTE);
  assert.equal(profiles.isProtected('demo'), false);
});

test('a role is exchanged where one and the same instance profile is asked for with another', async (t) => {
  const env = await ProfileEnvironment.start(t);
  await env.aws.settle(env.profiles.create(PROFILE, NEVER));
  await env.aws.settle(env.profiles.create({ ...PROFILE, role: 'B' }, NEVER));
  assert.deepEqual(
    env.iam.instanceProfiles().map(({ name, role }) => [name, role]),
    [['demo', 'B']],
  );
});

test('a creation whose answer is lost is finished by the next attempt', async (t) => {
  const env = await ProfileEnvironment.start(t);
  for (const operation of ['CreateInstanceProfile', 'AddRoleToInstanceProfile']) {
    env.aws.emulator.faults.inject({ kind: 'reset', when: 'after' }, { operation, times: 1 });
  }
  await env.aws.settle(env.profiles.create(PROFILE, NEVER));
  assert.deepEqual(
    env.iam.instanceProfiles().map(({ name, role }) => [name, role]),
    [['demo', 'A']],
  );
});

test('08/49 an instance profile that cannot be given its role is deleted again, and the error says why', async (t) => {
  const env = await ProfileEnvironment.start(t);
  env.aws.emulator.faults.inject(
    { kind: 'refuse', code: 'AccessDenied', message: 'no', status: 403 },
    { operation: 'AddRoleToInstanceProfile' },
  );
  await assert.rejects(env.aws.settle(env.profiles.create(PROFILE, NEVER)), {
    message:
      'ensuring role attached, adding role to instance profile, api error AccessDenied: no (instance-profile=demo, role=A)',
  });
  assert.deepEqual(env.iam.instanceProfiles(), []);
});

test('08/50 a role that is missing is not asked for again for a minute, with or without its path', async (t) => {
  const env = await ProfileEnvironment.start(t);
  const create = (role: string) => env.aws.settle(env.profiles.create({ ...PROFILE, role }, NEVER));
  await assert.rejects(create('/teams/none'), /The role with name none cannot be found/);
  env.takeCalls();
  for (const role of ['/teams/none', 'none']) {
    await assert.rejects(create(role), /^Error: role not found, .*The role with name none cannot be found/);
  }
  assert.deepEqual(env.takeCalls(), []);
  await env.aws.clock.advance(1 * MINUTE);
  env.iam.addRole('none', { path: '/teams/' });
  await env.aws.clock.advance(1 * SECOND);
  await create('/teams/none');
  assert.equal(env.iam.instanceProfiles()[0]?.role, 'none');
});

test('an instance profile whose name has the word is not mistaken for a role that is missing', async (t) => {
  const env = await ProfileEnvironment.start(t);
  const create = () => env.aws.settle(env.profiles.create({ ...PROFILE, name: 'role-of-demo' }, NEVER));
  const lift = env.aws.emulator.faults.inject(
    { kind: 'refuse', code: 'NoSuchEntity', message: 'Instance Profile role-of-demo cannot be found.', status: 404 },
    { operation: 'AddRoleToInstanceProfile' },
  );
  await assert.rejects(create(), /Instance Profile role-of-demo cannot be found/);
  lift();
  await create();
  assert.equal(env.iam.instanceProfiles()[0]?.role, 'A');
});

test('the deletion of an instance profile takes its role from it first, and one that is gone is deleted', async (t) => {
  const env = await ProfileEnvironment.start(t);
  await env.aws.settle(env.profiles.create(PROFILE, NEVER));
  env.profiles.protect('demo');
  await env.aws.clock.advance(1 * SECOND);
  await env.aws.settle(env.profiles.delete('demo', NEVER));
  assert.deepEqual(env.iam.instanceProfiles(), []);
  assert.equal(env.profiles.isProtected('demo'), false);
  assert.equal(env.profiles.isDeleted('demo'), true);
  await env.aws.clock.advance(1 * SECOND);
  await env.aws.settle(env.profiles.delete('demo', NEVER));
  assert.equal(await env.aws.settle(env.profiles.find('demo', NEVER)), undefined);
});

test('all pages of a listing are read', async (t) => {
  const env = await ProfileEnvironment.start(t);
  for (let index = 0; index < 250; index++) env.iam.addInstanceProfile(`demo_${index}`, { path: '/karpenter/x/' });
  env.iam.addInstanceProfile('elsewhere');
  await env.aws.clock.advance(1 * SECOND);
  const listed = await env.aws.settle(env.profiles.list('/karpenter/', NEVER));
  assert.equal(new Set(listed.map(({ name }) => name)).size, 250);
  assert.equal(env.takeCalls().length, 3);
});
