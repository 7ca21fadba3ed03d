import assert from 'node:assert/strict';
import { DAEMON_SETS, type DaemonSet, type DaemonSetStatus } from '../../workloads/kinds/daemon-set.ts';
import { NODES, type Node } from '../../workloads/kinds/node.ts';
import { PODS, type Pod } from '../../workloads/kinds/pod.ts';
import type { ContractCase } from '../contract-case.ts';
import { type WorkloadFixture, workloadCase } from './workload-fixture.ts';

const NEXT_IMAGE = { containers: [{ name: 'main', image: 'registry.example/main:2' }] };
const BUSY = { key: 'workloads.test/busy', effect: 'NoSchedule' };

function createSet(fixture: WorkloadFixture, spec: Partial<DaemonSet['spec']> = {}): Promise<DaemonSet> {
  const { template = fixture.template({ labels: { app: 'agent' } }), ...rest } = spec;
  const selector = { matchLabels: { app: 'agent' } };
  return fixture.create<DaemonSet>(DAEMON_SETS, { metadata: { name: 'agent' }, spec: { selector, template, ...rest } });
}

function settled(fixture: WorkloadFixture, counts: Partial<DaemonSetStatus>): Promise<DaemonSet> {
  return fixture.until<DaemonSet>(DAEMON_SETS, 'agent', JSON.stringify(counts), ({ metadata, status }) => {
    const isSame = Object.entries(counts).every(
      ([name, count]) => (status?.[name as keyof DaemonSetStatus] ?? 0) === count,
    );
    return status?.observedGeneration === metadata.generation && isSame;
  });
}

function running(fixture: WorkloadFixture, count: number): Promise<DaemonSet> {
  return settled(fixture, { desiredNumberScheduled: count, numberReady: count, updatedNumberScheduled: count });
}

/** The nodes that have a daemon; throws if one has two. */
async function nodesOf(fixture: WorkloadFixture): Promise<ReadonlySet<string | undefined>> {
  const nodes = (await fixture.pods('app=agent')).map(({ spec }) => spec.nodeName);
  assert.equal(new Set(nodes).size, nodes.length, 'two daemons on one node');
  return new Set(nodes);
}

async function taint(fixture: WorkloadFixture, node: string, added: readonly object[]): Promise<void> {
  const { spec } = await fixture.get<Node>(NODES, node);
  await fixture.merge(NODES, node, { spec: { taints: [...(spec?.taints ?? []), ...added] } });
}

export const daemonSetCases: readonly ContractCase[] = [
  workloadCase('a DaemonSet runs one pod on each node it selects', async (fixture) => {
    const nodes = [await fixture.node('a'), await fixture.node('b')];
    await createSet(fixture);
    const { status } = await running(fixture, 2);
    assert.deepEqual(await nodesOf(fixture), new Set(nodes));
    assert.deepEqual(status, {
      currentNumberScheduled: 2,
      numberMisscheduled: 0,
      desiredNumberScheduled: 2,
      numberReady: 2,
      observedGeneration: 1,
      updatedNumberScheduled: 2,
      numberAvailable: 2,
    });
  }),

  workloadCase('a daemon pod is made for one node and puts up with the troubles of nodes', async (fixture) => {
    const node = await fixture.node('a');
    await createSet(fixture);
    await running(fixture, 1);
    const [pod] = await fixture.pods('app=agent');
    const required = pod?.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
    assert.deepEqual(required?.nodeSelectorTerms, [
      { matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] },
    ]);
    const tolerated = (pod?.spec.tolerations ?? []).map(({ key, effect = '' }) => `${key}:${effect}`);
    assert.deepEqual(tolerated.slice(1), [
      'node.kubernetes.io/not-ready:NoExecute',
      'node.kubernetes.io/unreachable:NoExecute',
      'node.kubernetes.io/disk-pressure:NoSchedule',
      'node.kubernetes.io/memory-pressure:NoSchedule',
      'node.kubernetes.io/pid-pressure:NoSchedule',
      'node.kubernetes.io/unschedulable:NoSchedule',
    ]);
    assert.ok((pod?.spec.tolerations ?? []).every(({ tolerationSeconds }) => tolerationSeconds === undefined));
    assert.equal(pod?.metadata.generateName, 'agent-');
    assert.ok(pod?.metadata.labels?.['controller-revision-hash']);
  }),

  workloadCase('a node that comes later gets its daemon, and one that goes is not waited for', async (fixture) => {
    await fixture.node('a');
    await createSet(fixture);
    await running(fixture, 1);
    const second = await fixture.node('b');
    await running(fixture, 2);
    await fixture.delete(NODES, second);
    await settled(fixture, { desiredNumberScheduled: 1 });
  }),

  workloadCase('a DaemonSet follows the labels of nodes', async (fixture) => {
    const node = await fixture.node('a', { labels: { role: 'edge' } });
    await fixture.node('b');
    await createSet(fixture, {
      template: fixture.template({ labels: { app: 'agent' }, nodeSelector: { role: 'edge' } }),
    });
    await running(fixture, 1);
    assert.deepEqual(await nodesOf(fixture), new Set([node]));
    await fixture.merge(NODES, node, { metadata: { labels: { role: null } } });
    await fixture.context.until('no pod is left', async () => (await fixture.pods('app=agent')).length === 0);
    await settled(fixture, { desiredNumberScheduled: 0, currentNumberScheduled: 0, numberMisscheduled: 0 });
  }),

  workloadCase('a DaemonSet leaves nodes alone whose taints it does not tolerate', async (fixture) => {
    const free = await fixture.node('a');
    const busy = await fixture.node('b', { taints: [BUSY] });
    await createSet(fixture);
    await running(fixture, 1);
    assert.deepEqual(await nodesOf(fixture), new Set([free]));
    const tolerations = fixture.template({ tolerations: [{ key: BUSY.key, operator: 'Exists' }] }).spec.tolerations;
    await fixture.merge(DAEMON_SETS, 'agent', { spec: { template: { spec: { tolerations } } } });
    await running(fixture, 2);
    assert.deepEqual(await nodesOf(fixture), new Set([free, busy]));
  }),

  workloadCase('a cordoned node gets its daemon all the same', async (fixture) => {
    const node = await fixture.node('a', { unschedulable: true });
    await createSet(fixture);
    await running(fixture, 1);
    assert.deepEqual(await nodesOf(fixture), new Set([node]));
  }),

  workloadCase('a taint against new pods leaves the daemon where it is, out of place', async (fixture) => {
    const node = await fixture.node('a');
    await createSet(fixture);
    await running(fixture, 1);
    await taint(fixture, node, [BUSY]);
    // A taint that moves no pod does not make a real controller look; a change of the set does. And it may look before
    // it knows of the taint.
    await fixture.context.until('the daemon is out of place', async () => {
      const annotations = { look: String(fixture.context.clock.now()) };
      const { status } = await fixture.merge<DaemonSet>(DAEMON_SETS, 'agent', { metadata: { annotations } });
      return status?.numberMisscheduled === 1;
    });
    await settled(fixture, { desiredNumberScheduled: 0, numberMisscheduled: 1 });
    assert.deepEqual(await nodesOf(fixture), new Set([node]));
  }),

  workloadCase('a taint against all pods removes the daemon', async (fixture) => {
    const node = await fixture.node('a');
    await createSet(fixture);
    await running(fixture, 1);
    await taint(fixture, node, [{ ...BUSY, effect: 'NoExecute' }]);
    await fixture.context.until('no pod is left', async () => (await fixture.pods('app=agent')).length === 0);
    await settled(fixture, { desiredNumberScheduled: 0, numberMisscheduled: 0 });
  }),

  workloadCase('a daemon that is deleted comes back on its node', async (fixture) => {
    const node = await fixture.node('a');
    await createSet(fixture);
    await running(fixture, 1);
    const [first] = await fixture.pods('app=agent');
    await fixture.delete(PODS, first?.metadata.name ?? '');
    await fixture.context.until('another one', async () => {
      const [pod] = await fixture.pods('app=agent');
      return pod?.spec.nodeName === node && pod.metadata.uid !== first?.metadata.uid;
    });
  }),

  workloadCase('a new template replaces daemons, no more at a time than may be missing', async (fixture) => {
    await fixture.node('a');
    await fixture.node('b');
    await fixture.node('c');
    await createSet(fixture);
    await running(fixture, 3);
    const states = await fixture.record<Pod>(PODS);
    await fixture.merge(DAEMON_SETS, 'agent', { spec: { template: { spec: NEXT_IMAGE } } });
    await running(fixture, 3);
    const images = (await fixture.pods('app=agent')).map(({ spec }) => spec.containers[0]?.image);
    assert.ok(images.every((image) => image?.endsWith(':2')));
    await fixture.caughtUp(PODS, states);
    const there = new Set<string>();
    const counts = states.map(({ change, object }) => {
      if (change === 'DELETED') there.delete(object.metadata.name);
      else there.add(object.metadata.name);
      return there.size;
    });
    assert.ok(Math.min(...counts.slice(3)) >= 2, 'two daemons were missing at a time');
  }),

  workloadCase('with OnDelete a daemon keeps its template until it is deleted', async (fixture) => {
    await fixture.node('a');
    await createSet(fixture, { updateStrategy: { type: 'OnDelete' } });
    await running(fixture, 1);
    await fixture.merge(DAEMON_SETS, 'agent', { spec: { template: { spec: NEXT_IMAGE } } });
    await settled(fixture, { updatedNumberScheduled: 0, numberReady: 1 });
    const [old] = await fixture.pods('app=agent');
    await fixture.delete(PODS, old?.metadata.name ?? '');
    await running(fixture, 1);
  }),

  workloadCase('with a surge the new daemon runs before the old one goes', async (fixture) => {
    await fixture.node('a');
    await createSet(fixture, {
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
    });
    await running(fixture, 1);
    const states = await fixture.record<Pod>(PODS);
    await fixture.merge(DAEMON_SETS, 'agent', { spec: { template: { spec: NEXT_IMAGE } } });
    await running(fixture, 1);
    await fixture.context.until('the old one is gone', async () => states.some(({ change }) => change === 'DELETED'));
    const gone = states.findIndex(({ change }) => change === 'DELETED');
    const isUp = ({ object }: { readonly object: Pod }): boolean =>
      Boolean(object.spec.containers[0]?.image?.endsWith(':2')) && object.status?.phase === 'Running';
    assert.ok(states.slice(0, gone).some(isUp), 'the old daemon went before the new one ran');
  }),
];
