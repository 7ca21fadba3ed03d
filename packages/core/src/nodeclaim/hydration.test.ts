import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeCloudProvider } from '@karpenter-ts/cloudprovider/testing';
import { NODE_CLAIMS } from '@karpenter-ts/apis';
import { NODES } from '@karpenter-ts/kubernetes';
import type { Node } from '../kinds/node.ts';
import { FOREIGN_CLASS_REF, makeNode, makeNodeClaim } from '../testing/objects.ts';
import { type Rig, startRig } from '../testing/rig.ts';
import { nodeClaimHydrationController, nodeHydrationController } from './hydration.ts';

const LABEL = 'karpenter.kwok.sh/kwoknodeclass';
const FOREIGN_LABEL = 'karpenter.k8s.aws/ec2nodeclass';

async function start(t: Parameters<typeof startRig>[0]): Promise<Rig> {
  const rig = await startRig(t, { provider: new FakeCloudProvider() });
  await rig.run(nodeClaimHydrationController(rig), nodeHydrationController(rig));
  return rig;
}

const labelsOf = async (rig: Rig, name: string): Promise<Readonly<Record<string, string>>> =>
  (await rig.get<Node>(NODES, name)).metadata.labels ?? {};

test('03/124 claims and Nodes get the label of their NodeClass, also in place of another value', async (t) => {
  const rig = await start(t);
  for (const [name, labels] of [
    ['without', {}],
    ['with-another', { [LABEL]: 'other' }],
  ] as const) {
    const claim = makeNodeClaim(name, { status: { providerID: name } });
    await rig.create(NODE_CLAIMS, { ...claim, metadata: { name, labels } });
    await rig.create(NODES, makeNode(name, { providerID: name, labels }));
    assert.equal((await rig.get(NODE_CLAIMS, name)).metadata.labels?.[LABEL], 'default');
    assert.equal((await labelsOf(rig, name))[LABEL], 'default');
  }
});

test('03/124 a Node of two claims is left alone', async (t) => {
  const rig = await start(t);
  for (const name of ['a', 'b']) await rig.create(NODE_CLAIMS, makeNodeClaim(name, { status: { providerID: 'p' } }));
  await rig.create(NODES, makeNode('n', { providerID: 'p' }));
  assert.equal((await labelsOf(rig, 'n'))[LABEL], undefined);
});

test('a Node gets its label when its claim learns of it only later', async (t) => {
  const rig = await start(t);
  await rig.create(NODES, makeNode('n', { providerID: 'p' }));
  await rig.create(NODE_CLAIMS, makeNodeClaim('c'));
  await rig.change(NODE_CLAIMS, 'c', { status: { providerID: 'p' } });
  assert.equal((await labelsOf(rig, 'n'))[LABEL], 'default');
});

test('claims and Nodes of another provider keep their labels', async (t) => {
  const rig = await start(t);
  const claim = makeNodeClaim('c', { nodeClassRef: FOREIGN_CLASS_REF, status: { providerID: 'p' } });
  await rig.create(NODE_CLAIMS, { ...claim, metadata: { name: 'c' } });
  await rig.create(NODES, makeNode('n', { providerID: 'p' }));
  assert.equal((await rig.get(NODE_CLAIMS, 'c')).metadata.labels, undefined);
  assert.equal((await labelsOf(rig, 'n'))[FOREIGN_LABEL], undefined);
});
