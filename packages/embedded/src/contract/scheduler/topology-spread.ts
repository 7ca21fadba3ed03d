import assert from 'node:assert/strict';
import { PODS, type TopologySpreadConstraint } from '../../scheduler/kinds/pod.ts';
import type { ContractCase } from '../contract-case.ts';
import { type SchedulerFixture, schedulerCase, type PodOptions } from './scheduler-fixture.ts';

const ZONE = 'topology.kubernetes.io/zone';
const HOST = 'kubernetes.io/hostname';
const WEB = { app: 'web' };
const UNEVEN = /node\(s\) didn't match pod topology spread constraints[,.]/;

/** Pods spread evenly over zones and nodes. */
export const topologySpreadCases: readonly ContractCase[] = [
  schedulerCase('pods are spread evenly over zones', async (fixture) => {
    await fixture.zones('z1', 'z2', 'z3');
    const pods = await many(fixture, 6, spread({}));
    assert.deepEqual(await fixture.podCounts(...pods), { z1: 2, z2: 2, z3: 2 });
  }),
  schedulerCase('a pod waits rather than make the zones uneven', async (fixture) => {
    await fixture.node('z1', { labels: { [ZONE]: 'z1' }, allocatable: { pods: '1' } });
    await fixture.zones('z2');
    const pods = await many(fixture, 3, spread({}));
    assert.deepEqual(await fixture.podCounts(...pods), { z1: 1, z2: 2 });
    await fixture.pod('more', spread({}));
    await fixture.unschedulableMessage('more', /1 node\(s\) didn't match pod topology spread constraints[,.]/);
  }),
  schedulerCase('a waiting pod goes when the fuller zone loses one', async (fixture) => {
    await fixture.node('z1', { labels: { [ZONE]: 'z1' }, allocatable: { pods: '1' } });
    await fixture.zones('z2');
    const pods = await many(fixture, 3, spread({}));
    await fixture.podCounts(...pods);
    await fixture.pod('more', spread({}));
    await fixture.unschedulableMessage('more', UNEVEN);
    const inZ2 = await firstOn(fixture, 'z2', pods);
    await fixture.deletePod(inZ2);
    assert.equal(await fixture.nodeOf('more'), 'z2');
  }),
  schedulerCase('a larger skew is allowed as said', async (fixture) => {
    await fixture.node('z1', { labels: { [ZONE]: 'z1' }, allocatable: { pods: '0' } });
    await fixture.zones('z2');
    const pods = await many(fixture, 2, spread({ maxSkew: 2 }));
    assert.deepEqual(await fixture.podCounts(...pods), { z2: 2 });
    await fixture.pod('more', spread({ maxSkew: 2 }));
    await fixture.unschedulableMessage('more', UNEVEN);
  }),
  schedulerCase('a node without the label is no place for a constrained pod', async (fixture) => {
    await fixture.node('a');
    await fixture.pod('pod', spread({}));
    await fixture.unschedulableMessage(
      'pod',
      /1 node\(s\) didn't match pod topology spread constraints \(missing required label\)[,.]/,
    );
  }),
  schedulerCase('only pods the selector means are counted', async (fixture) => {
    await fixture.zones('z1', 'z2');
    for (const pod of ['x', 'y']) await fixture.pod(pod, { labels: { app: 'other' }, nodeSelector: { [ZONE]: 'z1' } });
    await fixture.podCounts('x', 'y');
    const pods = await many(fixture, 4, spread({}));
    assert.deepEqual(await fixture.podCounts(...pods), { z1: 2, z2: 2 });
  }),
  schedulerCase('with fewer domains than minDomains the missing ones count as empty', async (fixture) => {
    await fixture.zones('z1', 'z2');
    const pods = await many(fixture, 2, spread({ minDomains: 3 }));
    assert.deepEqual(await fixture.podCounts(...pods), { z1: 1, z2: 1 });
    await fixture.pod('more', spread({ minDomains: 3 }));
    await fixture.unschedulableMessage('more', /2 node\(s\) didn't match pod topology spread constraints[,.]/);
    await fixture.zones('z3');
    assert.equal(await fixture.nodeOf('more'), 'z3');
  }),
  schedulerCase('zones the pod may not go to are no domains', async (fixture) => {
    await fixture.zones('z1', 'z2');
    await fixture.node('z3', { labels: { [ZONE]: 'z3', off: 'limits' } });
    const pods = await many(fixture, 4, { ...spread({}), ...notOffLimits() });
    assert.deepEqual(await fixture.podCounts(...pods), { z1: 2, z2: 2 });
  }),
  schedulerCase('zones the pod may not go to are domains with nodeAffinityPolicy Ignore', async (fixture) => {
    await fixture.zones('z1', 'z2');
    await fixture.node('z3', { labels: { [ZONE]: 'z3', off: 'limits' } });
    const options = { ...spread({ nodeAffinityPolicy: 'Ignore' }), ...notOffLimits() };
    const pods = await many(fixture, 2, options);
    assert.deepEqual(await fixture.podCounts(...pods), { z1: 1, z2: 1 });
    await fixture.pod('more', options);
    await fixture.unschedulableMessage('more', UNEVEN);
  }),
  schedulerCase('zones behind a taint are domains all the same', async (fixture) => {
    await fixture.zones('z1');
    await fixture.node('z2', { labels: { [ZONE]: 'z2' }, taints: [{ key: 'off', effect: 'NoSchedule' }] });
    await fixture.pod('first', spread({}));
    assert.equal(await fixture.nodeOf('first'), 'z1');
    await fixture.pod('second', spread({}));
    await fixture.unschedulableMessage('second', UNEVEN);
  }),
  schedulerCase('zones behind a taint are no domains with nodeTaintsPolicy Honor', async (fixture) => {
    await fixture.zones('z1');
    await fixture.node('z2', { labels: { [ZONE]: 'z2' }, taints: [{ key: 'off', effect: 'NoSchedule' }] });
    const pods = await many(fixture, 3, spread({ nodeTaintsPolicy: 'Honor' }));
    assert.deepEqual(await fixture.podCounts(...pods), { z1: 3 });
  }),
  schedulerCase('with matchLabelKeys each version is spread by itself', async (fixture) => {
    await fixture.zones('z1', 'z2');
    const versioned = (version: string) => ({
      ...spread({ matchLabelKeys: ['version'] }),
      labels: { ...WEB, version },
    });
    await fixture.pod('old', { ...versioned('1'), nodeSelector: { [ZONE]: 'z1' } });
    await fixture.nodeOf('old');
    await fixture.changeNode('z2', { spec: { unschedulable: true } });
    await fixture.pod('new', versioned('2'));
    assert.equal(await fixture.nodeOf('new'), 'z1');
    await fixture.pod('newer', versioned('2'));
    await fixture.unschedulableMessage('newer', UNEVEN);
  }),
  schedulerCase('two constraints both hold: over zones, and over the nodes in them', async (fixture) => {
    await fixture.zones('z1', 'z2');
    await fixture.node('z1-too', { labels: { [ZONE]: 'z1' } });
    await fixture.node('z2-too', { labels: { [ZONE]: 'z2' } });
    const pods = await many(fixture, 4, both());
    assert.deepEqual(await fixture.podCounts(...pods), { z1: 1, z2: 1, 'z1-too': 1, 'z2-too': 1 });
  }),
  schedulerCase('ScheduleAnyway spreads where it can and never holds a pod back', async (fixture) => {
    await fixture.zones('z1', 'z2');
    const soft = spread({ whenUnsatisfiable: 'ScheduleAnyway' });
    await fixture.pod('first', { ...soft, nodeSelector: { [ZONE]: 'z1' } });
    await fixture.pod('filler', { requests: { cpu: '2' }, nodeSelector: { [ZONE]: 'z2' } });
    await fixture.podCounts('first', 'filler');
    await fixture.pod('second', soft);
    assert.equal(await fixture.nodeOf('second'), 'z2', 'although z1 is emptier');
    await fixture.changeNode('z2', { spec: { unschedulable: true } });
    await fixture.pod('third', soft);
    await fixture.pod('fourth', soft);
    assert.deepEqual(await fixture.podCounts('third', 'fourth'), { z1: 2 });
  }),
  schedulerCase('a pod that is being deleted is no longer counted', async (fixture) => {
    await fixture.zones('z1', 'z2');
    await fixture.changeNode('z2', { spec: { unschedulable: true } });
    await fixture.pod('first', { ...spread({}), finalizers: ['scheduling.test/hold'] });
    fixture.context.defer(() => fixture.change(PODS, 'first', { metadata: { finalizers: null } }));
    assert.equal(await fixture.nodeOf('first'), 'z1');
    await fixture.pod('second', spread({}));
    await fixture.unschedulableMessage('second', UNEVEN);
    await fixture.deletePod('first');
    assert.equal(await fixture.nodeOf('second'), 'z1');
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
async function many(fixture: SchedulerFixture, count: number, options: PodOptions): Promise<readonly string[]> {
  const names = Array.from({ length: count }, (_, i) => `pod-${i}`);
  for (const name of names) await fixture.pod(name, options);
  return names;
}

async function firstOn(fixture: SchedulerFixture, node: string, pods: readonly string[]): Promise<string> {
  for (const pod of pods) if ((await fixture.nodeOf(pod)) === node) return pod;
  throw new Error(`none of ${pods.join()} is on ${node}`);
}
