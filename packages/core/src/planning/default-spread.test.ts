import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ZONE_LABEL } from '@karpenter-ts/apis';
import { FakeCloudProvider } from '@karpenter-ts/cloudprovider/testing';
import type { SchedulerConfig } from '../options/scheduler-config.ts';
import { type Pod, REPLICA_SETS, REPLICATION_CONTROLLERS, SERVICES } from '@karpenter-ts/kubernetes';
import { pendingPod } from '../testing/cluster-objects.ts';
import { startTestEnvironment } from '../testing/test-environment.ts';
import { countTurns } from '../testing/turns.ts';
import { DefaultSpread, WorkloadCaches } from './default-spread.ts';
import { TimeSlices } from '../state/time-slices.ts';

const CONSTRAINT = { maxSkew: 1, topologyKey: ZONE_LABEL, whenUnsatisfiable: 'ScheduleAnyway' } as const;

async function start(t: TestContext, defaultConstraints: SchedulerConfig['defaultConstraints']) {
  const env = await startTestEnvironment(t, {
    provider: new FakeCloudProvider(),
    options: { schedulerConfig: { defaultConstraints } },
  });
  const spread = new DefaultSpread(env);
  const stop = new AbortController();
  t.after(() => stop.abort());
  for (const { watched } of spread.sources) void watched!.cache.start(stop.signal);
  await env.clock.flush();
  const slices = new TimeSlices(env.clock, stop.signal);
  return { env, spread, sources: spread.sources, apply: (pods: readonly Pod[]) => spread.apply(pods, slices) };
}

function ownedBy(apiVersion: string, kind: string, name: string) {
  return [{ apiVersion, kind, name, uid: 'uid', controller: true }];
}

test('without default constraints nothing is read and pods are planned as they are', async (t) => {
  const { sources, apply } = await start(t, []);
  const pods = [pendingPod('a')];
  assert.deepEqual(sources, []);
  assert.equal(await apply(pods), pods);
});

test('02/104 pods are spread from those their controller and their services select; strays are left alone', async (t) => {
  const { env, apply } = await start(t, [CONSTRAINT]);
  const template = { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'main', image: 'main:1' }] } };
  const metadata = { name: 'x', namespace: 'default' };
  await env.create(REPLICA_SETS, { metadata, spec: { selector: { matchLabels: { app: 'x' } }, template } } as never);
  await env.create(REPLICATION_CONTROLLERS, { metadata, spec: { selector: { app: 'x' }, template } } as never);
  await env.create(SERVICES, { metadata, spec: { selector: { tier: 'web' }, ports: [{ port: 80 }] } } as never);
  const selectorOf = async (pod: Pod) =>
    (await apply([pod]))[0]!.spec.topologySpreadConstraints?.map(({ labelSelector }) => labelSelector);
  const labels = { app: 'x' };
  assert.deepEqual(
    await selectorOf(pendingPod('a', { labels, ownerReferences: ownedBy('apps/v1', 'ReplicaSet', 'x') })),
    [{ matchLabels: {}, matchExpressions: [{ key: 'app', operator: 'In', values: ['x'] }] }],
  );
  const old = ownedBy('v1', 'ReplicationController', 'x');
  assert.deepEqual(await selectorOf(pendingPod('b', { labels, ownerReferences: old })), [
    { matchLabels: { app: 'x' }, matchExpressions: [] },
  ]);
  assert.deepEqual(await selectorOf(pendingPod('c', { labels: { tier: 'web' } })), [
    { matchLabels: { tier: 'web' }, matchExpressions: [] },
  ]);
  assert.equal(await selectorOf(pendingPod('stray', { labels })), undefined);
  assert.equal(
    await selectorOf(pendingPod('orphan', { labels, ownerReferences: ownedBy('apps/v1', 'ReplicaSet', 'gone') })),
    undefined,
  );
});

test('others get their turn after each pod that is looked at', async (t) => {
  const { spread } = await start(t, [CONSTRAINT]);
  const pods = Array.from({ length: 20 }, (_, i) => pendingPod(`p${i}`));
  assert.ok((await countTurns((slices) => spread.apply(pods, slices))) >= 20);
});

test('a pod is compared only with Services that select one of its labels', async (t) => {
  const env = await startTestEnvironment(t, { provider: new FakeCloudProvider() });
  const workloads = new WorkloadCaches(env);
  const stop = new AbortController();
  t.after(() => stop.abort());
  for (const { watched } of workloads.sources) void watched!.cache.start(stop.signal);
  const addService = (name: string, selector: Readonly<Record<string, string>> | undefined, namespace = 'default') =>
    env.create(SERVICES, { metadata: { name, namespace }, spec: { selector, ports: [{ port: 80 }] } } as never);
  for (let i = 0; i < 50; i++) await addService(`s${i}`, { app: `a${i}`, tier: 'web' });
  await addService('by-tier', { tier: 'web' });
  await addService('of-nobody', undefined);
  await addService('elsewhere', { app: 'a7' }, 'kube-system');
  const found = [...workloads.servicesOf('default', { app: 'a7', tier: 'web', other: 'x' })];
  assert.deepEqual(found, [{ app: 'a7', tier: 'web' }, { tier: 'web' }]);
  assert.deepEqual([...workloads.servicesOf('default', {})], []);
});
