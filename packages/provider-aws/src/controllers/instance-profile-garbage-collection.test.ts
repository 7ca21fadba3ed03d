import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { INSTANCE_PROFILE_NAME } from '@karpenter-ts/apis';
import { MINUTE, SECOND } from '@karpenter-ts/runtime';
import { CLUSTER_PATH, ProfileEnvironment } from '../instance-profiles/testing/profile-environment.ts';
import { EC2_NODE_CLASSES } from '../node-class/node-class-lookup.ts';
import { ProviderEnvironment } from '../testing/provider-environment.ts';
import { profileGarbageCollectionController } from './instance-profile-garbage-collection.ts';

const OWNER = { clusterName: 'test-cluster', region: 'us-east-1' };

async function environment(t: TestContext) {
  const env = await ProviderEnvironment.start(t);
  const { iam, profiles, aws } = await ProfileEnvironment.start(t, { clock: env.clock });
  const controller = profileGarbageCollectionController({
    profiles,
    owner: OWNER,
    nodeClaims: env.caches.nodeClaims,
    nodeClasses: env.caches.nodeClasses.of(EC2_NODE_CLASSES),
  });
  const add = async (...names: readonly string[]): Promise<void> => {
    for (const name of names) iam.addInstanceProfile(name, { path: `${CLUSTER_PATH}uid/`, role: 'A' });
    await env.clock.advance(1 * SECOND);
  };
  const left = () => iam.instanceProfiles().map(({ name }) => name);
  const collect = () => env.reconcile(controller, '');
  return { env, aws, iam, profiles, add, left, collect };
}

test('08/53 instance profiles that are current, protected or named by a NodeClaim survive, the others go', async (t) => {
  const { env, profiles, add, left, collect } = await environment(t);
  await add('current', 'protected', 'named', 'unused');
  await env.addNodeClass('default', { status: { instanceProfile: 'current' } });
  profiles.protect('protected');
  await env.addNodeClaim('claim', { annotations: { [INSTANCE_PROFILE_NAME]: 'named' } });
  assert.deepEqual(await collect(), { requeueAfter: 30 * MINUTE });
  assert.deepEqual(left(), ['current', 'protected', 'named']);
  const lines = env.logger.lines.filter(({ message }) => message === 'deleted instance profile');
  assert.deepEqual(
    lines.map(({ level, fields }) => [level, fields['instance-profile']]),
    [['debug', 'unused']],
  );
  await env.clock.advance(60 * MINUTE);
  await collect();
  assert.deepEqual(left(), ['current', 'named']);
});

test('08/53 an instance profile that cannot be deleted is an error, and does not keep the others', async (t) => {
  const { aws, add, left, collect } = await environment(t);
  await add('a', 'b', 'c');
  aws.emulator.faults.inject(
    { kind: 'refuse', code: 'AccessDenied', message: 'no', status: 403 },
    {
      operation: 'DeleteInstanceProfile',
      when: (input) => (input as { InstanceProfileName: string }).InstanceProfileName === 'b',
    },
  );
  await assert.rejects(collect(), /deleting instance profile, api error AccessDenied: no \(instance-profile=b\)/);
  assert.deepEqual(left(), ['b']);
});

test('a NodeClaim of another provider keeps no instance profile', async (t) => {
  const { env, add, left, collect } = await environment(t);
  await add('named');
  await env.addNodeClaim('claim', {
    annotations: { [INSTANCE_PROFILE_NAME]: 'named' },
    spec: { nodeClassRef: { group: 'example.com', kind: 'Other', name: 'default' } },
  });
  await collect();
  assert.deepEqual(left(), []);
});

test('08/54 the instance profiles of another cluster are never looked at', async (t) => {
  const { env, iam, left, collect } = await environment(t);
  iam.addInstanceProfile('other', { path: '/karpenter/us-east-1/test-cluster-2/uid/' });
  iam.addInstanceProfile('elsewhere', { path: '/karpenter/us-west-2/test-cluster/uid/' });
  await env.clock.advance(1 * SECOND);
  await collect();
  assert.deepEqual(left(), ['other', 'elsewhere']);
});

test('the NodeClaims are not looked through for each instance profile that is in use', async (t) => {
  const { env, profiles, add, left } = await environment(t);
  const names = Array.from({ length: 50 }, (_, index) => `named-${index}`);
  await add(...names, 'unused');
  for (const name of names) await env.addNodeClaim(name, { annotations: { [INSTANCE_PROFILE_NAME]: name } });
  let looks = 0;
  const nodeClaims = { list: () => (looks++, env.caches.nodeClaims.list()) };
  const nodeClasses = env.caches.nodeClasses.of(EC2_NODE_CLASSES);
  const controller = profileGarbageCollectionController({ profiles, owner: OWNER, nodeClaims, nodeClasses });
  await env.reconcile(controller, '');
  assert.deepEqual(left(), names);
  assert.equal(looks, 2);
});
