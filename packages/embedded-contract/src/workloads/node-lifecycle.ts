import assert from 'node:assert/strict';
import { SECOND } from '@karpenter-ts/runtime';
import { findCondition, type Node, NODES, type Pod, PODS, timestamp } from '@karpenter-ts/kubernetes';
import type { ContractCase } from '../contract-case.ts';
import { type WorkloadEnvironment, workloadCase } from './workload-environment.ts';

const BUSY = { key: 'workloads.test/busy', effect: 'NoExecute' };

function keysOf({ spec }: Node, effect: string): readonly string[] {
  return (spec?.taints ?? []).filter((taint) => taint.effect === effect).map(({ key }) => key);
}

/** Says in the kubelet's stead how a node is. */
async function say(env: WorkloadEnvironment, node: string, type: string, status: string): Promise<void> {
  const now = timestamp(env.context.clock.now());
  const said = {
    type,
    status,
    reason: 'Said',
    message: 'by the case',
    lastHeartbeatTime: now,
    lastTransitionTime: now,
  };
  const body = { status: { conditions: [said] } };
  await env.context.client.patch(NODES, { name: node }, { type: 'strategic', body }, { subresource: 'status' });
}

function tainted(env: WorkloadEnvironment, node: string, key: string, effect = 'NoSchedule'): Promise<Node> {
  return env.until<Node>(NODES, node, `has ${key}:${effect}`, (object) => keysOf(object, effect).includes(key));
}

function clean(env: WorkloadEnvironment, node: string, key: string, effect = 'NoSchedule'): Promise<Node> {
  return env.until<Node>(NODES, node, `has no ${key}:${effect}`, (object) => !keysOf(object, effect).includes(key));
}

async function addTaint(env: WorkloadEnvironment, node: string, added: object): Promise<void> {
  const { spec } = await env.get<Node>(NODES, node);
  await env.merge(NODES, node, { spec: { taints: [...(spec?.taints ?? []), added] } });
}

function running(env: WorkloadEnvironment, pod: string): Promise<Pod> {
  return env.until<Pod>(PODS, pod, 'runs', ({ status }) => status?.phase === 'Running');
}

export const nodeLifecycleCases: readonly ContractCase[] = [
  workloadCase('a cordoned node has a taint against new pods until it is open again', async (env) => {
    const node = await env.node('a');
    await env.merge(NODES, node, { spec: { unschedulable: true } });
    await tainted(env, node, 'node.kubernetes.io/unschedulable');
    await env.merge(NODES, node, { spec: { unschedulable: null } });
    await clean(env, node, 'node.kubernetes.io/unschedulable');
  }),

  workloadCase('a node that says it is not ready gets no new pods', async (env) => {
    const node = await env.node('a', { kubelet: 'none' });
    await say(env, node, 'Ready', 'False');
    await tainted(env, node, 'node.kubernetes.io/not-ready');
    await say(env, node, 'Ready', 'True');
    await clean(env, node, 'node.kubernetes.io/not-ready');
  }),

  workloadCase('each trouble of a node is a taint', async (env) => {
    const node = await env.node('a', { kubelet: 'none' });
    for (const [condition, key] of [
      ['MemoryPressure', 'memory-pressure'],
      ['DiskPressure', 'disk-pressure'],
      ['PIDPressure', 'pid-pressure'],
      ['NetworkUnavailable', 'network-unavailable'],
    ] as const) {
      await say(env, node, 'Ready', 'True'); // again and again, or it is taken for silent, and none of the rest counts
      await say(env, node, condition, 'True');
      await tainted(env, node, `node.kubernetes.io/${key}`);
      await say(env, node, condition, 'False');
      await clean(env, node, `node.kubernetes.io/${key}`);
    }
  }),

  workloadCase('the old names of labels follow the new ones', async (env) => {
    const node = await env.node('a', { labels: { 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'arm64' } });
    const { metadata } = await env.until<Node>(NODES, node, 'has both', (object) =>
      ['os', 'arch'].every((label) => object.metadata.labels?.[`beta.kubernetes.io/${label}`] !== undefined),
    );
    assert.equal(metadata.labels?.['beta.kubernetes.io/os'], 'linux');
    assert.equal(metadata.labels?.['beta.kubernetes.io/arch'], 'arm64');
  }),

  workloadCase('a taint against all pods removes those that do not tolerate it', async (env) => {
    const node = await env.node('a');
    await env.pod('leaves');
    await env.pod('stays', { tolerations: [{ key: BUSY.key, operator: 'Exists' }] });
    await running(env, 'leaves');
    await running(env, 'stays');
    const states = await env.record<Pod>(PODS);
    await addTaint(env, node, BUSY);
    await env.untilGone(PODS, 'leaves');
    assert.equal((await env.get(PODS, 'stays')).metadata.deletionTimestamp, undefined);
    await env.caughtUp(PODS, states);
    const last = states.findLast(({ object }) => object.metadata.name === 'leaves');
    const target = findCondition({ status: last?.object.status }, 'DisruptionTarget');
    assert.equal(target?.reason, 'DeletionByTaintManager');
    assert.equal(target?.message, 'Taint manager: deleting due to NoExecute taint');
  }),

  workloadCase('a pod that tolerates a taint for a while stays for that long', async (env) => {
    const node = await env.node('a');
    await env.pod('web', {
      tolerations: [{ key: BUSY.key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 3 }],
    });
    await running(env, 'web');
    const from = env.context.clock.now();
    await addTaint(env, node, BUSY);
    await env.untilGone(PODS, 'web');
    assert.ok(env.context.clock.now() - from > 2 * SECOND, 'it went at once');
  }),

  workloadCase('a pod whose taint is taken away in time stays', async (env) => {
    const node = await env.node('a');
    await env.pod('web', {
      tolerations: [{ key: BUSY.key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 8 }],
    });
    await running(env, 'web');
    const { spec } = await env.get<Node>(NODES, node);
    await addTaint(env, node, BUSY);
    await env.context.clock.sleep(500);
    await env.merge(NODES, node, { spec: { taints: spec?.taints } });
    await env.context.clock.sleep(9 * SECOND);
    assert.equal((await env.get(PODS, 'web')).metadata.deletionTimestamp, undefined);
  }),

  workloadCase('pods are driven off a node that is not ready, and no longer when it is', async (env) => {
    const labels = { 'topology.kubernetes.io/zone': env.namespace };
    await env.node('a', { labels });
    const broken = await env.node('b', { labels, kubelet: 'none' });
    await say(env, broken, 'Ready', 'False');
    const { spec } = await tainted(env, broken, 'node.kubernetes.io/not-ready', 'NoExecute');
    const taint = spec?.taints?.find(({ effect }) => effect === 'NoExecute');
    assert.ok(taint?.timeAdded);
    assert.ok(keysOf({ metadata: { name: '' }, spec }, 'NoSchedule').includes('node.kubernetes.io/not-ready'));
    await say(env, broken, 'Ready', 'True');
    await clean(env, broken, 'node.kubernetes.io/not-ready', 'NoExecute');
    await clean(env, broken, 'node.kubernetes.io/not-ready');
  }),

  workloadCase('a node that falls silent is unknown, and its pods are not ready', async (env) => {
    const labels = { 'topology.kubernetes.io/zone': env.namespace };
    await env.node('a', { labels });
    const silent = await env.node('b', { labels, kubelet: 'none' });
    await say(env, silent, 'Ready', 'True');
    await clean(env, silent, 'node.kubernetes.io/not-ready');
    await env.pod('web', { nodeSelector: { 'kubernetes.io/hostname': silent } });
    await env.until<Pod>(PODS, 'web', 'is on the node', ({ spec }) => spec.nodeName === silent);
    const now = timestamp(env.context.clock.now());
    const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: now }];
    const ref = { name: 'web', namespace: env.namespace };
    const body = { status: { phase: 'Running', conditions } };
    await env.context.client.patch(PODS, ref, { type: 'strategic', body }, { subresource: 'status' });
    await env.context.clock.sleep(40 * SECOND);
    const { status } = await env.until<Node>(
      NODES,
      silent,
      'is unknown',
      (node) => findCondition(node, 'Ready')?.status === 'Unknown',
    );
    const ready = findCondition({ status }, 'Ready');
    assert.equal(ready?.reason, 'NodeStatusUnknown');
    assert.equal(ready?.message, 'Kubelet stopped posting node status.');
    const memory = findCondition({ status }, 'MemoryPressure');
    assert.equal(memory?.reason, 'NodeStatusNeverUpdated');
    await tainted(env, silent, 'node.kubernetes.io/unreachable');
    await tainted(env, silent, 'node.kubernetes.io/unreachable', 'NoExecute');
    await env.until<Pod>(PODS, 'web', 'is not ready', (pod) => findCondition(pod, 'Ready')?.status === 'False');
  }),

  workloadCase('pods of a node that is gone are removed in the end', async (env) => {
    const node = await env.node('a');
    await env.pod('web');
    await running(env, 'web');
    const states = await env.record<Pod>(PODS);
    await env.delete(NODES, node);
    await env.context.clock.sleep(45 * SECOND);
    await env.untilGone(PODS, 'web');
    await env.caughtUp(PODS, states);
    const last = states.at(-1)?.object;
    assert.equal(last?.status?.phase, 'Failed');
    assert.equal(findCondition({ status: last?.status }, 'DisruptionTarget')?.reason, 'DeletionByPodGC');
  }),
];
