import assert from 'node:assert/strict';
import { PODS, type TopologySpreadConstraint } from '../../scheduler/kinds/pod.ts';
import type { ContractCase } from '../contract-case.ts';
import { type Arena, inArena, type PodOptions } from './arena.ts';

const ZONE = 'topology.kubernetes.io/zone';
const HOST = 'kubernetes.io/hostname';
const WEB = { app: 'web' };
const UNEVEN = /node\(s\) didn't match pod topology spread constraints[,.]/;

/** Pods spread evenly over zones and nodes. */
export const topologySpreadCases: readonly ContractCase[] = [
  inArena('pods are spread evenly over zones', async (arena) => {
    await arena.zones('z1', 'z2', 'z3');
    const pods = await many(arena, 6, spread({}));
    assert.deepEqual(await arena.placesOf(...pods), { z1: 2, z2: 2, z3: 2 });
  }),
  inArena('a pod waits rather than make the zones uneven', async (arena) => {
    await arena.node('z1', { labels: { [ZONE]: 'z1' }, allocatable: { pods: '1' } });
    await arena.zones('z2');
    const pods = await many(arena, 3, spread({}));
    assert.deepEqual(await arena.placesOf(...pods), { z1: 1, z2: 2 });
    await arena.pod('more', spread({}));
    await arena.complaintOf('more', /1 node\(s\) didn't match pod topology spread constraints[,.]/);
  }),
  inArena('a waiting pod goes when the fuller zone loses one', async (arena) => {
    await arena.node('z1', { labels: { [ZONE]: 'z1' }, allocatable: { pods: '1' } });
    await arena.zones('z2');
    const pods = await many(arena, 3, spread({}));
    await arena.placesOf(...pods);
    await arena.pod('more', spread({}));
    await arena.complaintOf('more', UNEVEN);
    const inZ2 = await firstOn(arena, 'z2', pods);
    await arena.deletePod(inZ2);
    assert.equal(await arena.placeOf('more'), 'z2');
  }),
  inArena('a larger skew is allowed as said', async (arena) => {
    await arena.node('z1', { labels: { [ZONE]: 'z1' }, allocatable: { pods: '0' } });
    await arena.zones('z2');
    const pods = await many(arena, 2, spread({ maxSkew: 2 }));
    assert.deepEqual(await arena.placesOf(...pods), { z2: 2 });
    await arena.pod('more', spread({ maxSkew: 2 }));
    await arena.complaintOf('more', UNEVEN);
  }),
  inArena('a node without the label is no place for a constrained pod', async (arena) => {
    await arena.node('a');
    await arena.pod('pod', spread({}));
    await arena.complaintOf(
      'pod',
      /1 node\(s\) didn't match pod topology spread constraints \(missing required label\)[,.]/,
    );
  }),
  inArena('only pods the selector means are counted', async (arena) => {
    await arena.zones('z1', 'z2');
    for (const pod of ['x', 'y']) await arena.pod(pod, { labels: { app: 'other' }, nodeSelector: { [ZONE]: 'z1' } });
    await arena.placesOf('x', 'y');
    const pods = await many(arena, 4, spread({}));
    assert.deepEqual(await arena.placesOf(...pods), { z1: 2, z2: 2 });
  }),
  inArena('with fewer domains than minDomains the missing ones count as empty', async (arena) => {
    await arena.zones('z1', 'z2');
    const pods = await many(arena, 2, spread({ minDomains: 3 }));
    assert.deepEqual(await arena.placesOf(...pods), { z1: 1, z2: 1 });
    await arena.pod('more', spread({ minDomains: 3 }));
    await arena.complaintOf('more', /2 node\(s\) didn't match pod topology spread constraints[,.]/);
    await arena.zones('z3');
    assert.equal(await arena.placeOf('more'), 'z3');
  }),
  inArena('zones the pod may not go to are no domains', async (arena) => {
    await arena.zones('z1', 'z2');
    await arena.node('z3', { labels: { [ZONE]: 'z3', off: 'limits' } });
    const pods = await many(arena, 4, { ...spread({}), ...notOffLimits() });
    assert.deepEqual(await arena.placesOf(...pods), { z1: 2, z2: 2 });
  }),
  inArena('zones the pod may not go to are domains with nodeAffinityPolicy Ignore', async (arena) => {
    await arena.zones('z1', 'z2');
    await arena.node('z3', { labels: { [ZONE]: 'z3', off: 'limits' } });
    const options = { ...spread({ nodeAffinityPolicy: 'Ignore' }), ...notOffLimits() };
    const pods = await many(arena, 2, options);
    assert.deepEqual(await arena.placesOf(...pods), { z1: 1, z2: 1 });
    await arena.pod('more', options);
    await arena.complaintOf('more', UNEVEN);
  }),
  inArena('zones behind a taint are domains all the same', async (arena) => {
    await arena.zones('z1');
    await arena.node('z2', { labels: { [ZONE]: 'z2' }, taints: [{ key: 'off', effect: 'NoSchedule' }] });
    await arena.pod('first', spread({}));
    assert.equal(await arena.placeOf('first'), 'z1');
    await arena.pod('second', spread({}));
    await arena.complaintOf('second', UNEVEN);
  }),
  inArena('zones behind a taint are no domains with nodeTaintsPolicy Honor', async (arena) => {
    await arena.zones('z1');
    await arena.node('z2', { labels: { [ZONE]: 'z2' }, taints: [{ key: 'off', effect: 'NoSchedule' }] });
    const pods = await many(arena, 3, spread({ nodeTaintsPolicy: 'Honor' }));
    assert.deepEqual(await arena.placesOf(...pods), { z1: 3 });
  }),
  inArena('with matchLabelKeys each version is spread by itself', async (arena) => {
    await arena.zones('z1', 'z2');
    const versioned = (version: string) => ({
      ...spread({ matchLabelKeys: ['version'] }),
      labels: { ...WEB, version },
    });
    await arena.pod('old', { ...versioned('1'), nodeSelector: { [ZONE]: 'z1' } });
    await arena.placeOf('old');
    await arena.changeNode('z2', { spec: { unschedulable: true } });
    await arena.pod('new', versioned('2'));
    assert.equal(await arena.placeOf('new'), 'z1');
    await arena.pod('newer', versioned('2'));
    await arena.complaintOf('newer', UNEVEN);
  }),
  inArena('two constraints both hold: over zones, and over the nodes in them', async (arena) => {
    await arena.zones('z1', 'z2');
    await arena.node('z1-too', { labels: { [ZONE]: 'z1' } });
    await arena.node('z2-too', { labels: { [ZONE]: 'z2' } });
    const pods = await many(arena, 4, both());
    assert.deepEqual(await arena.placesOf(...pods), { z1: 1, z2: 1, 'z1-too': 1, 'z2-too': 1 });
  }),
  inArena('ScheduleAnyway spreads where it can and never holds a pod back', async (arena) => {
    await arena.zones('z1', 'z2');
    const soft = spread({ whenUnsatisfiable: 'ScheduleAnyway' });
    await arena.pod('first', { ...soft, nodeSelector: { [ZONE]: 'z1' } });
    await arena.pod('filler', { requests: { cpu: '2' }, nodeSelector: { [ZONE]: 'z2' } });
    await arena.placesOf('first', 'filler');
    await arena.pod('second', soft);
    assert.equal(await arena.placeOf('second'), 'z2', 'although z1 is emptier');
    await arena.changeNode('z2', { spec: { unschedulable: true } });
    await arena.pod('third', soft);
    await arena.pod('fourth', soft);
    assert.deepEqual(await arena.placesOf('third', 'fourth'), { z1: 2 });
  }),
  inArena('a pod that is being deleted is no longer counted', async (arena) => {
    await arena.zones('z1', 'z2');
    await arena.changeNode('z2', { spec: { unschedulable: true } });
    await arena.pod('first', { ...spread({}), finalizers: ['scheduling.test/hold'] });
    arena.context.defer(() => arena.change(PODS, 'first', { metadata: { finalizers: null } }));
    assert.equal(await arena.placeOf('first'), 'z1');
    await arena.pod('second', spread({}));
    await arena.complaintOf('second', UNEVEN);
    await arena.deletePod('first');
    assert.equal(await arena.placeOf('second'), 'z1');
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
async function many(arena: Arena, count: number, options: PodOptions): Promise<readonly string[]> {
  const names = Array.from({ length: count }, (_, i) => `pod-${i}`);
  for (const name of names) await arena.pod(name, options);
  return names;
}

async function firstOn(arena: Arena, node: string, pods: readonly string[]): Promise<string> {
  for (const pod of pods) if ((await arena.placeOf(pod)) === node) return pod;
  throw new Error(`none of ${pods.join()} is on ${node}`);
}
