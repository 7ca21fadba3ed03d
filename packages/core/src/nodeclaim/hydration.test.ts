import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeCloudProvider } from '@karpenter-ts/cloudprovider/testing';
import { NODE_CLAIMS } from '@karpenter-ts/apis';
import { type Node, NODES } from '@karpenter-ts/kubernetes';
import { FOREIGN_CLASS_REF, makeNode, makeNodeClaim } from '../testing/objects.ts';
import { type TestEnvironment, startTestEnvironment } from '../testing/test-environment.ts';
import { nodeClaimHydrationController, nodeHydrationController } from './hydration.ts';

const LABEL = 'karpenter.kwok.sh/kwoknodeclass';
const FOREIGN_LABEL = 'karpenter.k8s.aws/ec2nodeclass';

async function start(t: Parameters<typeof startTestEnvironment>[0]): Promise<TestEnvironment> {
  const env = await startTestEnvironment(t, { provider: new FakeCloudProvider() });
  await env.run(nodeClaimHydrationController(env), nodeHydrationController(env));
  return env;
}

const labelsOf = async (env: TestEnvironment, name: string): Promise<Readonly<Record<string, string>>> =>
  (await env.get<Node>(NODES, name)).metadata.labels ?? {};

test('03/124 NodeClaims and Nodes get the label of their NodeClass, also in place of another value', async (t) => {
  const env = await start(t);
  for (const [name, labels] of [
    ['without', {}],
    ['with-another', { [LABEL]: 'other' }],
  ] as const) {
    const nodeClaim = makeNodeClaim(name, { status: { providerID: name } });
    await env.create(NODE_CLAIMS, { ...nodeClaim, metadata: { name, labels } });
    await env.create(NODES, makeNode(name, { providerID: name, labels }));
    assert.equal((await env.get(NODE_CLAIMS, name)).metadata.labels?.[LABEL], 'default');
    assert.equal((await labelsOf(env, name))[LABEL], 'default');
  }
});

test('03/124 a Node of two NodeClaims is left alone', async (t) => {
  const env = await start(t);
  for (const name of ['a', 'b']) await env.create(NODE_CLAIMS, makeNodeClaim(name, { status: { providerID: 'p' } }));
  await env.create(NODES, makeNode('n', { providerID: 'p' }));
  assert.equal((await labelsOf(env, 'n'))[LABEL], undefined);
});

test('a Node gets its label when its NodeClaim learns of it only later', async (t) => {
  const env = await start(t);
  await env.create(NODES, makeNode('n', { providerID: 'p' }));
  await env.create(NODE_CLAIMS, makeNodeClaim('c'));
  await env.change(NODE_CLAIMS, 'c', { status: { providerID: 'p' } });
  assert.equal((await labelsOf(env, 'n'))[LABEL], 'default');
});

test('NodeClaims and Nodes of another provider keep their labels', async (t) => {
  const env = await start(t);
  const nodeClaim = makeNodeClaim('c', { nodeClassRef: FOREIGN_CLASS_REF, status: { providerID: 'p' } });
  await env.create(NODE_CLAIMS, { ...nodeClaim, metadata: { name: 'c' } });
  await env.create(NODES, makeNode('n', { providerID: 'p' }));
  assert.equal((await env.get(NODE_CLAIMS, 'c')).metadata.labels, undefined);
  assert.equal((await labelsOf(env, 'n'))[FOREIGN_LABEL], undefined);
});
