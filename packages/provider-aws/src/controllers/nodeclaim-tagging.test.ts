import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { Instance as Ec2Instance } from '@aws-sdk/client-ec2';
import { CLUSTER_NAME_TAGGED, INSTANCE_TAGGED, NODE_CLAIMS } from '@karpenter-ts/apis';
import { MINUTE, SECOND } from '@karpenter-ts/runtime';
import { AwsError } from '../api/aws-error.ts';
import { CLUSTER, described, fakeInstances } from '../instances/testing/fake-instances.ts';
import { ProviderEnvironment } from '../testing/provider-environment.ts';
import { nodeClaimTaggingController } from './nodeclaim-tagging.ts';

const STATUS = { providerID: 'aws:///us-west-2a/i-1', nodeName: 'node-1' };
const WITH_CLUSTER_ONLY: Ec2Instance = { Tags: [{ Key: 'eks:eks-cluster-name', Value: CLUSTER }] };

async function environment(t: TestContext, instance: Ec2Instance = WITH_CLUSTER_ONLY) {
  const env = await ProviderEnvironment.start(t);
  const { fake, instances } = fakeInstances([described('i-1', instance)]);
  const controller = nodeClaimTaggingController({ ...env, instances, clusterName: CLUSTER });
  const annotations = async () => (await env.findNodeClaim('claim-1'))?.metadata.annotations ?? {};
  const isMarked = async () => {
    const found = await annotations();
    return found[INSTANCE_TAGGED] === 'true' && found[CLUSTER_NAME_TAGGED] === 'true';
  };
  return { env, fake, controller, annotations, isMarked, reconcile: () => env.reconcile(controller, 'claim-1') };
}

test('07/97 the tags that are missing are added, and both annotations set', async (t) => {
  const { env, fake, isMarked, reconcile } = await environment(t);
  await env.addNodeClaim('claim-1', { status: STATUS });
  await reconcile();
  assert.deepEqual(
    fake.tags.map(({ Resources, Tags }) => [Resources, Tags]),
    [
      [
        ['i-1'],
        [
          { Key: 'Name', Value: 'node-1' },
          { Key: 'karpenter.sh/nodeclaim', Value: 'claim-1' },
        ],
      ],
    ],
  );
  assert.equal(await isMarked(), true);
});

test('07/97, 07/140 a tag that the instance has stays, and with all of them there is no call', async (t) => {
  const Tags = ['Name', 'karpenter.sh/nodeclaim', 'eks:eks-cluster-name'].map((Key) => ({ Key, Value: 'of the user' }));
  const { env, fake, isMarked, reconcile } = await environment(t, { Tags });
  await env.addNodeClaim('claim-1', { status: STATUS });
  await reconcile();
  assert.deepEqual(fake.tags, []);
  assert.equal(await isMarked(), true);
});

test('07/97 without a Node, while it is deleted, and once it is marked, a NodeClaim is left alone', async (t) => {
  const { env, fake, reconcile } = await environment(t);
  await env.addNodeClaim('claim-1', { status: { providerID: STATUS.providerID } });
  await reconcile();
  await env.change(NODE_CLAIMS, 'claim-1', { status: { nodeName: 'node-1' }, metadata: { finalizers: ['test/keep'] } });
  await env.delete(NODE_CLAIMS, 'claim-1');
  await reconcile();
  await env.change(NODE_CLAIMS, 'claim-1', { metadata: { finalizers: null } });
  const annotations = { [INSTANCE_TAGGED]: 'true', [CLUSTER_NAME_TAGGED]: 'true' };
  await env.addNodeClaim('claim-1', { status: STATUS, annotations });
  await reconcile();
  assert.deepEqual(fake.calls, []);
});

test('an instance that was tagged before clusters were named in tags gets that tag', async (t) => {
  const { env, fake, isMarked, reconcile } = await environment(t, { Tags: [{ Key: 'Name', Value: 'node-1' }] });
  await env.addNodeClaim('claim-1', { status: STATUS, annotations: { [INSTANCE_TAGGED]: 'true' } });
  await reconcile();
  assert.equal(fake.tags.length, 1);
  assert.equal(await isMarked(), true);
});

test('07/97 a bad provider id is logged and not tried again', async (t) => {
  const { env, fake, reconcile } = await environment(t);
  await env.addNodeClaim('claim-1', { status: { ...STATUS, providerID: 'i-1' } });
  await reconcile();
  assert.deepEqual(fake.calls, []);
  const line = env.logger.lines.find(({ level }) => level === 'error');
  assert.equal(line?.message, 'failed parsing instance id');
  assert.equal(line?.error, 'provider id does not match known format (provider-id=i-1)');
});

test('07/97 an instance that is gone is no error, and not marked', async (t) => {
  const { env, fake, isMarked, reconcile } = await environment(t);
  await env.addNodeClaim('claim-1', { status: STATUS });
  fake.fail.set('tag', new AwsError('InvalidInstanceID.NotFound', 'no'));
  await reconcile();
  fake.held = [];
  await reconcile();
  assert.equal(await isMarked(), false);
});

test('a call that fails is an error that says what was being done', async (t) => {
  const { env, fake, isMarked, reconcile } = await environment(t);
  await env.addNodeClaim('claim-1', { status: STATUS });
  fake.fail.set('tag', new AwsError('RequestLimitExceeded', 'slow down'));
  await assert.rejects(reconcile(), {
    message: 'tagging nodeclaim, tagging instance, api error RequestLimitExceeded: slow down',
  });
  assert.equal(await isMarked(), false);
});

for (const code of ['TagLimitExceeded', 'UnauthorizedOperation']) {
  test(`tags that EC2 will refuse for long (${code}) are tried every ten minutes`, async (t) => {
    const { env, fake, controller, isMarked } = await environment(t);
    await env.addNodeClaim('claim-1', { status: STATUS });
    fake.fail.set('tag', new AwsError(code, 'no'));
    await env.run(controller);
    await env.clock.advance(35 * MINUTE);
    const lines = env.logger.lines.filter(({ message }) => message === 'Reconciler error');
    assert.equal(lines.length, 4);
    assert.equal(lines[0]!.error, `terminal error: tagging nodeclaim, tagging instance, api error ${code}: no`);
    fake.fail.clear();
    await env.clock.advance(10 * MINUTE);
    assert.equal(await isMarked(), true);
  });
}

test('calls come at most once a second, whatever the number of new NodeClaims', async (t) => {
  const { env, fake, controller } = await environment(t);
  const names = Array.from({ length: 5 }, (_, index) => `claim-${index}`);
  fake.held = names.map((name) => described(`i-of-${name}`, WITH_CLUSTER_ONLY));
  for (const name of names) {
    await env.addNodeClaim(name, { status: { providerID: `aws:///us-west-2a/i-of-${name}`, nodeName: `n-${name}` } });
  }
  await env.run(controller);
  const counts = [fake.tags.length];
  for (let second = 0; second < 6; second++) {
    await env.clock.advance(1 * SECOND);
    counts.push(fake.tags.length);
  }
  assert.deepEqual(counts, [1, 2, 3, 4, 5, 5, 5]);
});

test('a NodeClaim is tagged when its Node becomes known', async (t) => {
  const { env, controller, isMarked } = await environment(t);
  await env.addNodeClaim('claim-1', { status: { providerID: STATUS.providerID } });
  await env.run(controller);
  await env.change(NODE_CLAIMS, 'claim-1', { status: { nodeName: 'node-1' } });
  await env.clock.advance(2 * SECOND);
  assert.equal(await isMarked(), true);
});
