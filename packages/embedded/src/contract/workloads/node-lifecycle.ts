import assert from 'node:assert/strict';
import { SECOND } from '@karpenter-ts/runtime';
import { findCondition } from '../../workloads/kinds/condition.ts';
import { NODES, type Node } from '../../workloads/kinds/node.ts';
import { PODS, type Pod } from '../../workloads/kinds/pod.ts';
import { timestamp } from '@karpenter-ts/kubernetes';
import type { ContractCase } from '../contract-case.ts';
import { type WorkloadFixture, workloadCase } from './workload-fixture.ts';

const BUSY = { key: 'workloads.test/busy', effect: 'NoExecute' };

function keysOf({ spec }: Node, effect: string): readonly string[] {
  return (spec?.taints ?? []).filter((taint) => taint.effect === effect).map(({ key }) => key);
}

/** Says in the kubelet's stead how a node is. */
async function say(fixture: WorkloadFixture, node: string, type: string, status: string): Promise<void> {
  const now = timestamp(fixture.context.clock.now());
  const said = {
    type,
    status,
    reason: 'Said',
    message: 'by the case',
    lastHeartbeatTime: now,
    lastTransitionTime: now,
  };
  const body = { status: { conditions: [said] } };
  await fixture.context.client.patch(NODES, { name: node }, { type: 'strategic', body }, { subresource: 'status' });
}

function tainted(fixture: WorkloadFixture, node: string, key: string, effect = 'NoSchedule'): Promise<Node> {
  return fixture.until<Node>(NODES, node, `has ${key}:${effect}`, (object) => keysOf(object, effect).includes(key));
}

function clean(fixture: WorkloadFixture, node: string, key: string, effect = 'NoSchedule'): Promise<Node> {
  return fixture.until<Node>(NODES, node, `has no ${key}:${effect}`, (object) => !keysOf(object, effect).includes(key));
}

async function addTaint(fixture: WorkloadFixture, node: string, added: object): Promise<void> {
  const { spec } = await fixture.get<Node>(NODES, node);
  await fixture.merge(NODES, node, { spec: { taints: [...(spec?.taints ?? []), added] } });
}

function running(fixture: WorkloadFixture, pod: string): Promise<Pod> {
  return fixture.until<Pod>(PODS, pod, 'runs', ({ status }) => status?.phase === 'Running');
}

export const nodeLifecycleCases: readonly ContractCase[] = [
  workloadCase('a cordoned node has a taint against new pods until it is open again', async (fixture) => {
    const node = await fixture.node('a');
    await fixture.merge(NODES, node, { spec: { unschedulable: true } });
    await tainted(fixture, node, 'node.kubernetes.io/unschedulable');
    await fixture.merge(NODES, node, { spec: { unschedulable: null } });
    await clean(fixture, node, 'node.kubernetes.io/unschedulable');
  }),

  workloadCase('a node that says it is not ready gets no new pods', async (fixture) => {
    const node = await fixture.node('a', { kubelet: 'none' });
    await say(fixture, node, 'Ready', 'False');
    await tainted(fixture, node, 'node.kubernetes.io/not-ready');
    await say(fixture, node, 'Ready', 'True');
    await clean(fixture, node, 'node.kubernetes.io/not-ready');
  }),

  workloadCase('each trouble of a node is a taint', async (fixture) => {
    const node = await fixture.node('a', { kubelet: 'none' });
    for (const [condition, key] of [
      ['MemoryPressure', 'memory-pressure'],
      ['DiskPressure', 'disk-pressure'],
      ['PIDPressure', 'pid-pressure'],
      ['NetworkUnavailable', 'network-unavailable'],
    ] as const) {
      await say(fixture, node, 'Ready', 'True'); // again and again, or it is taken for silent, and none of the rest counts
      await say(fixture, node, condition, 'True');
      await tainted(fixture, node, `node.kubernetes.io/${key}`);
      await say(fixture, node, condition, 'False');
      await clean(fixture, node, `node.kubernetes.io/${key}`);
    }
  }),

  workloadCase('the old names of labels follow the new ones', async (fixture) => {
    const node = await fixture.node('a', { labels: { 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'arm64' } });
    const { metadata } = await fixture.until<Node>(NODES, node, 'has both', (object) =>
      ['os', 'arch'].every((label) => object.metadata.labels?.[`beta.kubernetes.io/${label}`] !== undefined),
    );
    assert.equal(metadata.labels?.['beta.kubernetes.io/os'], 'linux');
    assert.equal(metadata.labels?.['beta.kubernetes.io/arch'], 'arm64');
  }),

  workloadCase('a taint against all pods removes those that do not tolerate it', async (fixture) => {
    const node = await fixture.node('a');
    await fixture.pod('leaves');
    await fixture.pod('stays', { tolerations: [{ key: BUSY.key, operator: 'Exists' }] });
    await running(fixture, 'leaves');
    await running(fixture, 'stays');
    const states = await fixture.record<Pod>(PODS);
    await addTaint(fixture, node, BUSY);
    await fixture.untilGone(PODS, 'leaves');
    assert.equal((await fixture.get(PODS, 'stays')).metadata.deletionTimestamp, undefined);
    await fixture.caughtUp(PODS, states);
    const last = states.findLast(({ object }) => object.metadata.name === 'leaves');
    const target = findCondition(last?.object.status?.conditions, 'DisruptionTarget');
    assert.equal(target?.reason, 'DeletionByTaintManager');
    assert.equal(target?.message, 'Taint manager: deleting due to NoExecute taint');
  }),

  workloadCase('a pod that tolerates a taint for a while stays for that long', async (fixture) => {
    const node = await fixture.node('a');
    await fixture.pod('web', {
      tolerations: [{ key: BUSY.key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 3 }],
    });
    await running(fixture, 'web');
    const from = fixture.context.clock.now();
    await addTaint(fixture, node, BUSY);
    await fixture.untilGone(PODS, 'web');
    assert.ok(fixture.context.clock.now() - from > 2 * SECOND, 'it went at once');
  }),

  workloadCase('a pod whose taint is taken away in time stays', async (fixture) => {
    const node = await fixture.node('a');
    await fixture.pod('web', {
      tolerations: [{ key: BUSY.key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 8 }],
    });
    await running(fixture, 'web');
    const { spec } = await fixture.get<Node>(NODES, node);
    await addTaint(fixture, node, BUSY);
    await fixture.context.clock.sleep(500);
    await fixture.merge(NODES, node, { spec: { taints: spec?.taints } });
    await fixture.context.clock.sleep(9 * SECOND);
    assert.equal((await fixture.get(PODS, 'web')).metadata.deletionTimestamp, undefined);
  }),

  workloadCase('pods are driven off a node that is not ready, and no longer when it is', async (fixture) => {
    const labels = { 'topology.kubernetes.io/zone': fixture.namespace };
    await fixture.node('a', { labels });
    const broken = await fixture.node('b', { labels, kubelet: 'none' });
    await say(fixture, broken, 'Ready', 'False');
    const { spec } = await tainted(fixture, broken, 'node.kubernetes.io/not-ready', 'NoExecute');
    const taint = spec?.taints?.find(({ effect }) => effect === 'NoExecute');
    assert.ok(taint?.timeAdded);
    assert.ok(keysOf({ metadata: { name: '' }, spec } as Node, 'NoSchedule').includes('node.kubernetes.io/not-ready'));
    await say(fixture, broken, 'Ready', 'True');
    await clean(fixture, broken, 'node.kubernetes.io/not-ready', 'NoExecute');
    await clean(fixture, broken, 'node.kubernetes.io/not-ready');
  }),

  workloadCase('a node that falls silent is unknown, and its pods are not ready', async (fixture) => {
    const labels = { 'topology.kubernetes.io/zone': fixture.namespace };
    await fixture.node('a', { labels });
    const silent = await fixture.node('b', { labels, kubelet: 'none' });
    await say(fixture, silent, 'Ready', 'True');
    await clean(fixture, silent, 'node.kubernetes.io/not-ready');
    await fixture.pod('web', { nodeSelector: { 'kubernetes.io/hostname': silent } });
    await fixture.until<Pod>(PODS, 'web', 'is on the node', ({ spec }) => spec.nodeName === silent);
    const now = timestamp(fixture.context.clock.now());
    const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: now }];
    const ref = { name: 'web', namespace: fixture.namespace };
    const body = { status: { phase: 'Running', conditions } };
    await fixture.context.client.patch(PODS, ref, { type: 'strategic', body }, { subresource: 'status' });
    await fixture.context.clock.sleep(40 * SECOND);
    const { status } = await fixture.until<Node>(
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
    await tainted(fixture, silent, 'node.kubernetes.io/unreachable');
    await tainted(fixture, silent, 'node.kubernetes.io/unreachable', 'NoExecute');
    await fixture.until<Pod>(
      PODS,
      'web',
      'is not ready',
      (pod) => findCondition(pod.status?.conditions, 'Ready')?.status === 'False',
    );
  }),

  workloadCase('pods of a node that is gone are removed in the end', async (fixture) => {
    const node = await fixture.node('a');
    await fixture.pod('web');
    await running(fixture, 'web');
    const states = await fixture.record<Pod>(PODS);
    await fixture.delete(NODES, node);
    await fixture.context.clock.sleep(45 * SECOND);
    await fixture.untilGone(PODS, 'web');
    await fixture.caughtUp(PODS, states);
    const last = states.at(-1)?.object;
    assert.equal(last?.status?.phase, 'Failed');
    assert.equal(findCondition(last?.status?.conditions, 'DisruptionTarget')?.reason, 'DeletionByPodGC');
  }),
];
