import assert from 'node:assert/strict';
import { DAEMON_SETS, type DaemonSet, type DaemonSetStatus } from '../../workloads/kinds/daemon-set.ts';
import { NODES, type Node } from '../../workloads/kinds/node.ts';
import { PODS, type Pod } from '../../workloads/kinds/pod.ts';
import type { ContractCase } from '../contract-case.ts';
import { type Yard, yardCase } from './yard.ts';

const NEXT_IMAGE = { containers: [{ name: 'main', image: 'registry.example/main:2' }] };
const BUSY = { key: 'workloads.test/busy', effect: 'NoSchedule' };

function createSet(yard: Yard, spec: Partial<DaemonSet['spec']> = {}): Promise<DaemonSet> {
  const { template = yard.template({ labels: { app: 'agent' } }), ...rest } = spec;
  const selector = { matchLabels: { app: 'agent' } };
  return yard.create<DaemonSet>(DAEMON_SETS, { metadata: { name: 'agent' }, spec: { selector, template, ...rest } });
}

function settled(yard: Yard, counts: Partial<DaemonSetStatus>): Promise<DaemonSet> {
  return yard.until<DaemonSet>(DAEMON_SETS, 'agent', JSON.stringify(counts), ({ metadata, status }) => {
    const isSame = Object.entries(counts).every(
      ([name, count]) => (status?.[name as keyof DaemonSetStatus] ?? 0) === count,
    );
    return status?.observedGeneration === metadata.generation && isSame;
  });
}

function running(yard: Yard, count: number): Promise<DaemonSet> {
  return settled(yard, { desiredNumberScheduled: count, numberReady: count, updatedNumberScheduled: count });
}

/** The nodes that have a daemon; throws if one has two. */
async function nodesOf(yard: Yard): Promise<ReadonlySet<string | undefined>> {
  const nodes = (await yard.pods('app=agent')).map(({ spec }) => spec.nodeName);
  assert.equal(new Set(nodes).size, nodes.length, 'two daemons on one node');
  return new Set(nodes);
}

async function taint(yard: Yard, node: string, added: readonly object[]): Promise<void> {
  const { spec } = await yard.get<Node>(NODES, node);
  await yard.merge(NODES, node, { spec: { taints: [...(spec?.taints ?? []), ...added] } });
}

export const daemonSetCases: readonly ContractCase[] = [
  yardCase('a DaemonSet runs one pod on each node it selects', async (yard) => {
    const nodes = [await yard.node('a'), await yard.node('b')];
    await createSet(yard);
    const { status } = await running(yard, 2);
    assert.deepEqual(await nodesOf(yard), new Set(nodes));
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

  yardCase('a daemon pod is made for one node and puts up with the troubles of nodes', async (yard) => {
    const node = await yard.node('a');
    await createSet(yard);
    await running(yard, 1);
    const [pod] = await yard.pods('app=agent');
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

  yardCase('a node that comes later gets its daemon, and one that goes is not waited for', async (yard) => {
    await yard.node('a');
    await createSet(yard);
    await running(yard, 1);
    const second = await yard.node('b');
    await running(yard, 2);
    await yard.delete(NODES, second);
    await settled(yard, { desiredNumberScheduled: 1 });
  }),

  yardCase('a DaemonSet follows the labels of nodes', async (yard) => {
    const node = await yard.node('a', { labels: { role: 'edge' } });
    await yard.node('b');
    await createSet(yard, { template: yard.template({ labels: { app: 'agent' }, nodeSelector: { role: 'edge' } }) });
    await running(yard, 1);
    assert.deepEqual(await nodesOf(yard), new Set([node]));
    await yard.merge(NODES, node, { metadata: { labels: { role: null } } });
    await yard.context.until('no pod is left', async () => (await yard.pods('app=agent')).length === 0);
    await settled(yard, { desiredNumberScheduled: 0, currentNumberScheduled: 0, numberMisscheduled: 0 });
  }),

  yardCase('a DaemonSet leaves nodes alone whose taints it does not tolerate', async (yard) => {
    const free = await yard.node('a');
    const busy = await yard.node('b', { taints: [BUSY] });
    await createSet(yard);
    await running(yard, 1);
    assert.deepEqual(await nodesOf(yard), new Set([free]));
    const tolerations = yard.template({ tolerations: [{ key: BUSY.key, operator: 'Exists' }] }).spec.tolerations;
    await yard.merge(DAEMON_SETS, 'agent', { spec: { template: { spec: { tolerations } } } });
    await running(yard, 2);
    assert.deepEqual(await nodesOf(yard), new Set([free, busy]));
  }),

  yardCase('a cordoned node gets its daemon all the same', async (yard) => {
    const node = await yard.node('a', { unschedulable: true });
    await createSet(yard);
    await running(yard, 1);
    assert.deepEqual(await nodesOf(yard), new Set([node]));
  }),

  yardCase('a taint against new pods leaves the daemon where it is, out of place', async (yard) => {
    const node = await yard.node('a');
    await createSet(yard);
    await running(yard, 1);
    await taint(yard, node, [BUSY]);
    // A taint that moves no pod does not make a real controller look; a change of the set does. And it may look before
    // it knows of the taint.
    await yard.context.until('the daemon is out of place', async () => {
      const annotations = { look: String(yard.context.clock.now()) };
      const { status } = await yard.merge<DaemonSet>(DAEMON_SETS, 'agent', { metadata: { annotations } });
      return status?.numberMisscheduled === 1;
    });
    await settled(yard, { desiredNumberScheduled: 0, numberMisscheduled: 1 });
    assert.deepEqual(await nodesOf(yard), new Set([node]));
  }),

  yardCase('a taint against all pods removes the daemon', async (yard) => {
    const node = await yard.node('a');
    await createSet(yard);
    await running(yard, 1);
    await taint(yard, node, [{ ...BUSY, effect: 'NoExecute' }]);
    await yard.context.until('no pod is left', async () => (await yard.pods('app=agent')).length === 0);
    await settled(yard, { desiredNumberScheduled: 0, numberMisscheduled: 0 });
  }),

  yardCase('a daemon that is deleted comes back on its node', async (yard) => {
    const node = await yard.node('a');
    await createSet(yard);
    await running(yard, 1);
    const [first] = await yard.pods('app=agent');
    await yard.delete(PODS, first?.metadata.name ?? '');
    await yard.context.until('another one', async () => {
      const [pod] = await yard.pods('app=agent');
      return pod?.spec.nodeName === node && pod.metadata.uid !== first?.metadata.uid;
    });
  }),

  yardCase('a new template replaces daemons, no more at a time than may be missing', async (yard) => {
    await yard.node('a');
    await yard.node('b');
    await yard.node('c');
    await createSet(yard);
    await running(yard, 3);
    const states = await yard.record<Pod>(PODS);
    await yard.merge(DAEMON_SETS, 'agent', { spec: { template: { spec: NEXT_IMAGE } } });
    await running(yard, 3);
    const images = (await yard.pods('app=agent')).map(({ spec }) => spec.containers[0]?.image);
    assert.ok(images.every((image) => image?.endsWith(':2')));
    await yard.caughtUp(PODS, states);
    const there = new Set<string>();
    const counts = states.map(({ change, object }) => {
      if (change === 'DELETED') there.delete(object.metadata.name);
      else there.add(object.metadata.name);
      return there.size;
    });
    assert.ok(Math.min(...counts.slice(3)) >= 2, 'two daemons were missing at a time');
  }),

  yardCase('with OnDelete a daemon keeps its template until it is deleted', async (yard) => {
    await yard.node('a');
    await createSet(yard, { updateStrategy: { type: 'OnDelete' } });
    await running(yard, 1);
    await yard.merge(DAEMON_SETS, 'agent', { spec: { template: { spec: NEXT_IMAGE } } });
    await settled(yard, { updatedNumberScheduled: 0, numberReady: 1 });
    const [old] = await yard.pods('app=agent');
    await yard.delete(PODS, old?.metadata.name ?? '');
    await running(yard, 1);
  }),

  yardCase('with a surge the new daemon runs before the old one goes', async (yard) => {
    await yard.node('a');
    await createSet(yard, {
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
    });
    await running(yard, 1);
    const states = await yard.record<Pod>(PODS);
    await yard.merge(DAEMON_SETS, 'agent', { spec: { template: { spec: NEXT_IMAGE } } });
    await running(yard, 1);
    await yard.context.until('the old one is gone', async () => states.some(({ change }) => change === 'DELETED'));
    const gone = states.findIndex(({ change }) => change === 'DELETED');
    const isUp = ({ object }: { readonly object: Pod }): boolean =>
      Boolean(object.spec.containers[0]?.image?.endsWith(':2')) && object.status?.phase === 'Running';
    assert.ok(states.slice(0, gone).some(isUp), 'the old daemon went before the new one ran');
  }),
];
