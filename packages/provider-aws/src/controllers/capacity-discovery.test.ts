import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EC2NodeClass, NodeClaim } from '@karpenter-ts/apis';
import { makeNodeClaim } from '@karpenter-ts/cloudprovider/testing';
import { type Node, NODES } from '@karpenter-ts/kubernetes';
import { FilledCache, HOUR, nullLogger } from '@karpenter-ts/runtime';
import { NEVER } from '@karpenter-ts/runtime/testing';
import { nodeClass, typeEnvironment } from '../offerings/testing/type-environment.ts';
import { capacityDiscovery } from './capacity-discovery.ts';

const PROVIDER_ID = 'aws:///us-west-2a/i-1';
const ARM = { id: 'ami-arm', requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['arm64'] }] };
const X86 = { id: 'ami-x86', requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] }] };

function node(memory: string, parts: { readonly name?: string; readonly labels?: Record<string, string> } = {}): Node {
  const labels = {
    'node.kubernetes.io/instance-type': 't3.medium',
    'kubernetes.io/arch': 'amd64',
    'karpenter.k8s.aws/ec2nodeclass': 'default',
    'karpenter.sh/registered': 'true',
    ...parts.labels,
  };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: parts.name ?? 'node-1', labels },
    spec: { providerID: PROVIDER_ID },
    status: { capacity: { memory } },
  };
}

/** The controller with the objects it reads. `images` are those of the NodeClass, `imageID` is what the node started from. */
async function environment({ imageID = 'ami-x86', images = [X86] } = {}) {
  const types = await typeEnvironment({ types: ['t3.medium'] });
  const nodes = new FilledCache<Node, 'providerId'>(NODES, { indexes: { providerId: () => [] } });
  const nodeClasses = new Map<string, EC2NodeClass>();
  const setImages = (amis: readonly (typeof X86)[]) =>
    nodeClasses.set('default', nodeClass({ status: { amis: amis.map((ami) => ({ ...ami })) } }));
  setImages(images);
  const claim = makeNodeClaim('claim', {
    nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
  } as object);
  const launched: NodeClaim = { ...claim, status: { providerID: PROVIDER_ID, imageID } };
  const controller = capacityDiscovery({
    nodes: Object.assign(nodes, { start: async () => undefined }),
    nodeClaims: { byIndex: (_index, id) => (id === PROVIDER_ID ? [launched] : []) },
    nodeClasses,
    memory: types.memory,
  });
  const keys: string[] = [];
  await controller.sources![0]!.attach({ add: (key: string) => void keys.push(key) } as never);
  /** Puts the Node into the cache and reconciles it if the controller asks for it. */
  async function see(seen: Node): Promise<boolean> {
    keys.length = 0;
    nodes.put(seen);
    for (const key of keys) await controller.reconcile(key, NEVER, nullLogger);
    return keys.length > 0;
  }
  const capacity = () => types.get('t3.medium', nodeClasses.get('default')).capacity['memory'];
  return { ...types, see, setImages, capacity };
}

const ESTIMATE = '3788Mi';

test('07/27 the memory of a registered node counts until the images change', async () => {
  const { see, setImages, capacity, logger } = await environment();
  assert.equal(capacity(), ESTIMATE);
  assert.equal(await see(node('3840Mi')), true);
  assert.equal(capacity(), '3840Mi');
  assert.deepEqual(
    logger.lines.filter(({ message }) => message === 'updating discovered capacity cache').map(({ fields }) => fields),
    [{ 'memory-capacity': '3840Mi', 'instance-type': 't3.medium' }],
  );
  setImages([{ ...X86, id: 'ami-new' }]);
  assert.equal(capacity(), ESTIMATE);
});

test('07/28 an image that is not the first one counts if it is the one for the node', async () => {
  const { see, capacity } = await environment({ images: [ARM, X86] });
  await see(node('3840Mi'));
  assert.equal(capacity(), '3840Mi');
});

test('a node of another image than the one that would be launched now says nothing', async () => {
  const { see, capacity } = await environment({ imageID: 'ami-old' });
  await see(node('3840Mi'));
  assert.equal(capacity(), ESTIMATE);
});

test('07/29 the least memory that was seen counts', async () => {
  const { see, capacity } = await environment();
  await see(node('3840Mi'));
  await see(node('3900Mi', { name: 'node-2' }));
  assert.equal(capacity(), '3840Mi');
  await see(node('3800Mi', { name: 'node-3' }));
  assert.equal(capacity(), '3800Mi');
});

test('an observation ends sixty days after it was last made', async () => {
  const { see, capacity, clock } = await environment();
  await see(node('3840Mi'));
  await clock.advance(1000 * HOUR);
  await see(node('3840Mi', { name: 'node-2' }));
  await clock.advance(1000 * HOUR);
  assert.equal(capacity(), '3840Mi');
  await clock.advance(440 * HOUR);
  assert.equal(capacity(), ESTIMATE);
});

test('a new observation makes only its own type anew', async () => {
  const { list, memory } = await typeEnvironment({ types: ['m5.large', 't3.medium'] });
  const before = list();
  memory.observe('t3.medium', 'ami-1', '3840Mi');
  const after = list();
  assert.deepEqual(
    after.map((type, index) => type === before[index]),
    [true, false],
  );
});

test('a Node is looked at when it comes registered or becomes so, and not again', async () => {
  const { see } = await environment();
  const unregistered = node('3840Mi', { labels: { 'karpenter.sh/registered': '' } });
  assert.equal(await see(unregistered), false);
  assert.equal(await see(node('3840Mi')), true);
  assert.equal(await see(node('3841Mi')), false);
  const foreign = node('3840Mi', { name: 'foreign' });
  delete (foreign.metadata.labels as Record<string, string>)['karpenter.k8s.aws/ec2nodeclass'];
  assert.equal(await see(foreign), false);
});
