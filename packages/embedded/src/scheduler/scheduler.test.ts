import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import {
  type ApiObject,
  NODES,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  type PersistentVolume,
  type PersistentVolumeClaim,
  PODS,
  type ResourceType,
  SELECTED_NODE,
  STORAGE_CLASSES,
} from '@karpenter-ts/kubernetes';
import { MINUTE, SECOND } from '@karpenter-ts/runtime';
import { nodeObject } from './testing/cluster.ts';
import { boundVolumeClaimObject, volumeClaimObject, lateClass, volumeObject } from './testing/storage.ts';
import { type Interception, SchedulerEnvironment } from './testing/scheduler-environment.ts';

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

async function events(env: SchedulerEnvironment): Promise<readonly Event[]> {
  return (await env.client.listAll<Event>(EVENTS, { namespace: 'default' })).items;
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
  const env = new SchedulerEnvironment();
  await env.startScheduler(t);
  await env.node('a');
  await env.pod('web', { requests: { cpu: '1' } });
  assert.equal(await env.placeOf('web'), 'a');
  assert.deepEqual(
    (await events(env)).map(({ reason, note }) => [reason, note]),
    [['Scheduled', 'Successfully assigned default/web to a']],
  );
});

test('the room of a pod that is being bound is not given away twice', async (t) => {
  const env = new SchedulerEnvironment();
  await env.startScheduler(t);
  await Promise.all(['p1', 'p2', 'p3'].map((name) => env.create(PODS, rawPod(name, '3'))));
  await env.node('a');
  await env.node('b');
  const places = await Promise.all(['p1', 'p2', 'p3'].map((name) => env.placeOf(name)));
  assert.deepEqual(places.toSorted(), ['', 'a', 'b']);
});

test('a binding that is refused makes room for others, and is tried again after a second', async (t) => {
  const env = new SchedulerEnvironment();
  await env.startScheduler(t, refusingBindings(500, 1));
  await env.node('a');
  await env.pod('web', { requests: { cpu: '3' } });
  assert.equal(await env.placeOf('web'), '');
  await env.pod('other', { requests: { cpu: '3' } });
  assert.equal(await env.placeOf('other'), 'a');
  await env.client.delete(PODS, { namespace: 'default', name: 'other' }, { gracePeriodSeconds: 0 });
  await env.clock.advance(1 * SECOND);
  assert.equal(await env.placeOf('web'), 'a');
});

test('a waiting pod is looked at again after five to five and a half minutes, whatever happened', async (t) => {
  const env = new SchedulerEnvironment();
  await env.startScheduler(t);
  await env.node('a');
  await env.pod('web', { requests: { cpu: '9' } });
  await env.clock.advance(5 * MINUTE - 1 * SECOND);
  const before = (await events(env)).length;
  await env.clock.advance(31 * SECOND);
  assert.equal((await events(env)).length, before + 1, 'told of the pod as it is now');
});

test('a pod that was just tried in vain does not take the turn of a new one', async (t) => {
  const env = new SchedulerEnvironment();
  await env.startScheduler(t);
  await env.pod('old', { requests: { cpu: '4' }, priority: 0 });
  await Promise.all([env.create(NODES, nodeObject('a')), env.create(PODS, rawPod('new', '4'))]);
  await env.clock.flush();
  assert.deepEqual([await env.placeOf('old'), await env.placeOf('new')], ['', 'a']);
});

test('a scheduler that starts anew counts with the pods already bound', async (t) => {
  const env = new SchedulerEnvironment();
  const stop = await env.startScheduler(t);
  await env.node('a');
  await env.pod('first', { requests: { cpu: '3' } });
  await stop();
  await env.pod('second', { requests: { cpu: '3' } });
  await env.startScheduler(t);
  await env.clock.flush();
  assert.equal(await env.placeOf('second'), '');
  await env.node('b');
  assert.equal(await env.placeOf('second'), 'b');
});

test('a pod that is deleted before it has a node is left alone, and that is told', async (t) => {
  const env = new SchedulerEnvironment();
  await env.startScheduler(t);
  await env.pod('web', { finalizers: ['example.com/hold'] });
  await env.client.delete(PODS, { namespace: 'default', name: 'web' });
  await env.node('a');
  assert.equal(await env.placeOf('web'), '');
  assert.ok((await events(env)).some(({ note }) => note === 'skip schedule deleting pod: default/web'));
});

test('a pod whose volume is being made is nominated to its node until it is bound', async (t) => {
  const env = await environmentWithVolumeClaim(t);
  assert.equal(await env.placeOf('web'), '');
  assert.equal((await env.getPod('web')).status?.nominatedNodeName, 'a');
  const { metadata } = await claimIn(env);
  assert.equal(metadata.annotations?.[SELECTED_NODE], 'a');
  const csi = { driver: 'disks.example.com', volumeHandle: 'disk' };
  await env.create<PersistentVolume>(PERSISTENT_VOLUMES, {
    metadata: { name: 'disk' },
    spec: { ...volumeObject('disk').spec, csi },
  });
  const { metadata: bound, spec } = boundVolumeClaimObject('data', 'disk');
  const body = { metadata: { annotations: bound.annotations }, spec: { volumeName: spec.volumeName } };
  await env.client.patch(PERSISTENT_VOLUME_CLAIMS, { namespace: 'default', name: 'data' }, { type: 'merge', body });
  await env.clock.flush();
  assert.equal(await env.placeOf('web'), 'a');
});

test('when its volume cannot be made, the pod is told, loses its nomination and is placed anew', async (t) => {
  const env = await environmentWithVolumeClaim(t);
  await env.node('b');
  const body = { metadata: { annotations: { [SELECTED_NODE]: null } } };
  await env.client.patch(PERSISTENT_VOLUME_CLAIMS, { namespace: 'default', name: 'data' }, { type: 'merge', body });
  await env.clock.flush();
  const { status } = await env.getPod('web');
  const condition = status?.conditions?.find(({ type }) => type === 'PodScheduled');
  assert.equal(condition?.reason, 'SchedulerError');
  assert.match(condition?.message ?? '', /provisioning failed for PVC "data"$/);
  assert.equal(status?.nominatedNodeName, undefined);
  await env.clock.advance(1 * SECOND);
  assert.ok((await claimIn(env)).metadata.annotations?.[SELECTED_NODE]);
});

test('equal runs make equal decisions', async (t) => {
  const run = async (): Promise<readonly string[]> => {
    const env = new SchedulerEnvironment();
    await env.startScheduler(t);
    for (let i = 0; i < 20; i++) await env.create(PODS, rawPod(`p${i}`, `${1 + (i % 3)}`));
    for (let i = 0; i < 12; i++) await env.node(`n${i}`);
    return Promise.all(Array.from({ length: 20 }, (_, i) => env.placeOf(`p${i}`)));
  };
  assert.deepEqual(await run(), await run());
});

function rawPod(name: string, cpu: string): ApiObject {
  const containers = [{ name: 'c', image: 'none', resources: { requests: { cpu } } }];
  const spec = { containers, tolerations: [{ operator: 'Exists' }] };
  return { metadata: { name, namespace: 'default' }, spec } as ApiObject;
}

async function claimIn(env: SchedulerEnvironment): Promise<PersistentVolumeClaim> {
  return env.client.get<PersistentVolumeClaim>(PERSISTENT_VOLUME_CLAIMS, { namespace: 'default', name: 'data' });
}

/** A node, and a pod on its way there that waits for a volume to be made. */
async function environmentWithVolumeClaim(t: TestContext): Promise<SchedulerEnvironment> {
  const env = new SchedulerEnvironment();
  await env.startScheduler(t);
  await env.node('a');
  await env.create(STORAGE_CLASSES, lateClass());
  const { metadata, spec } = volumeClaimObject('data');
  await env.create(PERSISTENT_VOLUME_CLAIMS, { metadata: { name: metadata.name, namespace: 'default' }, spec });
  await env.pod('web', { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] });
  return env;
}
