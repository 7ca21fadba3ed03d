import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { Instance as Ec2Instance } from '@aws-sdk/client-ec2';
import { NODE_CLAIMS, type NodeClaim } from '@karpenter-ts/apis';
import { NodeClaimNotFoundError } from '@karpenter-ts/cloudprovider';
import { NODES } from '@karpenter-ts/kubernetes';
import { LoggedRef, MINUTE, SECOND } from '@karpenter-ts/runtime';
import { nodeClaimOf } from '../instances/node-claim-of.ts';
import { instanceIdOf } from '../instances/provider-id.ts';
import { described, fakeInstances } from '../instances/testing/fake-instances.ts';
import { ProviderEnvironment } from '../testing/provider-environment.ts';
import {
  type InstanceGarbageCollectionDeps,
  instanceGarbageCollectionController,
} from './instance-garbage-collection.ts';

const idOf = (instance: string) => `aws:///us-west-2a/${instance}`;

const nameOf = (ref: unknown) => (ref instanceof LoggedRef ? ref.name : '');

/** A cluster an hour old. `terminated` are the instances that were, in order. */
async function environment(t: TestContext) {
  const env = await ProviderEnvironment.start(t);
  await env.clock.advance(60 * MINUTE);
  const { fake, instances } = fakeInstances();
  const launched = (id: string, age: number, parts: Ec2Instance = {}): Ec2Instance =>
    described(id, { LaunchTime: new Date(env.clock.now() - age), ...parts });
  const provider = {
    list: async (signal: AbortSignal) =>
      (await instances.list(signal)).map((instance) => nodeClaimOf({ instance }, env.clock.now())),
    delete: async ({ status }: NodeClaim, signal: AbortSignal) =>
      instances.delete(instanceIdOf(status!.providerID!), signal),
  };
  const controllerWith = (other: Partial<InstanceGarbageCollectionDeps>) =>
    instanceGarbageCollectionController({ ...env, provider, ...other });
  const controller = controllerWith({});
  const terminated = () => fake.calls.filter((call) => call.startsWith('terminate')).map((call) => call.split(' ')[1]);
  const collect = () => env.reconcile(controller, '');
  return { env, fake, provider, launched, terminated, controllerWith, collect };
}

test('07/96 an instance without a NodeClaim is terminated once it is half a minute old, and its Node is deleted', async (t) => {
  const { env, fake, launched, terminated, collect } = await environment(t);
  await env.addNodeClaim('owner', { status: { providerID: idOf('i-owned') } });
  await env.addNode('node-of-orphan', idOf('i-orphan'));
  await env.addNode('node-of-owned', idOf('i-owned'));
  fake.held = [launched('i-orphan', 1 * MINUTE), launched('i-young', 1 * SECOND), launched('i-owned', 1 * MINUTE)];
  await collect();
  assert.deepEqual(terminated(), ['i-orphan']);
  assert.deepEqual(
    env.caches.nodes.list().map(({ metadata }) => metadata.name),
    ['node-of-owned'],
  );
  const lines = env.logger.lines.filter(({ message }) => message.startsWith('garbage collected'));
  assert.deepEqual(
    lines.map(({ message, fields }) => [message, fields['provider-id'], nameOf(fields['Node'])]),
    [
      ['garbage collected cloudprovider instance', idOf('i-orphan'), ''],
      ['garbage collected node', idOf('i-orphan'), 'node-of-orphan'],
    ],
  );
});

test('07/96 a hundred orphans are all terminated in one pass', async (t) => {
  const { fake, launched, terminated, collect } = await environment(t);
  fake.held = Array.from({ length: 100 }, (_, index) => launched(`i-${index}`, 1 * MINUTE));
  await collect();
  assert.equal(new Set(terminated()).size, 100);
});

test('07/145 an instance without the tag of a NodePool is none of our business', async (t) => {
  const { fake, launched, terminated, collect } = await environment(t);
  const instance = launched('i-1', 1 * MINUTE);
  fake.held = [{ ...instance, Tags: instance.Tags!.filter(({ Key }) => Key !== 'karpenter.sh/nodepool') }];
  await collect();
  assert.deepEqual(terminated(), []);
});

test('07/146 an instance that has gone in the meantime is no error, and its Node stays', async (t) => {
  const { env, fake, provider, launched, collect } = await environment(t);
  await env.addNode('node-1', idOf('i-1'));
  fake.held = [launched('i-1', 1 * MINUTE)];
  provider.delete = async () => {
    throw new Error('getting instance', { cause: new NodeClaimNotFoundError(new Error('instance not found')) });
  };
  await collect();
  assert.ok(env.caches.nodes.get('node-1'));
  assert.deepEqual(
    env.logger.lines.filter(({ message }) => message.startsWith('garbage')),
    [],
  );
});

test('an instance of which EC2 tells neither zone nor launch time is not taken for an orphan', async (t) => {
  const { env, fake, terminated, collect } = await environment(t);
  await env.addNodeClaim('owner', { status: { providerID: idOf('i-owned') } });
  const undated = described('i-undated');
  delete undated.LaunchTime;
  const nowhere = described('i-owned');
  delete nowhere.Placement;
  fake.held = [undated, nowhere];
  await collect();
  assert.deepEqual(terminated(), []);
});

test('an instance that is terminating is left alone', async (t) => {
  const { fake, launched, terminated, collect } = await environment(t);
  fake.held = [launched('i-1', 1 * MINUTE, { State: { Name: 'shutting-down' } })];
  await collect();
  assert.deepEqual(terminated(), []);
});

test('an instance may belong to a NodeClaim that does not name one yet, until that is gone', async (t) => {
  const { env, fake, launched, terminated, collect } = await environment(t);
  await env.addNodeClaim('launching', { status: {} });
  fake.held = [launched('i-1', 0)];
  await env.clock.advance(2 * MINUTE);
  await env.addNodeClaim('later', { status: {} });
  await collect();
  assert.deepEqual(terminated(), []);
  await env.delete(NODE_CLAIMS, 'launching');
  await collect();
  assert.deepEqual(terminated(), ['i-1']);
});

test('a NodeClaim of another NodePool that names no instance keeps none', async (t) => {
  const { env, fake, launched, terminated, collect } = await environment(t);
  await env.addNodeClaim('launching', { status: {}, labels: { 'karpenter.sh/nodepool': 'other' } });
  fake.held = [launched('i-1', 0)];
  await env.clock.advance(1 * MINUTE);
  await collect();
  assert.deepEqual(terminated(), ['i-1']);
});

test('a NodeClaim that the cache does not show yet keeps its instance', async (t) => {
  const { env, fake, launched, terminated, controllerWith } = await environment(t);
  await env.addNodeClaim('owner', { status: { providerID: idOf('i-1') } });
  fake.held = [launched('i-1', 1 * MINUTE)];
  const caches = { nodes: env.caches.nodes, nodeClaims: { list: () => [] } };
  await env.reconcile(controllerWith({ caches }), '');
  assert.deepEqual(terminated(), []);
});

test('one instance that cannot be terminated does not keep the others', async (t) => {
  const { fake, provider, launched, terminated, collect } = await environment(t);
  fake.held = ['i-1', 'i-2', 'i-3'].map((id) => launched(id, 1 * MINUTE));
  const works = provider.delete;
  provider.delete = async (nodeClaim, signal) => {
    if (nodeClaim.status!.providerID!.endsWith('i-2')) throw new Error('out of order');
    return works(nodeClaim, signal);
  };
  await assert.rejects(collect(), { message: 'out of order' });
  assert.deepEqual(terminated(), ['i-1', 'i-3']);
});

test('a Node that somebody else has deleted is no error', async (t) => {
  const { env, fake, launched, terminated, controllerWith } = await environment(t);
  const node = await env.addNode('node-1', idOf('i-1'));
  await env.delete(NODES, 'node-1');
  fake.held = [launched('i-1', 1 * MINUTE)];
  const caches = { nodeClaims: env.caches.nodeClaims, nodes: { byIndex: () => [node] } };
  await env.reconcile(controllerWith({ caches }), '');
  assert.deepEqual(terminated(), ['i-1']);
});

test('the first twenty passes come every ten seconds, the others every two minutes', async (t) => {
  const { collect } = await environment(t);
  for (let pass = 1; pass <= 22; pass++) {
    assert.deepEqual(await collect(), { requeueAfter: pass <= 20 ? 10 * SECOND : 2 * MINUTE });
  }
});

test('a cloud that does not answer is an error, and nothing is deleted', async (t) => {
  const { fake, terminated, collect } = await environment(t);
  fake.fail.set('list', new Error('out of order'));
  await assert.rejects(collect(), /out of order/);
  assert.deepEqual(terminated(), []);
});
