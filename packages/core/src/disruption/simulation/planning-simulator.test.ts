import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { INITIALIZED_LABEL, NODE_CLAIMS, NODE_POOLS } from '@karpenter-ts/apis';
import {
  NODES,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  POD_DISRUPTION_BUDGETS,
  type PodDisruptionBudget,
  timestamp,
} from '@karpenter-ts/kubernetes';
import { MINUTE, SECOND } from '@karpenter-ts/runtime';
import { ladder } from '@karpenter-ts/scheduling/testing';
import { pendingPod } from '../../testing/cluster-objects.ts';
import { renderSimulationErrors } from './simulation-text.ts';
import { ConsolidationView } from '../testing/consolidation-view.ts';
import {
  type DisruptionEnvironment,
  NO_BUDGETS,
  startDisruptionEnvironment,
} from '../testing/disruption-environment.ts';

const { signal } = new AbortController();

async function look(env: DisruptionEnvironment, nodeClaim: string): Promise<string | undefined> {
  return (await ConsolidationView.read(env)).look(nodeClaim);
}

/** Nodes `a` and `b` of 4 cpus, and a pod of 1 cpu on `a`; a pod has come to `b` just now. */
async function startBusy(t: TestContext, consolidateAfter: string, replicas?: number) {
  const env = await startDisruptionEnvironment(t, { instanceTypes: ladder(4) });
  await env.addPool();
  const disruption = { ...NO_BUDGETS, consolidateAfter };
  await env.addPool('busy', { disruption, ...(replicas !== undefined && { replicas }) });
  await env.addNode('a');
  await env.addNode('b', { pool: 'busy' });
  await env.change(NODE_CLAIMS, 'b', { status: { lastPodEventTime: timestamp(env.clock.now()) } });
  await env.addPod('p', 'a', { requests: { cpu: '1' } });
  return env;
}

test('04/87 pods are not moved to a node before consolidateAfter has elapsed there', async (t) => {
  const env = await startBusy(t, '1m');
  assert.notEqual(await look(env, 'a'), 'delete');
  await env.clock.advance(1 * MINUTE - 1 * SECOND);
  assert.notEqual(await look(env, 'a'), 'delete');
  await env.clock.advance(1 * SECOND);
  assert.equal(await look(env, 'a'), 'delete');
});

test('04/87 nodes of pools that wait for nothing take pods at any time', async (t) => {
  for (const consolidateAfter of ['0s', 'Never']) {
    assert.equal(await look(await startBusy(t, consolidateAfter), 'a'), 'delete', consolidateAfter);
  }
});

test('04/88 a replacement is not held up by nodes that take no moved pods', async (t) => {
  assert.equal(await look(await startBusy(t, '1m'), 'a'), 'replace by fake-it-1,fake-it-2 spot');
});

test('04/154 nodes of static pools, and of pools that are not ready or deleting, take pods at any time', async (t) => {
  assert.equal(await look(await startBusy(t, '1m', 1), 'a'), 'delete');
  const isNotReady = await startBusy(t, '1m');
  await isNotReady.change(NODE_POOLS, 'busy', { status: { conditions: [] } });
  assert.equal(await look(isNotReady, 'a'), 'delete');
});

test('Drift moves pods to any node', async (t) => {
  const view = await ConsolidationView.read(await startBusy(t, '1m'));
  const candidate = view.candidates.find(({ node }) => node.metadata.name === 'node-of-a');
  const simulation = await view.simulators.for('All').simulate([candidate!], signal);
  assert.ok(simulation !== 'CandidateIsDeleting');
  assert.deepEqual(
    simulation.plan.existingNodes.map(({ node }) => node),
    ['node-of-b'],
  );
  assert.notEqual(view.simulators.for('All'), view.simulators.for('Quiet'));
});

test('one snapshot serves both if no node refuses pods', async (t) => {
  const { simulators } = await ConsolidationView.read(await startBusy(t, '0s'));
  assert.equal(simulators.for('All'), simulators.for('Quiet'));
});

test('04/93 a pod does not move to a node that is not initialized, and prefers those that are', async (t) => {
  const env = await startDisruptionEnvironment(t, { instanceTypes: ladder(4) });
  await env.addPool();
  await env.addNode('a');
  await env.addNode('a-starting', { conditions: [] });
  await env.change(NODES, 'node-of-a-starting', { metadata: { labels: { [INITIALIZED_LABEL]: null } } });
  await env.addPod('p', 'a', { requests: { cpu: '1' } });
  assert.equal(
    await look(env, 'a'),
    'Not all pods would schedule, default/p => would schedule against uninitialized nodeclaim/a-starting, ' +
      'node/node-of-a-starting ',
  );
  await env.addNode('b');
  assert.equal(await look(env, 'a'), 'delete');
});

test('04/164 pods of deleting nodes may go to a node that is not initialized', async (t) => {
  const env = await startDisruptionEnvironment(t, { instanceTypes: ladder(4) });
  await env.addPool();
  for (const name of ['a', 'b', 'gone', 'starting']) await env.addNode(name);
  await env.change(NODES, 'node-of-starting', { metadata: { labels: { [INITIALIZED_LABEL]: null } } });
  await env.addPod('p', 'a', { requests: { cpu: '500m' } });
  await env.addPod('q', 'b', { requests: { cpu: '3' } });
  await env.addPod('displaced', 'gone', { requests: { cpu: '3' } });
  env.cluster.markForDeletion({}, ['fake:///gone']);
  assert.equal(await look(env, 'a'), 'delete');
});

test('04/165 five errors are told, and then how many others there are', () => {
  const texts = [4, 5, 6].map((count) => {
    const errors = Array.from({ length: count }, (_, i) => ({
      pod: pendingPod(`p${i}`),
      kind: 'Unschedulable' as const,
      failure: { why: 'NoPools' as const },
    }));
    return renderSimulationErrors(errors);
  });
  const one = (i: number) => `default/p${i} => no dynamic nodepools found `;
  const all = (count: number) =>
    `not all pods would schedule, ${Array.from({ length: count }, (_, i) => one(i)).join('')}`;
  assert.deepEqual(texts, [all(4), `${all(5)} and 0 other(s)`, `${all(5)} and 1 other(s)`]);
});

test('04/166 the capacity of candidates and of deleting nodes does not count against the limits of their pool', async (t) => {
  const env = await startDisruptionEnvironment(t, { instanceTypes: ladder(4) });
  await env.addPool('default', { limits: { cpu: '4' } });
  for (const name of ['a', 'gone']) await env.addNode(name);
  await env.addPod('p', 'a', { requests: { cpu: '1' } });
  env.cluster.markForDeletion({}, ['fake:///gone']);
  assert.equal(await look(env, 'a'), 'replace by fake-it-1,fake-it-2 spot');
});

test('04/167 a node that the pods of a deleting node need is not consolidated', async (t) => {
  const env = await startDisruptionEnvironment(t, { instanceTypes: ladder(4) });
  await env.addPool();
  for (const name of ['new', 'gone']) await env.addNode(name);
  await env.addPod('displaced', 'gone', { requests: { cpu: '3' } });
  await env.addPod('p', 'new', { requests: { cpu: '100m' } });
  env.cluster.markForDeletion({}, ['fake:///gone']);
  assert.equal(await look(env, 'new'), "Can't replace with a cheaper node");
});

test('04/162 no capacity is bought for pods that may never be evicted', async (t) => {
  const env = await startDisruptionEnvironment(t, { instanceTypes: ladder(4) });
  await env.addPool();
  await env.addNode('gone');
  await env.addNode('a');
  await env.create<PodDisruptionBudget>(POD_DISRUPTION_BUDGETS, {
    metadata: { name: 'never', namespace: 'default' },
    spec: { selector: { matchLabels: { app: 'x' } }, maxUnavailable: 0 },
  });
  await env.addPod('held', 'gone', { labels: { app: 'x' }, requests: { cpu: '3' } });
  await env.addPod('p', 'a', { requests: { cpu: '1' } });
  env.cluster.markForDeletion({}, ['fake:///gone']);
  assert.equal(await look(env, 'a'), 'replace by fake-it-1,fake-it-2 spot');
});

test('a candidate that is marked for deletion is not simulated', async (t) => {
  const env = await startBusy(t, '0s');
  const before = await ConsolidationView.read(env);
  env.cluster.markForDeletion({}, ['fake:///a']);
  const after = await ConsolidationView.read(env);
  const option = await after.find(before.candidates.filter(({ node }) => node.metadata.name === 'node-of-a'));
  assert.deepEqual(option.decision === 'no-op' && option.why, { kind: 'CandidateIsDeleting' });
});

test('a simulation ends when it is aborted, and the next one begins anew', async (t) => {
  const view = await ConsolidationView.read(await startBusy(t, '0s'));
  const [candidate] = view.candidates;
  const reason = new Error('enough');
  await assert.rejects(view.simulators.for('Quiet').simulate([candidate!], AbortSignal.abort(reason)), reason);
  assert.notEqual(await view.simulators.for('Quiet').simulate([candidate!], signal), undefined);
});

test('04/109 a volume on the node itself does not keep its pod there', async (t) => {
  const env = await startDisruptionEnvironment(t, { instanceTypes: ladder(4) });
  await env.addPool();
  await env.addNode('a');
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }];
  await env.create(PERSISTENT_VOLUME_CLAIMS, {
    metadata: { name: 'data', namespace: 'default' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      volumeName: 'local',
      storageClassName: '',
    },
  });
  await env.create(PERSISTENT_VOLUMES, {
    metadata: { name: 'local' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '1Gi' },
      local: { path: '/data' },
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [
            { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['node-of-a'] }] },
          ],
        },
      },
    },
  });
  await env.addPod('p', 'a', { requests: { cpu: '1' }, volumes });
  assert.equal(await look(env, 'a'), 'replace by fake-it-1,fake-it-2 spot');
});
