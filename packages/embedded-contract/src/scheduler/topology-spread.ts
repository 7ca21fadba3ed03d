import assert from 'node:assert/strict';
import { PODS, type TopologySpreadConstraint } from '@karpenter-ts/kubernetes';
import type { ContractCase } from '../contract-case.ts';
import { type SchedulerEnvironment, schedulerCase, type PodOptions } from './scheduler-environment.ts';

const ZONE = 'topology.kubernetes.io/zone';
const HOST = 'kubernetes.io/hostname';
const WEB = { app: 'web' };
const UNEVEN = /node\(s\) didn't match pod topology spread constraints[,.]/;

/** Pods spread evenly over zones and nodes. */
export const topologySpreadCases: readonly ContractCase[] = [
  schedulerCase('pods are spread evenly over zones', async (env) => {
    await env.zones('z1', 'z2', 'z3');
    const pods = await many(env, 6, spread({}));
    assert.deepEqual(await env.podCounts(...pods), { z1: 2, z2: 2, z3: 2 });
  }),
  schedulerCase('a pod waits rather than make the zones uneven', async (env) => {
    await env.node('z1', { labels: { [ZONE]: 'z1' }, allocatable: { pods: '1' } });
    await env.zones('z2');
    const pods = await many(env, 3, spread({}));
    assert.deepEqual(await env.podCounts(...pods), { z1: 1, z2: 2 });
    await env.pod('more', spread({}));
    await env.unschedulableMessage('more', /1 node\(s\) didn't match pod topology spread constraints[,.]/);
  }),
  schedulerCase('a waiting pod goes when the fuller zone loses one', async (env) => {
    await env.node('z1', { labels: { [ZONE]: 'z1' }, allocatable: { pods: '1' } });
    await env.zones('z2');
    const pods = await many(env, 3, spread({}));
    await env.podCounts(...pods);
    await env.pod('more', spread({}));
    await env.unschedulableMessage('more', UNEVEN);
    const inZ2 = await firstOn(env, 'z2', pods);
    await env.deletePod(inZ2);
    assert.equal(await env.nodeOf('more'), 'z2');
  }),
  schedulerCase('a larger skew is allowed as said', async (env) => {
    await env.node('z1', { labels: { [ZONE]: 'z1' }, allocatable: { pods: '0' } });
    await env.zones('z2');
    const pods = await many(env, 2, spread({ maxSkew: 2 }));
    assert.deepEqual(await env.podCounts(...pods), { z2: 2 });
    await env.pod('more', spread({ maxSkew: 2 }));
    await env.unschedulableMessage('more', UNEVEN);
  }),
  schedulerCase('a node without the label is no place for a constrained pod', async (env) => {
    await env.node('a');
    await env.pod('pod', spread({}));
    await env.unschedulableMessage(
      'pod',
      /1 node\(s\) didn't match pod topology spread constraints \(missing required label\)[,.]/,
    );
  }),
  schedulerCase('only pods the selector means are counted', async (env) => {
    await env.zones('z1', 'z2');
    for (const pod of ['x', 'y']) await env.pod(pod, { labels: { app: 'other' }, nodeSelector: { [ZONE]: 'z1' } });
    await env.podCounts('x', 'y');
    const pods = await many(env, 4, spread({}));
    assert.deepEqual(await env.podCounts(...pods), { z1: 2, z2: 2 });
  }),
  schedulerCase('with fewer domains than minDomains the missing ones count as empty', async (env) => {
    await env.zones('z1', 'z2');
    const pods = await many(env, 2, spread({ minDomains: 3 }));
    assert.deepEqual(await env.podCounts(...pods), { z1: 1, z2: 1 });
    await env.pod('more', spread({ minDomains: 3 }));
    await env.unschedulableMessage('more', /2 node\(s\) didn't match pod topology spread constraints[,.]/);
    await env.zones('z3');
    assert.equal(await env.nodeOf('more'), 'z3');
  }),
  schedulerCase('zones the pod may not go to are no domains', async (env) => {
    await env.zones('z1', 'z2');
    await env.node('z3', { labels: { [ZONE]: 'z3', off: 'limits' } });
    const pods = await many(env, 4, { ...spread({}), ...notOffLimits() });
    assert.deepEqual(await env.podCounts(...pods), { z1: 2, z2: 2 });
  }),
  schedulerCase('zones the pod may not go to are domains with nodeAffinityPolicy Ignore', async (env) => {
    await env.zones('z1', 'z2');
    await env.node('z3', { labels: { [ZONE]: 'z3', off: 'limits' } });
    const options = { ...spread({ nodeAffinityPolicy: 'Ignore' }), ...notOffLimits() };
    const pods = await many(env, 2, options);
    assert.deepEqual(await env.podCounts(...pods), { z1: 1, z2: 1 });
    await env.pod('more', options);
    await env.unschedulableMessage('more', UNEVEN);
  }),
  schedulerCase('zones behind a taint are domains all the same', async (env) => {
    await env.zones('z1');
    await env.node('z2', { labels: { [ZONE]: 'z2' }, taints: [{ key: 'off', effect: 'NoSchedule' }] });
    await env.pod('first', spread({}));
    assert.equal(await env.nodeOf('first'), 'z1');
    await env.pod('second', spread({}));
    await env.unschedulableMessage('second', UNEVEN);
  }),
  schedulerCase('zones behind a taint are no domains with nodeTaintsPolicy Honor', async (env) => {
    await env.zones('z1');
    await env.node('z2', { labels: { [ZONE]: 'z2' }, taints: [{ key: 'off', effect: 'NoSchedule' }] });
    const pods = await many(env, 3, spread({ nodeTaintsPolicy: 'Honor' }));
    assert.deepEqual(await env.podCounts(...pods), { z1: 3 });
  }),
  schedulerCase('with matchLabelKeys each version is spread by itself', async (env) => {
    await env.zones('z1', 'z2');
    const versioned = (version: string) => ({
      ...spread({ matchLabelKeys: ['version'] }),
      labels: { ...WEB, version },
    });
    await env.pod('old', { ...versioned('1'), nodeSelector: { [ZONE]: 'z1' } });
    await env.nodeOf('old');
    await env.changeNode('z2', { spec: { unschedulable: true } });
    await env.pod('new', versioned('2'));
    assert.equal(await env.nodeOf('new'), 'z1');
    await env.pod('newer', versioned('2'));
    await env.unschedulableMessage('newer', UNEVEN);
  }),
  schedulerCase('two constraints both hold: over zones, and over the nodes in them', async (env) => {
    await env.zones('z1', 'z2');
    await env.node('z1-too', { labels: { [ZONE]: 'z1' } });
    await env.node('z2-too', { labels: { [ZONE]: 'z2' } });
    const pods = await many(env, 4, both());
    assert.deepEqual(await env.podCounts(...pods), { z1: 1, z2: 1, 'z1-too': 1, 'z2-too': 1 });
  }),
  schedulerCase('ScheduleAnyway spreads where it can and never holds a pod back', async (env) => {
    await env.zones('z1', 'z2');
    const soft = spread({ whenUnsatisfiable: 'ScheduleAnyway' });
    await env.pod('first', { ...soft, nodeSelector: { [ZONE]: 'z1' } });
    await env.pod('filler', { requests: { cpu: '2' }, nodeSelector: { [ZONE]: 'z2' } });
    await env.podCounts('first', 'filler');
    await env.pod('second', soft);
    assert.equal(await env.nodeOf('second'), 'z2', 'although z1 is emptier');
    await env.changeNode('z2', { spec: { unschedulable: true } });
    await env.pod('third', soft);
    await env.pod('fourth', soft);
    assert.deepEqual(await env.podCounts('third', 'fourth'), { z1: 2 });
  }),
  schedulerCase('a pod that is being deleted is no longer counted', async (env) => {
    await env.zones('z1', 'z2');
    await env.changeNode('z2', { spec: { unschedulable: true } });
    await env.pod('first', { ...spread({}), finalizers: ['scheduling.test/hold'] });
    env.context.defer(() => env.change(PODS, 'first', { metadata: { finalizers: null } }));
    assert.equal(await env.nodeOf('first'), 'z1');
    await env.pod('second', spread({}));
    await env.unschedulableMessage('second', UNEVEN);
    await env.deletePod('first');
    assert.equal(await env.nodeOf('second'), 'z1');
  }),
];

function constraint(options: Partial<TopologySpreadConstraint>): TopologySpreadConstraint {
  return {
    maxSkew: 1,
    topologyKey: ZONE,
    whenUnsatisfiable: 'DoNotSchedule',
    labelSelector: { matchLabels: WEB },
    ...options,
  };
}

function spread(options: Partial<TopologySpreadConstraint>): PodOptions {
  return { labels: WEB, topologySpreadConstraints: [constraint(options)] };
}

function both(): PodOptions {
  return { labels: WEB, topologySpreadConstraints: [constraint({}), constraint({ topologyKey: HOST })] };
}

function notOffLimits(): PodOptions {
  const matchExpressions = [{ key: 'off', operator: 'DoesNotExist' }];
  const nodeSelectorTerms = [{ matchExpressions }];
  return { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } } };
}

/** Makes so many pods alike. */
async function many(env: SchedulerEnvironment, count: number, options: PodOptions): Promise<readonly string[]> {
  const names = Array.from({ length: count }, (_, i) => `pod-${i}`);
  for (const name of names) await env.pod(name, options);
  return names;
}

async function firstOn(env: SchedulerEnvironment, node: string, pods: readonly string[]): Promise<string> {
  for (const pod of pods) if ((await env.nodeOf(pod)) === node) return pod;
  throw new Error(`none of ${pods.join()} is on ${node}`);
}
