import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { ApiObject, ResourceType } from '@karpenter-ts/kubernetes';
import { MINUTE, SECOND } from '@karpenter-ts/runtime';
import { NODES } from './kinds/node.ts';
import { PODS } from './kinds/pod.ts';
import { CLAIMS, type Claim, SELECTED_NODE, STORAGE_CLASSES, VOLUMES, type Volume } from './kinds/storage.ts';
import { nodeObject } from './testing/cluster.ts';
import { boundClaimObject, claimObject, lateClass, volumeObject } from './testing/storage.ts';
import { type Interception, World } from './testing/world.ts';

const EVENTS: ResourceType = {
  group: 'events.k8s.io',
  version: 'v1',
  plural: 'events',
  kind: 'Event',
  namespaced: true,
};

interface Event extends ApiObject {
  readonly reason: string;
  readonly note: string;
  readonly series?: { readonly count: number };
}

async function events(world: World): Promise<readonly Event[]> {
  return (await world.client.listAll<Event>(EVENTS, { namespace: 'default' })).items;
}

/** Answers the first bindings with this code. */
function refusingBindings(code: number, times: number): Interception {
  let left = times;
  return (next) => async (request, signal) => {
    if (!request.path.endsWith('/binding') || left-- <= 0) return next(request, signal);
    const status = { kind: 'Status', status: 'Failure', code, reason: 'InternalError', message: 'made up' };
    const body = (async function* () {
      yield Buffer.from(JSON.stringify(status));
    })();
    return { status: code, headers: {}, body, discard: () => {} };
  };
}

test('pods get nodes, and their owners are told', async (t) => {
  const world = new World();
  await world.startScheduler(t);
  await world.node('a');
  await world.pod('web', { requests: { cpu: '1' } });
  assert.equal(await world.placeOf('web'), 'a');
  assert.deepEqual(
    (await events(world)).map(({ reason, note }) => [reason, note]),
    [['Scheduled', 'Successfully assigned default/web to a']],
  );
});

test('the room of a pod that is being bound is not given away twice', async (t) => {
  const world = new World();
  await world.startScheduler(t);
  await Promise.all(['p1', 'p2', 'p3'].map((name) => world.create(PODS, rawPod(name, '3'))));
  await world.node('a');
  await world.node('b');
  const places = await Promise.all(['p1', 'p2', 'p3'].map((name) => world.placeOf(name)));
  assert.deepEqual(places.toSorted(), ['', 'a', 'b']);
});

test('a binding that is refused makes room for others, and is tried again after a second', async (t) => {
  const world = new World();
  await world.startScheduler(t, refusingBindings(500, 1));
  await world.node('a');
  await world.pod('web', { requests: { cpu: '3' } });
  assert.equal(await world.placeOf('web'), '');
  await world.pod('other', { requests: { cpu: '3' } });
  assert.equal(await world.placeOf('other'), 'a');
  await world.client.delete(PODS, { namespace: 'default', name: 'other' }, { gracePeriodSeconds: 0 });
  await world.clock.advance(1 * SECOND);
  assert.equal(await world.placeOf('web'), 'a');
});

test('a waiting pod is looked at again after five to five and a half minutes, whatever happened', async (t) => {
  const world = new World();
  await world.startScheduler(t);
  await world.node('a');
  await world.pod('web', { requests: { cpu: '9' } });
  await world.clock.advance(5 * MINUTE - 1 * SECOND);
  const before = (await events(world)).length;
  await world.clock.advance(31 * SECOND);
  assert.equal((await events(world)).length, before + 1, 'told of the pod as it is now');
});

test('a pod that was just tried in vain does not take the turn of a new one', async (t) => {
  const world = new World();
  await world.startScheduler(t);
  await world.pod('old', { requests: { cpu: '4' }, priority: 0 });
  await Promise.all([world.create(NODES, nodeObject('a')), world.create(PODS, rawPod('new', '4'))]);
  await world.clock.settle();
  assert.deepEqual([await world.placeOf('old'), await world.placeOf('new')], ['', 'a']);
});

test('a scheduler that starts anew counts with the pods already bound', async (t) => {
  const world = new World();
  const stop = await world.startScheduler(t);
  await world.node('a');
  await world.pod('first', { requests: { cpu: '3' } });
  await stop();
  await world.pod('second', { requests: { cpu: '3' } });
  await world.startScheduler(t);
  await world.clock.settle();
  assert.equal(await world.placeOf('second'), '');
  await world.node('b');
  assert.equal(await world.placeOf('second'), 'b');
});

test('a pod that is deleted before it has a node is left alone, and that is told', async (t) => {
  const world = new World();
  await world.startScheduler(t);
  await world.pod('web', { finalizers: ['example.com/hold'] });
  await world.client.delete(PODS, { namespace: 'default', name: 'web' });
  await world.node('a');
  assert.equal(await world.placeOf('web'), '');
  assert.ok((await events(world)).some(({ note }) => note === 'skip schedule deleting pod: default/web'));
});

test('a pod whose volume is being made is nominated to its node until it is bound', async (t) => {
  const world = await worldWithClaim(t);
  assert.equal(await world.placeOf('web'), '');
  assert.equal((await world.getPod('web')).status?.nominatedNodeName, 'a');
  const { metadata } = await claimIn(world);
  assert.equal(metadata.annotations?.[SELECTED_NODE], 'a');
  const csi = { driver: 'disks.example.com', volumeHandle: 'disk' };
  await world.create<Volume>(VOLUMES, { metadata: { name: 'disk' }, spec: { ...volumeObject('disk').spec, csi } });
  const { metadata: bound, spec } = boundClaimObject('data', 'disk');
  const body = { metadata: { annotations: bound.annotations }, spec: { volumeName: spec.volumeName } };
  await world.client.patch(CLAIMS, { namespace: 'default', name: 'data' }, { type: 'merge', body });
  await world.clock.settle();
  assert.equal(await world.placeOf('web'), 'a');
});

test('when its volume cannot be made, the pod is told, loses its nomination and is placed anew', async (t) => {
  const world = await worldWithClaim(t);
  await world.node('b');
  const body = { metadata: { annotations: { [SELECTED_NODE]: null } } };
  await world.client.patch(CLAIMS, { namespace: 'default', name: 'data' }, { type: 'merge', body });
  await world.clock.settle();
  const { status } = await world.getPod('web');
  const condition = status?.conditions?.find(({ type }) => type === 'PodScheduled');
  assert.equal(condition?.reason, 'SchedulerError');
  assert.match(condition?.message ?? '', /provisioning failed for PVC "data"$/);
  assert.equal(status?.nominatedNodeName, undefined);
  await world.clock.advance(1 * SECOND);
  assert.ok((await claimIn(world)).metadata.annotations?.[SELECTED_NODE]);
});

test('equal runs make equal decisions', async (t) => {
  const run = async (): Promise<readonly string[]> => {
    const world = new World();
    await world.startScheduler(t);
    for (let i = 0; i < 20; i++) await world.create(PODS, rawPod(`p${i}`, `${1 + (i % 3)}`));
    for (let i = 0; i < 12; i++) await world.node(`n${i}`);
    return Promise.all(Array.from({ length: 20 }, (_, i) => world.placeOf(`p${i}`)));
  };
  assert.deepEqual(await run(), await run());
});

function rawPod(name: string, cpu: string): ApiObject {
  const containers = [{ name: 'c', image: 'none', resources: { requests: { cpu } } }];
  const spec = { containers, tolerations: [{ operator: 'Exists' }] };
  return { metadata: { name, namespace: 'default' }, spec } as ApiObject;
}

async function claimIn(world: World): Promise<Claim> {
  return world.client.get<Claim>(CLAIMS, { namespace: 'default', name: 'data' });
}

/** A node, and a pod on its way there that waits for a volume to be made. */
async function worldWithClaim(t: TestContext): Promise<World> {
  const world = new World();
  await world.startScheduler(t);
  await world.node('a');
  await world.create(STORAGE_CLASSES, lateClass());
  const { metadata, spec } = claimObject('data');
  await world.create(CLAIMS, { metadata: { name: metadata.name, namespace: 'default' }, spec });
  await world.pod('web', { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] });
  return world;
}
