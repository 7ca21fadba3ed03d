import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type ApiObject,
  DEPLOYMENTS,
  EVENTS,
  NAMESPACES,
  type Node,
  NODES,
  type Pod,
  PODS,
} from '@karpenter-ts/kubernetes';
import {
  Client,
  findConnection,
  HOUR,
  HttpsTransport,
  MINUTE,
  nullLogger,
  realClock,
  SECOND,
  VirtualClock,
} from '@karpenter-ts/runtime';
import { AdjustableClock } from '@karpenter-ts/runtime/testing';
import { type Cluster, startCluster } from './cluster.ts';
import { simulatedNode } from './simulated-node.ts';

async function createDeployment({ client }: Cluster, replicas: number): Promise<void> {
  const labels = { app: 'web' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'app', image: 'app:1' }] } };
  const deployment = {
    metadata: { name: 'web', namespace: 'default' },
    spec: { replicas, selector: { matchLabels: labels }, template },
  };
  await client.create<ApiObject>(DEPLOYMENTS, deployment);
}

async function isReady({ client }: Cluster, name: string): Promise<string | undefined> {
  const { status } = await client.get<Node>(NODES, { name });
  return status?.conditions?.find(({ type }) => type === 'Ready')?.status;
}

/** All that a cluster holds after some time with a rollout and a node that is lost. */
async function live(seed: number): Promise<readonly ApiObject[]> {
  const clock = new VirtualClock();
  const nodes = ['a', 'b', 'c'].map((name) => simulatedNode({ name }));
  const cluster = await startCluster({ clock, seed, nodes });
  const { client } = cluster;
  await createDeployment(cluster, 6);
  await clock.advance(5 * MINUTE);
  cluster.faults.inject('b', { kind: 'lost' });
  const body = { spec: { template: { spec: { terminationGracePeriodSeconds: 5 } } } };
  await client.patch(DEPLOYMENTS, { namespace: 'default', name: 'web' }, { type: 'strategic', body });
  await clock.advance(20 * MINUTE);
  const lists = [];
  for (const type of [NODES, PODS, DEPLOYMENTS, EVENTS]) lists.push((await client.listAll(type)).items);
  await clock.runUntil(cluster.stop());
  return lists.flat();
}

test('equal seeds give equal histories, other seeds others', async () => {
  const first = await live(7);
  assert.ok(first.length > 10);
  assert.deepEqual(await live(7), first);
  assert.notDeepEqual(await live(8), first);
});

test('a cluster in virtual time stands still until its clock moves', async () => {
  const clock = new VirtualClock();
  const cluster = await startCluster({
    clock,
    seed: 1,
    nodes: [simulatedNode({ name: 'a' })],
    kubelet: { readyDelay: 30 * SECOND },
  });
  assert.equal(await isReady(cluster, 'a'), undefined);
  await clock.advance(29 * SECOND);
  assert.notEqual(await isReady(cluster, 'a'), 'True');
  await clock.advance(2 * SECOND);
  assert.equal(await isReady(cluster, 'a'), 'True');
  await clock.runUntil(cluster.stop());
});

test('pods of a lost node are driven off when their patience ends, and run elsewhere', async () => {
  const clock = new VirtualClock();
  const cluster = await startCluster({ clock, seed: 1, nodes: ['a', 'b'].map((name) => simulatedNode({ name })) });
  await createDeployment(cluster, 2);
  await clock.advance(1 * MINUTE);
  cluster.faults.inject('a', { kind: 'lost' });
  await clock.advance(2 * MINUTE);
  assert.equal(await isReady(cluster, 'a'), 'Unknown');
  await clock.advance(10 * MINUTE);
  const { items } = await cluster.client.listAll<Pod>(PODS, { fieldSelector: 'status.phase=Running' });
  const staying = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  assert.deepEqual(
    staying.map(({ spec }) => spec.nodeName),
    ['b', 'b'],
  );
  cluster.faults.heal('a');
  await clock.advance(1 * MINUTE);
  assert.equal(await isReady(cluster, 'a'), 'True');
  await clock.runUntil(cluster.stop());
});

/** Events of this reason there are. */
async function countEvents({ client }: Cluster, reason: string): Promise<number> {
  const { items } = await client.listAll<ApiObject & { readonly reason?: string }>(EVENTS);
  return items.filter((event) => event.reason === reason).length;
}

for (const steady of ['goes on', 'stands still'] as const) {
  test(`an hour of sleep makes no node NotReady, if the steady clock ${steady} meanwhile`, async () => {
    const clock = new AdjustableClock();
    const nodes = ['a', 'b', 'c'].map((name) => simulatedNode({ name }));
    const cluster = await startCluster({ clock, seed: 1, nodes });
    await createDeployment(cluster, 6);
    for (let second = 0; second < 12; second++) {
      await clock.advance(61 * SECOND); // at another point of their rounds each time
      clock.sleepHost(1 * HOUR, steady);
    }
    await clock.advance(2 * MINUTE);
    assert.equal(await isReady(cluster, 'a'), 'True');
    assert.equal(await countEvents(cluster, 'NodeNotReady'), 0);
    const { items } = await cluster.client.listAll<Pod>(PODS);
    assert.equal(items.filter(({ status }) => status?.phase === 'Running').length, 6);
    await clock.runUntil(cluster.stop());
  });
}

for (const by of [-1 * HOUR, 1 * HOUR]) {
  test(`a cluster goes on as ever when the wall clock is set by ${by / HOUR} h`, async () => {
    const clock = new AdjustableClock();
    const kubelet = { readyDelay: 5 * SECOND, startDelay: 5 * SECOND };
    const nodes = ['a', 'b'].map((name) => simulatedNode({ name }));
    const cluster = await startCluster({ clock, seed: 1, nodes, kubelet });
    await clock.advance(1 * SECOND);
    clock.setWallBy(by); // while the nodes come up
    await clock.advance(10 * SECOND);
    assert.equal(await isReady(cluster, 'a'), 'True');
    await createDeployment(cluster, 2);
    await clock.advance(1 * SECOND);
    clock.setWallBy(by); // while the pods start
    await clock.advance(2 * MINUTE);
    assert.equal(await countEvents(cluster, 'NodeNotReady'), 0);
    const running = async () =>
      (await cluster.client.listAll<Pod>(PODS, { fieldSelector: 'status.phase=Running' })).items.filter(
        ({ metadata }) => metadata.deletionTimestamp === undefined,
      );
    assert.equal((await running()).length, 2);

    cluster.faults.inject('a', { kind: 'lost' });
    await clock.advance(2 * MINUTE);
    assert.equal(await isReady(cluster, 'a'), 'Unknown');
    clock.setWallBy(by); // while its pods are waiting to be driven off
    await clock.advance(1 * MINUTE);
    assert.equal(await countEvents(cluster, 'TaintManagerEviction'), 0);
    await clock.advance(9 * MINUTE);
    assert.deepEqual(
      (await running()).map(({ spec }) => spec.nodeName),
      ['b', 'b'],
    );
    await clock.runUntil(cluster.stop());
  });
}

test('a cluster that listens is reached with its kubeconfig, and leaves no file, port or timer', async () => {
  const kubeconfigPath = join(mkdtempSync(join(tmpdir(), 'embedded-')), 'kubeconfig');
  const before = activeResources();
  const cluster = await startCluster({ clock: realClock, seed: 1, listen: { port: 0, kubeconfigPath } });
  assert.equal(statSync(kubeconfigPath).mode & 0o777, 0o600);
  const env = { KUBECONFIG: kubeconfigPath };
  const transport = new HttpsTransport({
    connection: await findConnection({ env }),
    clock: realClock,
    logger: nullLogger,
    env,
  });
  const client = new Client({ transport, clock: realClock, userAgent: 'test' });
  assert.equal((await client.get(NAMESPACES, { name: 'kube-node-lease' })).metadata.name, 'kube-node-lease');
  const watch = client.watch(PODS)[Symbol.asyncIterator]();
  const cut = assert.rejects(watch.next());
  await cluster.stop();
  await cut;
  transport.close();
  assert.equal(existsSync(kubeconfigPath), false);
  await assert.rejects(fetch(cluster.access?.server ?? ''));
  await untilFreed(before);
});

test('a cluster whose kubeconfig cannot be written does not start, and leaves no port open', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'embedded-'));
  const before = activeResources();
  for (const [path, code] of [
    [join(folder, 'none', 'kubeconfig'), 'ENOENT'],
    [folder, 'EEXIST'],
  ] as const) {
    const listen = { port: 0, kubeconfigPath: path };
    await assert.rejects(startCluster({ clock: realClock, seed: 1, listen }), { code });
    await untilFreed(before);
  }
});

/** Sockets take some turns of the event loop to close. */
async function untilFreed(before: readonly string[]): Promise<void> {
  for (let turn = 0; turn < 100 && activeResources().length > before.length; turn++) await nextTurn();
  assert.deepEqual(activeResources(), before);
}

/** What keeps a process alive, of what a cluster could leave. */
function activeResources(): readonly string[] {
  return process
    .getActiveResourcesInfo()
    .filter((name) => name === 'Timeout' || name.startsWith('TCP') || name === 'TLSWrap');
}
