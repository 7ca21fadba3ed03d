import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import type { ObjectRef, PersistentVolumeClaim, ResourceType } from '@karpenter-ts/kubernetes';
import { type Patch, SECOND, VirtualClock } from '@karpenter-ts/runtime';
import { NodeEntry } from './model/node-entry.ts';
import { ResourceNames } from './model/resource-names.ts';
import { StorageModel } from './model/storage-model.ts';
import { nodeObject } from './testing/cluster.ts';
import { boundVolumeClaimObject, volumeClaimObject, inZone, volumeObject } from './testing/storage.ts';
import { VolumeBinder } from './volume-binder.ts';

const SELECTED = { 'volume.kubernetes.io/selected-node': 'n1' };
let clock: VirtualClock;
let storage: StorageModel;
let binder: VolumeBinder;
let writes: { readonly on: string; readonly body: unknown }[];
let node: NodeEntry;

beforeEach(() => {
  clock = new VirtualClock();
  storage = new StorageModel();
  writes = [];
  const patch = async (type: ResourceType, { name }: ObjectRef, { body }: Patch) => {
    writes.push({ on: `${type.plural}/${name}`, body });
    return {} as never;
  };
  binder = new VolumeBinder({ patch } as never, clock, storage);
  node = new NodeEntry('n1', new ResourceNames());
  node.update(nodeObject('n1', { labels: { zone: 'z1' } }));
});

function see(volumeClaim: PersistentVolumeClaim, resourceVersion: string): void {
  storage.volumeClaims.set('default/data', { ...volumeClaim, metadata: { ...volumeClaim.metadata, resourceVersion } });
}

async function provision(): Promise<void> {
  const volumeClaim = volumeClaimObject('data');
  see(volumeClaim, '1');
  binder.reserve('default/pod', { bindings: [], provisions: [volumeClaim] }, node);
  await binder.write('default/pod', AbortSignal.timeout(1000));
}

const progress = (): string => {
  const step = binder.progress('default/pod');
  return step === undefined ? 'none' : step.kind === 'failed' ? step.message : step.kind;
};

test('a volume to be made is asked for by naming the node, on the claim as it was known', async () => {
  await provision();
  assert.deepEqual(writes, [
    { on: 'persistentvolumeclaims/data', body: { metadata: { resourceVersion: '1', annotations: SELECTED } } },
  ]);
  assert.equal(storage.findSelectedNode('default/data'), 'n1', 'even before the claim shows it');
});

test('the pod waits until the claim is bound', async () => {
  await provision();
  assert.equal(progress(), 'waiting');
  see(volumeClaimObject('data', {}, SELECTED), '2');
  assert.equal(progress(), 'waiting');
  storage.volumes.set('disk', volumeObject('disk', { nodeAffinity: inZone('z1') }));
  const bound = boundVolumeClaimObject('data', 'disk');
  see({ ...bound, metadata: { ...bound.metadata, annotations: { ...bound.metadata.annotations, ...SELECTED } } }, '3');
  assert.equal(progress(), 'bound');
});

test('a claim from which the node is taken off again has failed', async () => {
  await provision();
  see(volumeClaimObject('data'), '3');
  assert.equal(
    progress(),
    'running PreBind plugin "VolumeBinding": binding volumes: provisioning failed for PVC "data"',
  );
});

test('a volume that was made out of reach has failed', async () => {
  await provision();
  storage.volumes.set('disk', volumeObject('disk', { nodeAffinity: inZone('z2') }));
  const bound = boundVolumeClaimObject('data', 'disk');
  see({ ...bound, metadata: { ...bound.metadata, annotations: { ...bound.metadata.annotations, ...SELECTED } } }, '3');
  assert.match(progress(), /pv "disk" node affinity doesn't match node "n1": no matching NodeSelectorTerms$/);
});

test('after ten minutes the wait is over', async () => {
  await provision();
  await clock.advance(599 * SECOND);
  assert.equal(progress(), 'waiting');
  await clock.advance(1 * SECOND);
  assert.match(progress(), /binding volumes: context deadline exceeded$/);
});

test('a volume that exists is kept for the claim, marked as chosen by a controller unless its owner chose', async () => {
  const volumeClaim = volumeClaimObject('data');
  const [free, kept] = [
    volumeObject('free'),
    volumeObject('kept', { claimRef: { namespace: 'default', name: 'data' } }),
  ];
  const bindings = [free, kept].map((volume) => ({ volumeClaim, volume }));
  binder.reserve('default/pod', { bindings, provisions: [] }, node);
  await binder.write('default/pod', AbortSignal.timeout(1000));
  const claimRef = {
    kind: 'PersistentVolumeClaim',
    apiVersion: 'v1',
    namespace: 'default',
    name: 'data',
    uid: 'uid-data',
    resourceVersion: '1',
  };
  const mark = { 'pv.kubernetes.io/bound-by-controller': 'yes' };
  assert.deepEqual(writes, [
    {
      on: 'persistentvolumes/free',
      body: { metadata: { resourceVersion: '1', annotations: mark }, spec: { claimRef } },
    },
    { on: 'persistentvolumes/kept', body: { metadata: { resourceVersion: '1', annotations: {} }, spec: { claimRef } } },
  ]);
});

test('what is released is free for others', async () => {
  await provision();
  binder.release('default/pod');
  assert.equal(progress(), 'none');
  assert.equal(storage.findSelectedNode('default/data'), undefined);
  assert.deepEqual([...binder.podsUnderWay()], []);
});
