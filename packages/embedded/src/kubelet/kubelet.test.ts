import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { type Client, isNotFound, MINUTE, SECOND, VirtualClock } from '@karpenter-ts/runtime';
import { type Job, JOBS, type Lease, LEASES, type Node, NODES, type Pod, PODS } from '@karpenter-ts/kubernetes';
import { startCluster } from '../cluster.ts';
import { simulatedNode } from '../simulated-node.ts';
import { findCondition } from '../workloads/conditions.ts';
import type { Faults } from './faults.ts';
import type { KubeletSettings } from './settings.ts';

interface KubeletEnvironment {
  readonly client: Client;
  readonly clock: VirtualClock;
  readonly faults: Faults;
}

/** A cluster in virtual time with these nodes, some seconds after its start; it stops with the test. */
async function startEnvironment(
  t: TestContext,
  nodes: readonly string[],
  kubelet: Partial<KubeletSettings> = {},
  prepare?: (faults: Faults) => void,
): Promise<KubeletEnvironment> {
  const clock = new VirtualClock();
  const { client, faults, stop } = await startCluster({ clock, seed: 1, kubelet });
  t.after(() => clock.runUntil(stop()));
  prepare?.(faults);
  for (const name of nodes) await client.create(NODES, simulatedNode({ name }));
  await clock.advance(2 * SECOND);
  return { client, clock, faults };
}

async function readiness({ client }: KubeletEnvironment, name: string): Promise<string | undefined> {
  const { status } = await client.get<Node>(NODES, { name });
  return findCondition(status?.conditions, 'Ready')?.status;
}

async function createPod({ client, clock }: KubeletEnvironment, name: string, spec: object = {}): Promise<void> {
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'default' } };
  await client.create(PODS, { ...pod, spec: { containers: [{ name: 'main', image: 'a' }], ...spec } });
  await clock.advance(2 * SECOND);
}

async function phase({ client }: KubeletEnvironment, name: string): Promise<string> {
  try {
    const { metadata, status } = await client.get<Pod>(PODS, { name, namespace: 'default' });
    return metadata.deletionTimestamp === undefined ? (status?.phase ?? '') : 'Terminating';
  } catch (error) {
    if (isNotFound(error)) return 'gone';
    throw error;
  }
}

async function deletePod({ client }: KubeletEnvironment, name: string): Promise<void> {
  await client.delete(PODS, { name, namespace: 'default' });
}

test('a node is ready after its delay and not before', async (t) => {
  const env = await startEnvironment(t, ['a'], { readyDelay: 30 * SECOND });
  assert.equal(await readiness(env, 'a'), undefined);
  await env.clock.advance(27 * SECOND);
  assert.equal(await readiness(env, 'a'), undefined);
  await env.clock.advance(3 * SECOND);
  assert.equal(await readiness(env, 'a'), 'True');
});

test('a pod runs after its delay', async (t) => {
  const env = await startEnvironment(t, ['a'], { startDelay: 10 * SECOND });
  await createPod(env, 'web');
  assert.equal(await phase(env, 'web'), 'Pending');
  await env.clock.advance(10 * SECOND);
  assert.equal(await phase(env, 'web'), 'Running');
});

test('a pod that takes its time to stop has all of it, but not more than its grace period', async (t) => {
  const env = await startEnvironment(t, ['a'], { stopDelay: 20 * SECOND });
  await createPod(env, 'patient', { terminationGracePeriodSeconds: 60 });
  await createPod(env, 'hurried', { terminationGracePeriodSeconds: 5 });
  await deletePod(env, 'patient');
  await deletePod(env, 'hurried');
  await env.clock.advance(6 * SECOND);
  assert.equal(await phase(env, 'hurried'), 'gone');
  assert.equal(await phase(env, 'patient'), 'Terminating');
  await env.clock.advance(15 * SECOND);
  assert.equal(await phase(env, 'patient'), 'gone');
});

test('the pod of a Job succeeds after its delay', async (t) => {
  const env = await startEnvironment(t, ['a'], { completionDelay: 1 * MINUTE });
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'a' }] } };
  const job = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'work', namespace: 'default' },
    spec: { template },
  };
  await env.client.create(JOBS, job);
  const status = async (): Promise<Job['status']> => (await env.client.get<Job>(JOBS, job.metadata)).status;
  await env.clock.advance(50 * SECOND);
  assert.equal((await status())?.active, 1);
  await env.clock.advance(15 * SECOND);
  assert.equal((await status())?.succeeded, 1);
});

test('a node that never comes up stays so, until it is healed', async (t) => {
  const env = await startEnvironment(t, ['a'], {}, (faults) => faults.inject('a', { kind: 'never-ready' }));
  await env.clock.advance(1 * MINUTE);
  assert.notEqual(await readiness(env, 'a'), 'True');
  env.faults.heal('a');
  await env.clock.advance(10 * SECOND);
  assert.equal(await readiness(env, 'a'), 'True');
});

test('a lost node is unknown after a while, keeps its pods until they are driven off, and comes back', async (t) => {
  const env = await startEnvironment(t, ['a', 'b']);
  await createPod(env, 'web', { nodeName: 'a' });
  assert.equal(await phase(env, 'web'), 'Running');
  env.faults.inject('a', { kind: 'lost' });
  await env.clock.advance(45 * SECOND);
  assert.equal(await readiness(env, 'a'), 'True');
  await env.clock.advance(15 * SECOND);
  assert.equal(await readiness(env, 'a'), 'Unknown');
  assert.equal(await readiness(env, 'b'), 'True');
  await env.clock.advance(5 * MINUTE); // tolerated for that long by default
  assert.equal(await phase(env, 'web'), 'Terminating');
  env.faults.heal('a');
  await env.clock.advance(10 * SECOND);
  assert.equal(await readiness(env, 'a'), 'True');
  assert.equal(await phase(env, 'web'), 'gone');
});

test('pods of a node that comes back in time are ready again', async (t) => {
  const env = await startEnvironment(t, ['a', 'b']);
  await createPod(env, 'web', { nodeName: 'a' });
  const isReady = async (): Promise<string | undefined> => {
    const { status } = await env.client.get<Pod>(PODS, { name: 'web', namespace: 'default' });
    return findCondition(status?.conditions, 'Ready')?.status;
  };
  env.faults.inject('a', { kind: 'lost' });
  await env.clock.advance(2 * MINUTE);
  assert.equal(await isReady(), 'False');
  env.faults.heal('a');
  await env.clock.advance(10 * SECOND);
  assert.equal(await isReady(), 'True');
});

test('a lost node no longer renews its lease', async (t) => {
  const env = await startEnvironment(t, ['a', 'b']);
  const renewed = async (name: string): Promise<string | undefined> =>
    (await env.client.get<Lease>(LEASES, { name, namespace: 'kube-node-lease' })).spec?.renewTime;
  env.faults.inject('a', { kind: 'lost' });
  const before = [await renewed('a'), await renewed('b')];
  await env.clock.advance(30 * SECOND);
  assert.equal(await renewed('a'), before[0]);
  assert.notEqual(await renewed('b'), before[1]);
});

test('a slow drain makes pods use up their time', async (t) => {
  const env = await startEnvironment(t, ['a']);
  await createPod(env, 'web', { terminationGracePeriodSeconds: 30 });
  env.faults.inject('a', { kind: 'slow-drain', delay: Number.POSITIVE_INFINITY });
  await deletePod(env, 'web');
  await env.clock.advance(29 * SECOND);
  assert.equal(await phase(env, 'web'), 'Terminating');
  await env.clock.advance(2 * SECOND);
  assert.equal(await phase(env, 'web'), 'gone');
});

test('an unhealthy node says so, and is well when it is healed', async (t) => {
  const env = await startEnvironment(t, ['a', 'b']);
  const condition = { type: 'Ready', status: 'False', reason: 'KubeletNotReady', message: 'container runtime is down' };
  env.faults.inject('a', { kind: 'unhealthy', condition });
  await env.clock.advance(1 * SECOND);
  assert.equal(await readiness(env, 'a'), 'False');
  env.faults.heal('a');
  await env.clock.advance(1 * SECOND);
  assert.equal(await readiness(env, 'a'), 'True');
});

test('a condition of somebody’s health checks stays until they change their mind', async (t) => {
  const env = await startEnvironment(t, ['a']);
  const condition = { type: 'KernelDeadlock', status: 'True', reason: 'Hung', message: 'task blocked' };
  env.faults.inject('a', { kind: 'unhealthy', condition });
  await env.clock.advance(20 * MINUTE);
  const { status } = await env.client.get<Node>(NODES, { name: 'a' });
  assert.equal(findCondition(status?.conditions, 'KernelDeadlock')?.status, 'True');
  assert.equal(findCondition(status?.conditions, 'Ready')?.status, 'True');
});

test('a node with nothing new repeats its status every five minutes', async (t) => {
  const env = await startEnvironment(t, ['a']);
  const beat = async (): Promise<string | undefined> => {
    const { status } = await env.client.get<Node>(NODES, { name: 'a' });
    return findCondition(status?.conditions, 'Ready')?.lastHeartbeatTime;
  };
  const first = await beat();
  await env.clock.advance(4 * MINUTE);
  assert.equal(await beat(), first);
  await env.clock.advance(2 * MINUTE);
  assert.notEqual(await beat(), first);
});
