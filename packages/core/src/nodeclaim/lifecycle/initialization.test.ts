import assert from 'node:assert/strict';
import { test } from 'node:test';
import { INITIALIZED_LABEL, NODE_CLAIMS, REQUESTED_DRA_DRIVERS, UNREGISTERED_TAINT } from '@karpenter-ts/apis';
import { NODES, RESOURCE_SLICES, type ResourceSlice } from '@karpenter-ts/kubernetes';
import { type NodeClaimEnvironment, startNodeClaimEnvironment } from '../testing/nodeclaim-environment.ts';

async function initialized(env: NodeClaimEnvironment): Promise<readonly (string | undefined)[]> {
  const condition = await env.condition('Initialized');
  return [condition?.status, condition?.reason, condition?.message];
}

const INITIALIZED = ['True', 'Initialized', ''];

test('03/25 a Node that is not Ready is waited for', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  await env.addRegistered({}, { ready: 'False' });
  assert.deepEqual(await initialized(env), ['Unknown', 'NodeNotReady', 'Node status is NotReady']);
  await env.change(NODES, 'node-of-c1', {
    status: { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }] },
  });
  await env.pass();
  assert.deepEqual(await initialized(env), INITIALIZED);
});

test('03/26 a startup taint is waited for by its name, then the Node is marked', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  await env.addRegistered({ startupTaints: [{ key: 'cni', value: 'x', effect: 'NoSchedule' }] });
  assert.deepEqual(await initialized(env), [
    'Unknown',
    'StartupTaintsExist',
    'StartupTaint "cni=x:NoSchedule" still exists',
  ]);
  await env.change(NODES, 'node-of-c1', { spec: { taints: null } });
  await env.pass();
  assert.deepEqual(await initialized(env), INITIALIZED);
  assert.equal((await env.node()).metadata.labels?.[INITIALIZED_LABEL], 'true');
  const line = env.logger.lines.find(({ message }) => message === 'initialized nodeclaim');
  assert.deepEqual(line?.fields['allocatable'], { cpu: '4', memory: '16Gi', pods: '110' });
});

test('03/27 taints of a starting Node are waited for', async (t) => {
  for (const key of [
    'node.kubernetes.io/not-ready',
    'node.kubernetes.io/unreachable',
    'node.cloudprovider.kubernetes.io/uninitialized',
  ]) {
    const env = await startNodeClaimEnvironment(t);
    await env.addRegistered({}, { taints: [UNREGISTERED_TAINT, { key, effect: 'NoSchedule' }] });
    assert.deepEqual(await initialized(env), [
      'Unknown',
      'KnownEphemeralTaintsExist',
      `KnownEphemeralTaint "${key}:NoSchedule" still exists`,
    ]);
  }
});

test('03/28 taints of the node readiness controller are waited for, whatever their effect', async (t) => {
  for (const effect of ['NoSchedule', 'NoExecute', 'PreferNoSchedule']) {
    const env = await startNodeClaimEnvironment(t);
    await env.addRegistered({}, { taints: [UNREGISTERED_TAINT, { key: 'readiness.k8s.io/x', effect }] });
    assert.equal((await env.condition('Initialized'))?.reason, 'KnownEphemeralTaintsExist');
    await env.change(NODES, 'node-of-c1', { spec: { taints: null } });
    await env.pass();
    assert.deepEqual(await initialized(env), INITIALIZED);
  }
});

test('03/29 a device that is asked for is waited for until its plugin reports it', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  await env.addRegistered({ resources: { requests: { 'fake.com/vendor-a': '1' } } });
  const waiting = ['Unknown', 'ResourceNotRegistered', 'Resource "fake.com/vendor-a" was requested but not registered'];
  assert.deepEqual(await initialized(env), waiting);
  await env.change(NODES, 'node-of-c1', { status: { allocatable: { 'fake.com/vendor-a': '0' } } });
  await env.pass();
  assert.deepEqual(await initialized(env), waiting);
  await env.change(NODES, 'node-of-c1', { status: { allocatable: { 'fake.com/vendor-a': '1' } } });
  await env.pass();
  assert.deepEqual(await initialized(env), INITIALIZED);
});

test('03/30 nothing of a resource is not waited for', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  await env.addRegistered({ resources: { requests: { 'fake.com/vendor-a': '0' } } });
  assert.deepEqual(await initialized(env), INITIALIZED);
});

test('03/31 with resource claims, a driver must have published a whole pool', async (t) => {
  const env = await startNodeClaimEnvironment(t, { options: { ignoreDraRequests: false } });
  await env.run(env.lifecycle);
  await env.addNodeClaim({ annotations: { [REQUESTED_DRA_DRIVERS]: 'gpu.example.com' } });
  await env.addNode();
  assert.deepEqual(await initialized(env), [
    'Unknown',
    'DRADriverPoolsNotPublished',
    'DRA driver "gpu.example.com" has not published a complete resource pool',
  ]);
  const slice: ResourceSlice = {
    metadata: { name: 's1' },
    spec: {
      driver: 'gpu.example.com',
      nodeName: 'node-of-c1',
      pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
    },
  };
  await env.create(RESOURCE_SLICES, slice);
  assert.deepEqual(await initialized(env), INITIALIZED); // the slice itself woke the NodeClaim
});

test('03/34 while resource claims are ignored, and without drivers, no pool is waited for', async (t) => {
  const ignoring = await startNodeClaimEnvironment(t);
  await ignoring.addRegistered({ annotations: { [REQUESTED_DRA_DRIVERS]: 'gpu.example.com' } });
  assert.deepEqual(await initialized(ignoring), INITIALIZED);
  const heeding = await startNodeClaimEnvironment(t, { options: { ignoreDraRequests: false } });
  await heeding.addRegistered({ annotations: { [REQUESTED_DRA_DRIVERS]: '  ' } });
  assert.deepEqual(await initialized(heeding), INITIALIZED);
});

test('03/35 conditions follow the generation of a NodeClaim that is complete', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  const { status } = await env.addRegistered();
  const outdated = status?.conditions?.map((condition) => ({ ...condition, observedGeneration: 0 }));
  await env.change(NODE_CLAIMS, 'c1', { status: { conditions: outdated } });
  await env.pass();
  const { metadata, status: renewed } = await env.nodeClaim();
  for (const { type, observedGeneration } of renewed?.conditions ?? []) {
    assert.equal(observedGeneration, metadata.generation, type);
  }
  assert.equal((await env.condition('Ready'))?.status, 'True');
});

test('03/130 a Node of a NodeClaim that is not registered does not initialize it', async (t) => {
  const hook = { name: 'never', prepare: async () => ({ ready: false as const, requeueAfter: 1000 }) };
  const env = await startNodeClaimEnvironment(t, { registrationHooks: [hook] });
  await env.addRegistered();
  assert.equal((await env.condition('Registered'))?.status, 'Unknown');
  assert.equal((await env.condition('Initialized'))?.reason, 'AwaitingReconciliation');
});

test('01/52 a startup taint is named by key and effect', async (t) => {
  const env = await startNodeClaimEnvironment(t);
  await env.addRegistered({ startupTaints: [{ key: 'example.com/cni', effect: 'NoExecute' }] });
  assert.equal((await env.condition('Initialized'))?.message, 'StartupTaint "example.com/cni:NoExecute" still exists');
});
