import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EC2NodeClass } from '@karpenter-ts/apis';
import { MINUTE, SECOND } from '@karpenter-ts/runtime';
import { legacyProfileName } from './profile-names.ts';
import { CLUSTER_PATH, classOf, edited, ProfileEnvironment } from './testing/profile-environment.ts';

const LEGACY = legacyProfileName({ clusterName: 'test-cluster', region: 'us-east-1' }, classOf({}));

const denied = { kind: 'refuse', code: 'AccessDenied', message: 'no', status: 403 } as const;

function profilesOf(env: ProfileEnvironment): readonly string[] {
  return env.iam.instanceProfiles().map(({ name, role }) => `${name} ${role}`);
}

function nameOf({ status }: EC2NodeClass): string {
  return status!.instanceProfile!;
}

test('08/43 a role gets an instance profile under the path of the UID, with Karpenter’s tags', async (t) => {
  const env = await ProfileEnvironment.start(t);
  const resolved = await env.resolve(classOf({ role: 'A', tags: { team: 'a' } }));
  const [made, ...others] = env.iam.instanceProfiles();
  assert.equal(others.length, 0);
  assert.deepEqual([made?.name, made?.path, made?.role], [nameOf(resolved), `${CLUSTER_PATH}uid-default/`, 'A']);
  assert.deepEqual(
    new Map(made?.tags.map(({ Key, Value }) => [Key, Value])),
    new Map([
      ['team', 'a'],
      ['kubernetes.io/cluster/test-cluster', 'owned'],
      ['eks:eks-cluster-name', 'test-cluster'],
      ['karpenter.k8s.aws/ec2nodeclass', 'default'],
      ['topology.kubernetes.io/region', 'us-east-1'],
    ]),
  );
});

test('08/44 an instance profile of the status that has the role is kept: IAM is asked every fifteen minutes', async (t) => {
  const env = await ProfileEnvironment.start(t);
  const resolved = await env.resolve(classOf({ role: 'A' }));
  env.takeCalls();
  await env.aws.clock.advance(14 * MINUTE);
  assert.deepEqual(await env.resolve(resolved), resolved);
  assert.deepEqual(env.takeCalls(), []);
  await env.aws.clock.advance(1 * MINUTE);
  assert.deepEqual(await env.resolve(resolved), resolved);
  assert.deepEqual(env.takeCalls(), ['getInstanceProfile']);
});

for (const [what, role] of [
  ['without a role', undefined],
  ['with another role', 'B'],
] as const) {
  test(`08/45 an instance profile of the status ${what} is left as it is, and a second one is made`, async (t) => {
    const env = await ProfileEnvironment.start(t);
    const path = `${CLUSTER_PATH}uid-default/`;
    env.iam.addInstanceProfile('first', { path, ...(role && { role }) });
    await env.aws.clock.advance(1 * SECOND);
    const nodeClass = { ...classOf({ role: 'A' }), status: { instanceProfile: 'first' } };
    const resolved = await env.resolve(nodeClass);
    assert.deepEqual(profilesOf(env), [`first ${role}`, `${nameOf(resolved)} A`]);
    assert.equal(env.profiles.isProtected('first'), true);
  });
}

test('08/46 each role gets an instance profile of its own, all protected, and all go with the NodeClass', async (t) => {
  const env = await ProfileEnvironment.start(t);
  let nodeClass = classOf({ role: 'A' });
  for (const role of ['A', 'B', 'C']) {
    nodeClass = await env.resolve(edited(nodeClass, { role }));
    await env.aws.clock.advance(2 * SECOND);
  }
  const made = env.iam.instanceProfiles();
  assert.deepEqual(new Set(made.map(({ role }) => role)), new Set(['A', 'B', 'C']));
  assert.equal(made.length, 3);
  assert.equal(made.find(({ role }) => role === 'C')?.name, nameOf(nodeClass));
  assert.ok(made.every(({ name }) => env.profiles.isProtected(name)));
  await env.deleteAll(nodeClass);
  assert.deepEqual(env.iam.instanceProfiles(), []);
});

test('08/47 a status that could not be written gets the same instance profile again', async (t) => {
  const env = await ProfileEnvironment.start(t);
  const nodeClass = classOf({ role: 'A' });
  const first = await env.resolve(nodeClass);
  await env.aws.clock.advance(59 * SECOND);
  assert.deepEqual(await env.resolve(nodeClass), first);
  assert.equal(env.iam.instanceProfiles().length, 1);
});

test('08/48 what was just made for another role or another NodeClass of the name is not used', async (t) => {
  const env = await ProfileEnvironment.start(t);
  const a = await env.resolve(classOf({ role: 'A' }));
  const b = await env.resolve(classOf({ role: 'B' }));
  const again = await env.resolve(classOf({ role: 'A' }, 'default', 'another-uid'));
  assert.equal(new Set([a, b, again].map(nameOf)).size, 3);
});

test('08/51 an error of IAM fails the pass, and nothing is made', async (t) => {
  const env = await ProfileEnvironment.start(t);
  const nodeClass = { ...classOf({ role: 'A' }), status: { instanceProfile: 'first' } };
  const failure = { kind: 'refuse', code: 'ServiceFailure', message: 'failed', status: 500 } as const;
  env.aws.emulator.faults.inject(failure, { operation: 'GetInstanceProfile' });
  await assert.rejects(
    env.resolve(nodeClass),
    /^Error: getting instance profile first, api error ServiceFailure: failed/,
  );
  assert.deepEqual(env.iam.instanceProfiles(), []);
});

test('08/52 an instance profile of the user’s own is taken as it is, and that of the role before it is protected', async (t) => {
  const env = await ProfileEnvironment.start(t);
  const before = await env.resolve(classOf({ role: 'A' }));
  env.profiles.unprotect(nameOf(before));
  env.takeCalls();
  const after = await env.resolve(edited(before, { instanceProfile: 'own' }));
  assert.equal(nameOf(after), 'own');
  assert.deepEqual(env.takeCalls(), []);
  assert.equal(env.profiles.isProtected(nameOf(before)), true);
});

test('08/58 a legacy name that IAM does not take is not looked for', async (t) => {
  const env = await ProfileEnvironment.start(t, { clusterName: 'a:b' });
  await env.deleteAll(classOf({ role: 'A' }));
  assert.deepEqual(env.takeCalls(), ['listInstanceProfiles']);
  const [line] = env.aws.logger.lines;
  assert.equal(line?.message, 'skipping legacy instance profile cleanup, synthesized name is not IAM-valid');
});

test('08/59 in an isolated VPC IAM is not asked for the deletion of a NodeClass', async (t) => {
  const env = await ProfileEnvironment.start(t, { isolatedVpc: true });
  const nodeClass = await env.resolve(classOf({ role: 'A' }));
  env.takeCalls();
  await env.deleteAll(nodeClass);
  assert.deepEqual(env.takeCalls(), []);
  assert.equal(env.iam.instanceProfiles().length, 1);
});

test('08/137 two NodeClasses with one role have an instance profile each', async (t) => {
  const env = await ProfileEnvironment.start(t);
  const [a, b] = [await env.resolve(classOf({ role: 'A' }, 'a')), await env.resolve(classOf({ role: 'A' }, 'b'))];
  await env.aws.clock.advance(1 * SECOND);
  const list = async (path: string) =>
    (await env.aws.settle(env.profiles.list(path, new AbortController().signal))).map(({ name }) => name);
  assert.deepEqual(await list(`${CLUSTER_PATH}uid-a/`), [nameOf(a)]);
  assert.deepEqual((await list(CLUSTER_PATH)).sort(), [nameOf(a), nameOf(b)].sort());
});

test('08/138 a legacy instance profile goes with the current one, and one without a role goes as well', async (t) => {
  const env = await ProfileEnvironment.start(t);
  const nodeClass = await env.resolve(classOf({ role: 'A' }));
  env.iam.addInstanceProfile(LEGACY, { role: 'B' });
  env.iam.addInstanceProfile('without-role', { path: `${CLUSTER_PATH}uid-default/` });
  await env.aws.clock.advance(1 * SECOND);
  await env.deleteAll(nodeClass);
  assert.deepEqual(env.iam.instanceProfiles(), []);
  await env.aws.clock.advance(1 * SECOND);
  await env.deleteAll(nodeClass);
});

test('an instance profile that IAM does not tell of yet goes with its NodeClass', async (t) => {
  const env = await ProfileEnvironment.start(t);
  env.iam.setDelays({ reads: 60 * SECOND });
  const nodeClass = classOf({ role: 'A' });
  const resolved = await env.resolve(nodeClass);
  await env.deleteAll(nodeClass); // before the cache shows its status
  assert.deepEqual(env.iam.instanceProfiles(), []);
  await env.deleteAll(resolved);
});

test('08/139 the deletion of a NodeClass with the user’s own instance profile deletes none', async (t) => {
  const env = await ProfileEnvironment.start(t);
  env.iam.addInstanceProfile('own', { role: 'A' });
  await env.aws.clock.advance(1 * SECOND);
  await env.deleteAll(await env.resolve(classOf({ instanceProfile: 'own' })));
  assert.deepEqual(env.takeCalls(), ['listInstanceProfiles', 'getInstanceProfile']);
  assert.deepEqual(profilesOf(env), ['own A']);
});

test('a role with a path keeps its instance profile when IAM is asked again', async (t) => {
  const env = await ProfileEnvironment.start(t);
  const resolved = await env.resolve(classOf({ role: '/teams/D' }));
  await env.aws.clock.advance(20 * MINUTE);
  assert.deepEqual(await env.resolve(resolved), resolved);
  assert.deepEqual(await env.restart().resolve(resolved), resolved);
  assert.deepEqual(profilesOf(env), [`${nameOf(resolved)} D`]);
});

test('an instance profile that IAM does not tell of yet is looked for again', async (t) => {
  const env = await ProfileEnvironment.start(t);
  env.iam.setDelays({ reads: 3 * SECOND });
  const resolved = await env.resolve(classOf({ role: 'A' }));
  assert.deepEqual(await env.restart().resolve(resolved), resolved);
  assert.equal(env.iam.instanceProfiles().length, 1);
});

test('however often it is looked at, an instance profile is not given up before some seconds have passed', async (t) => {
  const env = await ProfileEnvironment.start(t);
  env.iam.setDelays({ reads: 3 * SECOND });
  const resolved = await env.resolve(classOf({ role: 'A' }));
  const after = env.restart();
  const look = () => env.aws.settle(after.ofNodeClasses.resolve(resolved, new AbortController().signal));
  for (let looks = 0; looks < 3; looks++) assert.ok('retryAfter' in (await look()));
  assert.deepEqual(await after.resolve(resolved), resolved);
  assert.equal(env.iam.instanceProfiles().length, 1);
});

test('an instance profile that somebody has deleted is replaced', async (t) => {
  const env = await ProfileEnvironment.start(t);
  const nodeClass = { ...classOf({ role: 'A' }), status: { instanceProfile: 'gone' } };
  const resolved = await env.resolve(nodeClass);
  assert.deepEqual(profilesOf(env), [`${nameOf(resolved)} A`]);
});

test('a process that ends before the status is written leaves no second instance profile behind', async (t) => {
  const env = await ProfileEnvironment.start(t);
  const nodeClass = classOf({ role: 'A' });
  const first = await env.resolve(nodeClass);
  await env.aws.clock.advance(1 * SECOND);
  assert.deepEqual(await env.restart().resolve(nodeClass), first);
  assert.equal(env.iam.instanceProfiles().length, 1);
});

test('an instance profile that is being deleted is not taken into use again', async (t) => {
  const env = await ProfileEnvironment.start(t);
  const nodeClass = classOf({ role: 'A' });
  const first = await env.resolve(nodeClass);
  await env.aws.clock.advance(2 * MINUTE);
  env.iam.setDelays({ reads: 30 * SECOND });
  await env.aws.settle(env.profiles.delete(nameOf(first), new AbortController().signal));
  const second = await env.resolve(nodeClass);
  assert.notEqual(nameOf(second), nameOf(first));
  assert.deepEqual(profilesOf(env), [`${nameOf(second)} A`]);
});

test('who may not list instance profiles gets a new one all the same', async (t) => {
  const env = await ProfileEnvironment.start(t);
  env.aws.emulator.faults.inject(denied, { operation: 'ListInstanceProfiles' });
  const resolved = await env.resolve(classOf({ role: 'A' }));
  assert.deepEqual(profilesOf(env), [`${nameOf(resolved)} A`]);
});

test('an instance profile of the user’s own is not kept for a role, be it that it has that role', async (t) => {
  const env = await ProfileEnvironment.start(t);
  env.iam.addInstanceProfile('own', { role: 'A' });
  await env.aws.clock.advance(1 * SECOND);
  const own = await env.resolve(classOf({ instanceProfile: 'own' }));
  const resolved = await env.resolve(edited(own, { role: 'A' }));
  assert.notEqual(nameOf(resolved), 'own');
  assert.deepEqual(profilesOf(env), ['own A', `${nameOf(resolved)} A`]);
});

test('a legacy instance profile that has the role stays in use', async (t) => {
  const env = await ProfileEnvironment.start(t);
  env.iam.addInstanceProfile(LEGACY, { role: 'A' });
  await env.aws.clock.advance(1 * SECOND);
  const nodeClass = { ...classOf({ role: 'A' }), status: { instanceProfile: LEGACY } };
  assert.equal(nameOf(await env.resolve(nodeClass)), LEGACY);
});

test('IAM is asked for nothing while it is known that there is no such role', async (t) => {
  const env = await ProfileEnvironment.start(t);
  const nodeClass = await env.resolve(classOf({ role: 'A' }));
  const broken = edited(nodeClass, { role: '/teams/absent' });
  await assert.rejects(env.resolve(broken), /creating instance profile, ensuring role attached/);
  env.takeCalls();
  for (let attempt = 0; attempt < 5; attempt++) {
    await assert.rejects(
      env.resolve(broken),
      /^Error: creating instance profile, role not found, adding role to instance profile, api error NoSuchEntity/,
    );
    await env.aws.clock.advance(10 * SECOND);
  }
  assert.deepEqual(env.takeCalls(), []);
  env.iam.addRole('absent', { path: '/teams/' });
  await env.aws.clock.advance(11 * SECOND);
  assert.deepEqual(profilesOf(env).length, 1);
  const mended = await env.resolve(broken);
  assert.deepEqual(profilesOf(env), [`${nameOf(nodeClass)} A`, `${nameOf(mended)} absent`]);
});

test('an instance profile that garbage collection is about to delete is not taken into use', async (t) => {
  const env = await ProfileEnvironment.start(t);
  const nodeClass = classOf({ role: 'A' });
  const old = await env.resolve(nodeClass);
  await env.aws.clock.advance(20 * MINUTE);
  env.aws.emulator.faults.inject({ kind: 'slow', delay: 5 * SECOND }, { operation: 'GetInstanceProfile' });
  const deletion = env.profiles.delete(nameOf(old), new AbortController().signal);
  const resolved = await env.resolve(nodeClass);
  await env.aws.settle(deletion);
  assert.deepEqual(profilesOf(env), [`${nameOf(resolved)} A`]);
});
