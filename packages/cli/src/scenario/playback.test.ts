import assert from 'node:assert/strict';
import { test } from 'node:test';
import { customResourceDefinition, NODE_POOLS, RESOURCES } from '@karpenter-ts/apis';
import type { Scenario } from '@karpenter-ts/apis/manifests';
import { simulatedNode, startCluster } from '@karpenter-ts/embedded';
import type { ApiObject, ResourceType } from '@karpenter-ts/kubernetes';
import { HOUR, SECOND } from '@karpenter-ts/runtime';
import { AdjustableClock } from '@karpenter-ts/runtime/testing';
import { play } from './playback.ts';
import type { ScenarioFile } from './scenario-file.ts';

type Spec = Scenario['spec'];

const type = (group: string, plural: string, kind: string, namespaced = true): ResourceType => {
  return { group, version: 'v1', plural, kind, namespaced };
};
const NODES = type('', 'nodes', 'Node', false);
const PODS = type('', 'pods', 'Pod');
const BUDGETS = type('policy', 'poddisruptionbudgets', 'PodDisruptionBudget');
const NODE_CLASSES = { ...type('karpenter.kwok.sh', 'kwoknodeclasses', 'KWOKNodeClass', false), version: 'v1alpha1' };

/** A cluster of three nodes that look like Karpenter's, on which the scenario is played. */
async function startPlay(spec: Spec) {
  const clock = new AdjustableClock();
  const nodes = ['a', 'b', 'c'].map((name) => simulatedNode({ name, labels: { 'karpenter.sh/nodepool': 'default' } }));
  const crds = RESOURCES.kwok.map(customResourceDefinition);
  const cluster = await startCluster({ clock, seed: 1, crds, nodes });
  const told: string[] = [];
  const ending = new AbortController();
  const objects = [{ apiVersion: 'karpenter.kwok.sh/v1alpha1', kind: 'KWOKNodeClass', metadata: { name: 'default' } }];
  const placeOf: ScenarioFile['placeOf'] = (field) => `test.yaml:${field.join('.')}`;
  const file: ScenarioFile = { name: 'test', provider: 'kwok', objects, spec, placeOf };
  const stage = { client: cluster.client, faults: cluster.faults, clock, tell: (text: string) => void told.push(text) };
  const playing = play(file, stage, ending.signal);
  playing.catch(() => undefined);
  return {
    clock,
    cluster,
    told,
    playing,
    names: async (kind: ResourceType) =>
      (await cluster.client.listAll(kind)).items.map(({ metadata }) => metadata.name),
    stop: async () => {
      ending.abort();
      await clock.runUntil(cluster.stop());
    },
  };
}

test('a scenario begins with its objects, its workloads and their budgets', async () => {
  const world = await startPlay({
    workloads: [
      { name: 'web', kind: 'Deployment', replicas: 2, requests: { cpu: '100m' }, maxUnavailable: 1 },
      { name: 'db', kind: 'StatefulSet', replicas: 2 },
      { name: 'agent', kind: 'DaemonSet', replicas: 1, podSpec: { tolerations: [{ operator: 'Exists' }] } },
      { name: 'sums', kind: 'Job', replicas: 2 },
    ],
    steps: [],
  });
  await world.clock.advance(5 * SECOND);
  await world.playing;
  const pods = await world.names(PODS);
  const counts = ['web', 'db', 'agent', 'sums'].map((app) => pods.filter((name) => name.startsWith(app)).length);
  assert.deepEqual(counts, [2, 2, 3, 2]);
  assert.deepEqual(await world.names(BUDGETS), ['web']);
  assert.deepEqual(await world.names(NODE_CLASSES), ['default']);
  await world.stop();
});

test('steps happen at their times, whatever their order in the file', async () => {
  const world = await startPlay({
    workloads: [{ name: 'web', kind: 'Deployment', replicas: 2 }],
    steps: [
      { at: '30s', delete: { workload: 'web' } },
      { at: '10s', scale: { workload: 'web', replicas: 4 } },
      { at: '40s', scale: { workload: 'web', replicas: 9 } },
    ],
  });
  await world.clock.advance(9 * SECOND);
  assert.equal((await world.names(PODS)).length, 2);
  await world.clock.advance(10 * SECOND);
  assert.equal((await world.names(PODS)).length, 4);
  await world.clock.advance(31 * SECOND);
  assert.equal((await world.names(PODS)).length, 0);
  await world.playing;
  assert.deepEqual(world.told, ['web is scaled to 4', 'web is deleted', 'web is gone already']);
  await world.stop();
});

test('nodes are deleted and broken by name, and get well when it is time', async () => {
  const world = await startPlay({
    workloads: [],
    steps: [
      { at: '10s', fault: { kind: 'unhealthy', nodes: 1, for: '20s' } },
      { at: '12s', fault: { kind: 'unhealthy', nodes: 1 } },
      { at: '35s', delete: { nodes: 2, nodePool: 'default' } },
      { at: '36s', delete: { nodes: 1, nodePool: 'other' } },
    ],
  });
  await world.clock.advance(15 * SECOND);
  assert.deepEqual(await readiness(world), { a: 'False', b: 'False', c: 'True' });
  await world.clock.advance(17 * SECOND);
  assert.deepEqual(await readiness(world), { a: 'True', b: 'False', c: 'True' });
  await world.clock.advance(5 * SECOND);
  assert.deepEqual(await world.names(NODES), ['c']); // b is broken, a comes first
  assert.deepEqual(world.told, [
    'node a is broken: unhealthy',
    'node b is broken: unhealthy',
    'node a is well again',
    '2 nodes are deleted',
    '0 nodes are deleted',
  ]);
  await world.stop();
});

test('a NodePool is changed as a merge patch says, and what is not in it stays', async () => {
  const world = await startPlay({
    workloads: [],
    steps: [
      { at: '10s', edit: { nodePool: 'default', spec: { weight: 5 } } },
      { at: '20s', edit: { nodePool: 'other', spec: { weight: 5 } } },
    ],
  });
  const nodeClassRef = { group: 'karpenter.kwok.sh', kind: 'KWOKNodeClass', name: 'default' };
  const spec = { limits: { cpu: '7' }, template: { spec: { nodeClassRef, requirements: [] } } };
  const pool = { apiVersion: 'karpenter.sh/v1', kind: 'NodePool', metadata: { name: 'default' }, spec };
  await world.cluster.client.create(NODE_POOLS, pool);
  await world.clock.advance(25 * SECOND);
  await world.playing;
  const [changed] = (
    await world.cluster.client.listAll<typeof pool & { spec: typeof spec & { weight: number } }>(NODE_POOLS)
  ).items;
  assert.deepEqual([changed?.spec.weight, changed?.spec.limits], [5, { cpu: '7' }]);
  assert.deepEqual(world.told, ['NodePool default is changed: {"weight":5}', 'other is gone already']);
  await world.stop();
});

test('what the cluster does not take is said with its place in the file', async () => {
  const world = await startPlay({
    workloads: [{ name: 'web', kind: 'Deployment', replicas: 1, podSpec: { restartPolicy: 'Sometimes' } }],
    steps: [],
  });
  await world.clock.flush();
  await assert.rejects(
    world.playing,
    /^Error: test\.yaml:spec\.workloads\.0\.podSpec: Deployment\.apps "web" is invalid: \[?spec\.template\.spec\.restartPolicy/,
  );
  await world.stop();
});

test('steps come at their times, though the wall clock is set back or forth meanwhile', async () => {
  for (const by of [-1 * HOUR, 1 * HOUR]) {
    const web = { name: 'web', kind: 'Deployment', replicas: 1 } as const;
    const world = await startPlay({
      workloads: [web],
      steps: [
        { at: '10s', scale: { workload: 'web', replicas: 2 } },
        { at: '20s', scale: { workload: 'web', replicas: 3 } },
      ],
    });
    const count = async () => (await world.names(PODS)).length;
    await world.clock.advance(5 * SECOND);
    world.clock.setWallBy(by);
    await world.clock.advance(10 * SECOND);
    assert.equal(await count(), 2);
    await world.clock.advance(10 * SECOND);
    assert.equal(await count(), 3);
    await world.playing;
    await world.stop();
  }
});

async function readiness({
  cluster,
}: Awaited<ReturnType<typeof startPlay>>): Promise<Readonly<Record<string, string>>> {
  type Node = ApiObject & { readonly status: { readonly conditions: readonly { type: string; status: string }[] } };
  const { items } = await cluster.client.listAll<Node>(NODES);
  const ready = ({ status }: Node) => status.conditions.find((one) => one.type === 'Ready')?.status ?? '';
  return Object.fromEntries(items.map((node) => [node.metadata.name, ready(node)]));
}
