import assert from 'node:assert/strict';
import { SECOND } from '@karpenter-ts/runtime';
import { findCondition } from '../../workloads/kinds/condition.ts';
import { NODES, type Node } from '../../workloads/kinds/node.ts';
import { PODS, type Pod } from '../../workloads/kinds/pod.ts';
import { timestamp } from '../../workloads/timestamp.ts';
import type { ContractCase } from '../contract-case.ts';
import { type Yard, yardCase } from './yard.ts';

const BUSY = { key: 'workloads.test/busy', effect: 'NoExecute' };

function keysOf({ spec }: Node, effect: string): readonly string[] {
  return (spec?.taints ?? []).filter((taint) => taint.effect === effect).map(({ key }) => key);
}

/** Says in the kubelet's stead how a node is. */
async function say(yard: Yard, node: string, type: string, status: string): Promise<void> {
  const now = timestamp(yard.context.clock.now());
  const said = {
    type,
    status,
    reason: 'Said',
    message: 'by the case',
    lastHeartbeatTime: now,
    lastTransitionTime: now,
  };
  const body = { status: { conditions: [said] } };
  await yard.context.client.patch(NODES, { name: node }, { type: 'strategic', body }, { subresource: 'status' });
}

function tainted(yard: Yard, node: string, key: string, effect = 'NoSchedule'): Promise<Node> {
  return yard.until<Node>(NODES, node, `has ${key}:${effect}`, (object) => keysOf(object, effect).includes(key));
}

function clean(yard: Yard, node: string, key: string, effect = 'NoSchedule'): Promise<Node> {
  return yard.until<Node>(NODES, node, `has no ${key}:${effect}`, (object) => !keysOf(object, effect).includes(key));
}

async function addTaint(yard: Yard, node: string, added: object): Promise<void> {
  const { spec } = await yard.get<Node>(NODES, node);
  await yard.merge(NODES, node, { spec: { taints: [...(spec?.taints ?? []), added] } });
}

function running(yard: Yard, pod: string): Promise<Pod> {
  return yard.until<Pod>(PODS, pod, 'runs', ({ status }) => status?.phase === 'Running');
}

export const nodeLifecycleCases: readonly ContractCase[] = [
  yardCase('a cordoned node has a taint against new pods until it is open again', async (yard) => {
    const node = await yard.node('a');
    await yard.merge(NODES, node, { spec: { unschedulable: true } });
    await tainted(yard, node, 'node.kubernetes.io/unschedulable');
    await yard.merge(NODES, node, { spec: { unschedulable: null } });
    await clean(yard, node, 'node.kubernetes.io/unschedulable');
  }),

  yardCase('a node that says it is not ready gets no new pods', async (yard) => {
    const node = await yard.node('a', { kubelet: 'none' });
    await say(yard, node, 'Ready', 'False');
    await tainted(yard, node, 'node.kubernetes.io/not-ready');
    await say(yard, node, 'Ready', 'True');
    await clean(yard, node, 'node.kubernetes.io/not-ready');
  }),

  yardCase('each trouble of a node is a taint', async (yard) => {
    const node = await yard.node('a', { kubelet: 'none' });
    for (const [condition, key] of [
      ['MemoryPressure', 'memory-pressure'],
      ['DiskPressure', 'disk-pressure'],
      ['PIDPressure', 'pid-pressure'],
      ['NetworkUnavailable', 'network-unavailable'],
    ] as const) {
      await say(yard, node, 'Ready', 'True'); // again and again, or it is taken for silent, and none of the rest counts
      await say(yard, node, condition, 'True');
      await tainted(yard, node, `node.kubernetes.io/${key}`);
      await say(yard, node, condition, 'False');
      await clean(yard, node, `node.kubernetes.io/${key}`);
    }
  }),

  yardCase('the old names of labels follow the new ones', async (yard) => {
    const node = await yard.node('a', { labels: { 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'arm64' } });
    const { metadata } = await yard.until<Node>(NODES, node, 'has both', (object) =>
      ['os', 'arch'].every((label) => object.metadata.labels?.[`beta.kubernetes.io/${label}`] !== undefined),
    );
    assert.equal(metadata.labels?.['beta.kubernetes.io/os'], 'linux');
    assert.equal(metadata.labels?.['beta.kubernetes.io/arch'], 'arm64');
  }),

  yardCase('a taint against all pods removes those that do not tolerate it', async (yard) => {
    const node = await yard.node('a');
    await yard.pod('leaves');
    await yard.pod('stays', { tolerations: [{ key: BUSY.key, operator: 'Exists' }] });
    await running(yard, 'leaves');
    await running(yard, 'stays');
    const states = await yard.record<Pod>(PODS);
    await addTaint(yard, node, BUSY);
    await yard.untilGone(PODS, 'leaves');
    assert.equal((await yard.get(PODS, 'stays')).metadata.deletionTimestamp, undefined);
    await yard.caughtUp(PODS, states);
    const last = states.findLast(({ object }) => object.metadata.name === 'leaves');
    const target = findCondition(last?.object.status?.conditions, 'DisruptionTarget');
    assert.equal(target?.reason, 'DeletionByTaintManager');
    assert.equal(target?.message, 'Taint manager: deleting due to NoExecute taint');
  }),

  yardCase('a pod that tolerates a taint for a while stays for that long', async (yard) => {
    const node = await yard.node('a');
    await yard.pod('web', {
      tolerations: [{ key: BUSY.key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 3 }],
    });
    await running(yard, 'web');
    const from = yard.context.clock.now();
    await addTaint(yard, node, BUSY);
    await yard.untilGone(PODS, 'web');
    assert.ok(yard.context.clock.now() - from > 2 * SECOND, 'it went at once');
  }),

  yardCase('a pod whose taint is taken away in time stays', async (yard) => {
    const node = await yard.node('a');
    await yard.pod('web', {
      tolerations: [{ key: BUSY.key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 8 }],
    });
    await running(yard, 'web');
    const { spec } = await yard.get<Node>(NODES, node);
    await addTaint(yard, node, BUSY);
    await yard.context.clock.sleep(500);
    await yard.merge(NODES, node, { spec: { taints: spec?.taints } });
    await yard.context.clock.sleep(9 * SECOND);
    assert.equal((await yard.get(PODS, 'web')).metadata.deletionTimestamp, undefined);
  }),

  yardCase('pods are driven off a node that is not ready, and no longer when it is', async (yard) => {
    const labels = { 'topology.kubernetes.io/zone': yard.namespace };
    await yard.node('a', { labels });
    const broken = await yard.node('b', { labels, kubelet: 'none' });
    await say(yard, broken, 'Ready', 'False');
    const { spec } = await tainted(yard, broken, 'node.kubernetes.io/not-ready', 'NoExecute');
    const taint = spec?.taints?.find(({ effect }) => effect === 'NoExecute');
    assert.ok(taint?.timeAdded);
    assert.ok(keysOf({ metadata: { name: '' }, spec } as Node, 'NoSchedule').includes('node.kubernetes.io/not-ready'));
    await say(yard, broken, 'Ready', 'True');
    await clean(yard, broken, 'node.kubernetes.io/not-ready', 'NoExecute');
    await clean(yard, broken, 'node.kubernetes.io/not-ready');
  }),

  yardCase('a node that falls silent is unknown, and its pods are not ready', async (yard) => {
    const labels = { 'topology.kubernetes.io/zone': yard.namespace };
    await yard.node('a', { labels });
    const silent = await yard.node('b', { labels, kubelet: 'none' });
    await say(yard, silent, 'Ready', 'True');
    await clean(yard, silent, 'node.kubernetes.io/not-ready');
    await yard.pod('web', { nodeSelector: { 'kubernetes.io/hostname': silent } });
    await yard.until<Pod>(PODS, 'web', 'is on the node', ({ spec }) => spec.nodeName === silent);
    const now = timestamp(yard.context.clock.now());
    const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: now }];
    const ref = { name: 'web', namespace: yard.namespace };
    const body = { status: { phase: 'Running', conditions } };
    await yard.context.client.patch(PODS, ref, { type: 'strategic', body }, { subresource: 'status' });
    await yard.context.clock.sleep(40 * SECOND);
    const { status } = await yard.until<Node>(
      NODES,
      silent,
      'is unknown',
      (node) => findCondition(node.status?.conditions, 'Ready')?.status === 'Unknown',
    );
    const ready = findCondition(status?.conditions, 'Ready');
    assert.equal(ready?.reason, 'NodeStatusUnknown');
    assert.equal(ready?.message, 'Kubelet stopped posting node status.');
    const memory = findCondition(status?.conditions, 'MemoryPressure');
    assert.equal(memory?.reason, 'NodeStatusNeverUpdated');
    await tainted(yard, silent, 'node.kubernetes.io/unreachable');
    await tainted(yard, silent, 'node.kubernetes.io/unreachable', 'NoExecute');
    await yard.until<Pod>(
      PODS,
      'web',
      'is not ready',
      (pod) => findCondition(pod.status?.conditions, 'Ready')?.status === 'False',
    );
  }),

  yardCase('pods of a node that is gone are removed in the end', async (yard) => {
    const node = await yard.node('a');
    await yard.pod('web');
    await running(yard, 'web');
    const states = await yard.record<Pod>(PODS);
    await yard.delete(NODES, node);
    await yard.context.clock.sleep(45 * SECOND);
    await yard.untilGone(PODS, 'web');
    await yard.caughtUp(PODS, states);
    const last = states.at(-1)?.object;
    assert.equal(last?.status?.phase, 'Failed');
    assert.equal(findCondition(last?.status?.conditions, 'DisruptionTarget')?.reason, 'DeletionByPodGC');
  }),
];
