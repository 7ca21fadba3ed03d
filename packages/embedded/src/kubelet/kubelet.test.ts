import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { type Client, isNotFound, type Lease, MINUTE, SECOND, VirtualClock } from '@karpenter-ts/runtime';
import { LEASES } from '@karpenter-ts/kubernetes';
import { startCluster } from '../cluster.ts';
import { simulatedNode } from '../simulated-node.ts';
import { findCondition } from '../workloads/kinds/condition.ts';
import { JOBS, type Job } from '../workloads/kinds/job.ts';
import { NODES, type Node } from '../workloads/kinds/node.ts';
import { PODS, type Pod } from '../workloads/kinds/pod.ts';
import type { Faults } from './faults.ts';
import type { KubeletSettings } from './settings.ts';

interface KubeletFixture {
  readonly client: Client;
  readonly clock: VirtualClock;
  readonly faults: Faults;
}

/** A cluster in virtual time with these nodes, some seconds after its start; it stops with the test. */
async function startFixture(
  t: TestContext,
  nodes: readonly string[],
  kubelet: Partial<KubeletSettings> = {},
  prepare?: (faults: Faults) => void,
): Promise<KubeletFixture> {
  const clock = new VirtualClock();
  const { client, faults, stop } = await startCluster({ clock, seed: 1, kubelet });
  t.after(() => clock.runUntil(stop()));
  prepare?.(faults);
  for (const name of nodes) await client.create(NODES, simulatedNode({ name }));
  await clock.advance(2 * SECOND);
  return { client, clock, faults };
}

async function readiness({ client }: KubeletFixture, name: string): Promise<string | undefined> {
  const { status } = await client.get<Node>(NODES, { name });
  return findCondition(status?.conditions, 'Ready')?.status;
}

async function createPod({ client, clock }: KubeletFixture, name: string, spec: object = {}): Promise<void> {
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'default' } };
  await client.create(PODS, { ...pod, spec: { containers: [{ name: 'main', image: 'a' }], ...spec } });
  await clock.advance(2 * SECOND);
}

async function phase({ client }: KubeletFixture, name: string): Promise<string> {
  try {
    const { metadata, status } = await client.get<Pod>(PODS, { name, namespace: 'default' });
    return metadata.deletionTimestamp === undefined ? (status?.phase ?? '') : 'Terminating';
  } catch (error) {
    if (isNotFound(error)) return 'gone';
    throw error;
  }
}

async function deletePod({ client }: KubeletFixture, name: string): Promise<void> {
  await client.delete(PODS, { name, namespace: 'default' });
}

test('a node is ready after its delay and not before', async (t) => {
  const fixture = await startFixture(t, ['a'], { readyDelay: 30 * SECOND });
  assert.equal(await readiness(fixture, 'a'), undefined);
  await fixture.clock.advance(27 * SECOND);
  assert.equal(await readiness(fixture, 'a'), undefined);
  await fixture.clock.advance(3 * SECOND);
  assert.equal(await readiness(fixture, 'a'), 'True');
});

test('a pod runs after its delay', async (t) => {
  const fixture = await startFixture(t, ['a'], { startDelay: 10 * SECOND });
  await createPod(fixture, 'web');
  assert.equal(await phase(fixture, 'web'), 'Pending');
  await fixture.clock.advance(10 * SECOND);
  assert.equal(await phase(fixture, 'web'), 'Running');
});

test('a pod that takes its time to stop has all of it, but not more than its grace period', async (t) => {
  const fixture = await startFixture(t, ['a'], { stopDelay: 20 * SECOND });
  await createPod(fixture, 'patient', { terminationGracePeriodSeconds: 60 });
  await createPod(fixture, 'hurried', { terminationGracePeriodSeconds: 5 });
  await deletePod(fixture, 'patient');
  await deletePod(fixture, 'hurried');
  await fixture.clock.advance(6 * SECOND);
  assert.equal(await phase(fixture, 'hurried'), 'gone');
  assert.equal(await phase(fixture, 'patient'), 'Terminating');
  await fixture.clock.advance(15 * SECOND);
  assert.equal(await phase(fixture, 'patient'), 'gone');
});

test('the pod of a Job succeeds after its delay', async (t) => {
  const fixture = await startFixture(t, ['a'], { completionDelay: 1 * MINUTE });
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'a' }] } };
  const job = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'work', namespace: 'default' },
    spec: { template },
  };
  await fixture.client.create(JOBS, job);
  const status = async (): Promise<Job['status']> => (await fixture.client.get<Job>(JOBS, job.metadata)).status;
  await fixture.clock.advance(50 * SECOND);
  assert.equal((await status())?.active, 1);
  await fixture.clock.advance(15 * SECOND);
  assert.equal((await status())?.succeeded, 1);
});

test('a node that never comes up stays so, until it is healed', async (t) => {
  const fixture = await startFixture(t, ['a'], {}, (faults) => faults.inject('a', { kind: 'never-ready' }));
  await fixture.clock.advance(1 * MINUTE);
  assert.notEqual(await readiness(fixture, 'a'), 'True');
  fixture.faults.heal('a');
  await fixture.clock.advance(10 * SECOND);
  assert.equal(await readiness(fixture, 'a'), 'True');
});

test('a lost node is unknown after a while, keeps its pods until they are driven off, and comes back', async (t) => {
  const fixture = await startFixture(t, ['a', 'b']);
  await createPod(fixture, 'web', { nodeName: 'a' });
  assert.equal(await phase(fixture, 'web'), 'Running');
  fixture.faults.inject('a', { kind: 'lost' });
  await fixture.clock.advance(45 * SECOND);
  assert.equal(await readiness(fixture, 'a'), 'True');
  await fixture.clock.advance(15 * SECOND);
  assert.equal(await readiness(fixture, 'a'), 'Unknown');
  assert.equal(await readiness(fixture, 'b'), 'True');
  await fixture.clock.advance(5 * MINUTE); // tolerated for that long by default
  assert.equal(await phase(fixture, 'web'), 'Terminating');
  fixture.faults.heal('a');
  await fixture.clock.advance(10 * SECOND);
  assert.equal(await readiness(fixture, 'a'), 'True');
  assert.equal(await phase(fixture, 'web'), 'gone');
});

test('pods of a node that comes back in time are ready again', async (t) => {
  const fixture = await startFixture(t, ['a', 'b']);
  await createPod(fixture, 'web', { nodeName: 'a' });
  const isReady = async (): Promise<string | undefined> => {
    const { status } = await fixture.client.get<Pod>(PODS, { name: 'web', namespace: 'default' });
    return findCondition(status?.conditions, 'Ready')?.status;
  };
  fixture.faults.inject('a', { kind: 'lost' });
  await fixture.clock.advance(2 * MINUTE);
  assert.equal(await isReady(), 'False');
  fixture.faults.heal('a');
  await fixture.clock.advance(10 * SECOND);
  assert.equal(await isReady(), 'True');
});

test('a lost node no longer renews its lease', async (t) => {
  const fixture = await startFixture(t, ['a', 'b']);
  const renewed = async (name: string): Promise<string | undefined> =>
    (await fixture.client.get<Lease>(LEASES, { name, namespace: 'kube-node-lease' })).spec?.renewTime;
  fixture.faults.inject('a', { kind: 'lost' });
  const before = [await renewed('a'), await renewed('b')];
  await fixture.clock.advance(30 * SECOND);
  assert.equal(await renewed('a'), before[0]);
  assert.notEqual(await renewed('b'), before[1]);
});

test('a slow drain makes pods use up their time', async (t) => {
  const fixture = await startFixture(t, ['a']);
  await createPod(fixture, 'web', { terminationGracePeriodSeconds: 30 });
  fixture.faults.inject('a', { kind: 'slow-drain', delay: Number.POSITIVE_INFINITY });
  await deletePod(fixture, 'web');
  await fixture.clock.advance(29 * SECOND);
  assert.equal(await phase(fixture, 'web'), 'Terminating');
  await fixture.clock.advance(2 * SECOND);
  assert.equal(await phase(fixture, 'web'), 'gone');
});

test('an unhealthy node says so, and is well when it is healed', async (t) => {
  const fixture = await startFixture(t, ['a', 'b']);
  const condition = { type: 'Ready', status: 'False', reason: 'KubeletNotReady', message: 'container runtime is down' };
  fixture.faults.inject('a', { kind: 'unhealthy', condition });
  await fixture.clock.advance(1 * SECOND);
  assert.equal(await readiness(fixture, 'a'), 'False');
  fixture.faults.heal('a');
  await fixture.clock.advance(1 * SECOND);
  assert.equal(await readiness(fixture, 'a'), 'True');
});

test('a condition of somebody’s health checks stays until they change their mind', async (t) => {
  const fixture = await startFixture(t, ['a']);
  const condition = { type: 'KernelDeadlock', status: 'True', reason: 'Hung', message: 'task blocked' };
  fixture.faults.inject('a', { kind: 'unhealthy', condition });
  await fixture.clock.advance(20 * MINUTE);
  const { status } = await fixture.client.get<Node>(NODES, { name: 'a' });
  assert.equal(findCondition(status?.conditions, 'KernelDeadlock')?.status, 'True');
  assert.equal(findCondition(status?.conditions, 'Ready')?.status, 'True');
});

test('a node with nothing new repeats its status every five minutes', async (t) => {
  const fixture = await startFixture(t, ['a']);
  const beat = async (): Promise<string | undefined> => {
    const { status } = await fixture.client.get<Node>(NODES, { name: 'a' });
    return findCondition(status?.conditions, 'Ready')?.lastHeartbeatTime;
  };
  const first = await beat();
  await fixture.clock.advance(4 * MINUTE);
  assert.equal(await beat(), first);
  await fixture.clock.advance(2 * MINUTE);
  assert.notEqual(await beat(), first);
});
