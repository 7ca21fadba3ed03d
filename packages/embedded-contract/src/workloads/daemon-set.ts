import assert from 'node:assert/strict';
import {
  DAEMON_SETS,
  type DaemonSet,
  type DaemonSetStatus,
  type Node,
  NODES,
  type Pod,
  PODS,
} from '@karpenter-ts/kubernetes';
import type { ContractCase } from '../contract-case.ts';
import { type WorkloadEnvironment, workloadCase } from './workload-environment.ts';

const NEXT_IMAGE = { containers: [{ name: 'main', image: 'registry.example/main:2' }] };
const BUSY = { key: 'workloads.test/busy', effect: 'NoSchedule' };

function createSet(env: WorkloadEnvironment, spec: Partial<DaemonSet['spec']> = {}): Promise<DaemonSet> {
  const { template = env.template({ labels: { app: 'agent' } }), ...rest } = spec;
  const selector = { matchLabels: { app: 'agent' } };
  return env.create<DaemonSet>(DAEMON_SETS, { metadata: { name: 'agent' }, spec: { selector, template, ...rest } });
}

function untilStatus(env: WorkloadEnvironment, counts: Partial<DaemonSetStatus>): Promise<DaemonSet> {
  return env.until<DaemonSet>(DAEMON_SETS, 'agent', JSON.stringify(counts), ({ metadata, status }) => {
    const isSame = Object.entries(counts).every(
      ([name, count]) => (status?.[name as keyof DaemonSetStatus] ?? 0) === count,
    );
    return status?.observedGeneration === metadata.generation && isSame;
  });
}

function running(env: WorkloadEnvironment, count: number): Promise<DaemonSet> {
  return untilStatus(env, { desiredNumberScheduled: count, numberReady: count, updatedNumberScheduled: count });
}

/** The nodes that have a daemon; throws if one has two. */
async function nodesOf(env: WorkloadEnvironment): Promise<ReadonlySet<string | undefined>> {
  const nodes = (await env.pods('app=agent')).map(({ spec }) => spec.nodeName);
  assert.equal(new Set(nodes).size, nodes.length, 'two daemons on one node');
  return new Set(nodes);
}

async function taint(env: WorkloadEnvironment, node: string, added: readonly object[]): Promise<void> {
  const { spec } = await env.get<Node>(NODES, node);
  await env.merge(NODES, node, { spec: { taints: [...(spec?.taints ?? []), ...added] } });
}

export const daemonSetCases: readonly ContractCase[] = [
  workloadCase('a DaemonSet runs one pod on each node it selects', async (env) => {
    const nodes = [await env.node('a'), await env.node('b')];
    await createSet(env);
    const { status } = await running(env, 2);
    assert.deepEqual(await nodesOf(env), new Set(nodes));
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

  workloadCase('a daemon pod is made for one node and puts up with the troubles of nodes', async (env) => {
    const node = await env.node('a');
    await createSet(env);
    await running(env, 1);
    const [pod] = await env.pods('app=agent');
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

  workloadCase('a node that comes later gets its daemon, and one that goes is not waited for', async (env) => {
    await env.node('a');
    await createSet(env);
    await running(env, 1);
    const second = await env.node('b');
    await running(env, 2);
    await env.delete(NODES, second);
    await untilStatus(env, { desiredNumberScheduled: 1 });
  }),

  workloadCase('a DaemonSet follows the labels of nodes', async (env) => {
    const node = await env.node('a', { labels: { role: 'edge' } });
    await env.node('b');
    await createSet(env, {
      template: env.template({ labels: { app: 'agent' }, nodeSelector: { role: 'edge' } }),
    });
    await running(env, 1);
    assert.deepEqual(await nodesOf(env), new Set([node]));
    await env.merge(NODES, node, { metadata: { labels: { role: null } } });
    await env.context.until('no pod is left', async () => (await env.pods('app=agent')).length === 0);
    await untilStatus(env, { desiredNumberScheduled: 0, currentNumberScheduled: 0, numberMisscheduled: 0 });
  }),

  workloadCase('a DaemonSet leaves nodes alone whose taints it does not tolerate', async (env) => {
    const free = await env.node('a');
    const busy = await env.node('b', { taints: [BUSY] });
    await createSet(env);
    await running(env, 1);
    assert.deepEqual(await nodesOf(env), new Set([free]));
    const tolerations = env.template({ tolerations: [{ key: BUSY.key, operator: 'Exists' }] }).spec.tolerations;
    await env.merge(DAEMON_SETS, 'agent', { spec: { template: { spec: { tolerations } } } });
    await running(env, 2);
    assert.deepEqual(await nodesOf(env), new Set([free, busy]));
  }),

  workloadCase('a cordoned node gets its daemon all the same', async (env) => {
    const node = await env.node('a', { unschedulable: true });
    await createSet(env);
    await running(env, 1);
    assert.deepEqual(await nodesOf(env), new Set([node]));
  }),

  workloadCase('a taint against new pods leaves the daemon where it is, out of place', async (env) => {
    const node = await env.node('a');
    await createSet(env);
    await running(env, 1);
    await taint(env, node, [BUSY]);
    // A taint that moves no pod does not make a real controller look; a change of the set does. And it may look before
    // it knows of the taint.
    await env.context.until('the daemon is out of place', async () => {
      const annotations = { look: String(env.context.clock.now()) };
      const { status } = await env.merge<DaemonSet>(DAEMON_SETS, 'agent', { metadata: { annotations } });
      return status?.numberMisscheduled === 1;
    });
    await untilStatus(env, { desiredNumberScheduled: 0, numberMisscheduled: 1 });
    assert.deepEqual(await nodesOf(env), new Set([node]));
  }),

  workloadCase('a taint against all pods removes the daemon', async (env) => {
    const node = await env.node('a');
    await createSet(env);
    await running(env, 1);
    await taint(env, node, [{ ...BUSY, effect: 'NoExecute' }]);
    await env.context.until('no pod is left', async () => (await env.pods('app=agent')).length === 0);
    await untilStatus(env, { desiredNumberScheduled: 0, numberMisscheduled: 0 });
  }),

  workloadCase('a daemon that is deleted comes back on its node', async (env) => {
    const node = await env.node('a');
    await createSet(env);
    await running(env, 1);
    const [first] = await env.pods('app=agent');
    await env.delete(PODS, first?.metadata.name ?? '');
    await env.context.until('another one', async () => {
      const [pod] = await env.pods('app=agent');
      return pod?.spec.nodeName === node && pod.metadata.uid !== first?.metadata.uid;
    });
  }),

  workloadCase('a new template replaces daemons, no more at a time than may be missing', async (env) => {
    await env.node('a');
    await env.node('b');
    await env.node('c');
    await createSet(env);
    await running(env, 3);
    const states = await env.record<Pod>(PODS);
    await env.merge(DAEMON_SETS, 'agent', { spec: { template: { spec: NEXT_IMAGE } } });
    await running(env, 3);
    const images = (await env.pods('app=agent')).map(({ spec }) => spec.containers?.[0]?.image);
    assert.ok(images.every((image) => image?.endsWith(':2')));
    await env.caughtUp(PODS, states);
    const there = new Set<string>();
    const counts = states.map(({ change, object }) => {
      if (change === 'DELETED') there.delete(object.metadata.name);
      else there.add(object.metadata.name);
      return there.size;
    });
    assert.ok(Math.min(...counts.slice(3)) >= 2, 'two daemons were missing at a time');
  }),

  workloadCase('with OnDelete a daemon keeps its template until it is deleted', async (env) => {
    await env.node('a');
    await createSet(env, { updateStrategy: { type: 'OnDelete' } });
    await running(env, 1);
    await env.merge(DAEMON_SETS, 'agent', { spec: { template: { spec: NEXT_IMAGE } } });
    await untilStatus(env, { updatedNumberScheduled: 0, numberReady: 1 });
    const [old] = await env.pods('app=agent');
    await env.delete(PODS, old?.metadata.name ?? '');
    await running(env, 1);
  }),

  workloadCase('with a surge the new daemon runs before the old one goes', async (env) => {
    await env.node('a');
    await createSet(env, {
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
    });
    await running(env, 1);
    const states = await env.record<Pod>(PODS);
    await env.merge(DAEMON_SETS, 'agent', { spec: { template: { spec: NEXT_IMAGE } } });
    await running(env, 1);
    await env.context.until('the old one is gone', async () => states.some(({ change }) => change === 'DELETED'));
    const gone = states.findIndex(({ change }) => change === 'DELETED');
    const isUp = ({ object }: { readonly object: Pod }): boolean =>
      Boolean(object.spec.containers?.[0]?.image?.endsWith(':2')) && object.status?.phase === 'Running';
    assert.ok(states.slice(0, gone).some(isUp), 'the old daemon went before the new one ran');
  }),
];
