import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ZONE_LABEL } from '@karpenter-ts/apis';
import { FakeCloudProvider } from '@karpenter-ts/cloudprovider/testing';
import type { SchedulerConfig } from '@karpenter-ts/runtime';
import { REPLICA_SETS, REPLICATION_CONTROLLERS, SERVICES } from '@karpenter-ts/runtime/kinds';
import { pendingPod } from '../../testing/cluster-objects.ts';
import { startRig } from '../../testing/rig.ts';
import { DefaultSpread } from './default-spread.ts';

const CONSTRAINT = { maxSkew: 1, topologyKey: ZONE_LABEL, whenUnsatisfiable: 'ScheduleAnyway' } as const;

async function start(t: TestContext, defaultConstraints: SchedulerConfig['defaultConstraints']) {
  const rig = await startRig(t, {
    provider: new FakeCloudProvider(),
    options: { schedulerConfig: { defaultConstraints } },
  });
  const spread = new DefaultSpread(rig);
  const stop = new AbortController();
  t.after(() => stop.abort());
  for (const { watched } of spread.sources) void watched!.cache.start(stop.signal);
  await rig.clock.settle();
  return { rig, spread };
}

function ownedBy(apiVersion: string, kind: string, name: string) {
  return [{ apiVersion, kind, name, uid: 'uid', controller: true }];
}

test('without default constraints nothing is read and pods are planned as they are', async (t) => {
  const { spread } = await start(t, []);
  const pods = [pendingPod('a')];
  assert.deepEqual(spread.sources, []);
  assert.equal(spread.apply(pods), pods);
});

test('02/104 pods are spread from those their controller and their services select; strays are left alone', async (t) => {
  const { rig, spread } = await start(t, [CONSTRAINT]);
  const template = { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'main', image: 'main:1' }] } };
  const metadata = { name: 'x', namespace: 'default' };
  await rig.create(REPLICA_SETS, { metadata, spec: { selector: { matchLabels: { app: 'x' } }, template } } as never);
  await rig.create(REPLICATION_CONTROLLERS, { metadata, spec: { selector: { app: 'x' }, template } } as never);
  await rig.create(SERVICES, { metadata, spec: { selector: { tier: 'web' }, ports: [{ port: 80 }] } } as never);
  const selectorOf = (pod: ReturnType<typeof pendingPod>) =>
    spread.apply([pod])[0]!.spec.topologySpreadConstraints?.map(({ labelSelector }) => labelSelector);
  const labels = { app: 'x' };
  assert.deepEqual(selectorOf(pendingPod('a', { labels, ownerReferences: ownedBy('apps/v1', 'ReplicaSet', 'x') })), [
    { matchLabels: {}, matchExpressions: [{ key: 'app', operator: 'In', values: ['x'] }] },
  ]);
  const old = ownedBy('v1', 'ReplicationController', 'x');
  assert.deepEqual(selectorOf(pendingPod('b', { labels, ownerReferences: old })), [
    { matchLabels: { app: 'x' }, matchExpressions: [] },
  ]);
  assert.deepEqual(selectorOf(pendingPod('c', { labels: { tier: 'web' } })), [
    { matchLabels: { tier: 'web' }, matchExpressions: [] },
  ]);
  assert.equal(selectorOf(pendingPod('stray', { labels })), undefined);
  assert.equal(
    selectorOf(pendingPod('orphan', { labels, ownerReferences: ownedBy('apps/v1', 'ReplicaSet', 'gone') })),
    undefined,
  );
});
