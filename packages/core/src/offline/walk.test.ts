import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CAPACITY_TYPE_LABEL, CORE_PROFILE, INSTANCE_TYPE_LABEL, type NodeClaim, ZONE_LABEL } from '@karpenter-ts/apis';
import type { Node, Pod } from '@karpenter-ts/kubernetes';
import { defaultsOf, SECOND } from '@karpenter-ts/runtime';
import { fakeType } from '@karpenter-ts/scheduling/testing';
import { operatorOptions } from '../options/operator-options.ts';
import {
  conditionOf,
  launchedNodeClaim,
  pendingPod,
  readyNode,
  readyPool,
  runningPod,
} from '../testing/cluster-objects.ts';
import { runPass, tryMethod } from './controller-pass.ts';
import { METHOD_NAMES } from './methods.ts';
import { OfflineCluster, type OfflineObjects } from './offline-cluster.ts';
import { PlanExecution } from './plan-execution.ts';
import { settle } from './settling.ts';
import { walkToRest } from './walk.ts';

const NOW = Date.UTC(2026, 1, 1);
const SMALL = fakeType('small', { resources: { cpu: '2', memory: '4Gi', pods: '10' } });
const LARGE = fakeType('large', { resources: { cpu: '8', memory: '16Gi', pods: '10' } });
const signal = new AbortController().signal;

const budgetless = readyPool('default', {
  disruption: { consolidateAfter: '0s', consolidationPolicy: 'WhenEmptyOrUnderutilized', budgets: [] },
});

/** A node of a type, bought on demand, that disruption may look at. */
function nodeOf(name: string, type: string): { readonly node: Node; readonly nodeClaim: NodeClaim } {
  const cpu = type === 'large' ? '8' : '2';
  const labels = { [INSTANCE_TYPE_LABEL]: type, [ZONE_LABEL]: 'test-zone-1', [CAPACITY_TYPE_LABEL]: 'on-demand' };
  const parts = { capacity: { cpu, memory: '4Gi', pods: '10' }, labels };
  const claim = launchedNodeClaim(name, parts);
  const conditions = [conditionOf('Launched'), conditionOf('Initialized'), conditionOf('Consolidatable')];
  return {
    node: readyNode(name, parts),
    nodeClaim: { ...claim, status: { ...claim.status, nodeName: `node-of-${name}`, conditions } },
  };
}

function clusterOf(
  nodes: readonly ReturnType<typeof nodeOf>[],
  pods: readonly Pod[],
  parts: Partial<OfflineObjects> = {},
): OfflineCluster {
  return new OfflineCluster({
    now: NOW,
    options: defaultsOf(operatorOptions),
    catalogue: { profile: CORE_PROFILE, instanceTypes: [SMALL, LARGE] },
    nodePools: [budgetless],
    nodes: nodes.map(({ node }) => node),
    nodeClaims: nodes.map(({ nodeClaim }) => nodeClaim),
    pods,
    daemonSets: [],
    namespaces: [],
    disruptionBudgets: [],
    nominated: [],
    markedForDeletion: [],
    ...parts,
  });
}

const placeOf = ({ caches }: OfflineCluster, pod: string) => caches.pods.get(`default/${pod}`)?.spec.nodeName;

test('settling buys nodes for pending pods, which are ready and hold them at once', async () => {
  const cluster = clusterOf([], [pendingPod('a', { requests: { cpu: '1' } })]);
  const bought = await settle(cluster, new PlanExecution(cluster), signal);
  assert.deepEqual(
    bought.map(({ name, instanceType }) => [name, instanceType]),
    [['default-new-001', 'small']],
  );
  assert.equal(placeOf(cluster, 'a'), 'default-new-001');
  const [state] = cluster.model.snapshot().active;
  assert.equal(state?.existing.initialized, true);
});

test('settling removes deleting nodes; their pods move, and what only belonged to them goes', async () => {
  const daemon = runningPod('daemon', 'node-of-old', {
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'd', uid: 'd', controller: true }],
  });
  const cluster = clusterOf(
    [nodeOf('old', 'small'), nodeOf('other', 'large')],
    [runningPod('a', 'node-of-old', { requests: { cpu: '1' } }), daemon],
    { markedForDeletion: ['node-of-old'] },
  );
  assert.deepEqual(await settle(cluster, new PlanExecution(cluster), signal), []);
  assert.equal(placeOf(cluster, 'a'), 'node-of-other');
  assert.equal(cluster.caches.pods.get('default/daemon'), undefined);
  assert.deepEqual(
    cluster.caches.nodes.list().map(({ metadata }) => metadata.name),
    ['node-of-other'],
  );
});

test('a pod that fits nowhere stays pending, and settling ends', async () => {
  const cluster = clusterOf([], [pendingPod('vast', { requests: { cpu: '100' } })]);
  assert.deepEqual(await settle(cluster, new PlanExecution(cluster), signal), []);
  assert.equal(cluster.caches.pods.byIndex('node', '').length, 1);
});

test('commands are carried out until nothing changes, and nodes and price are told before and after', async () => {
  const cluster = clusterOf(
    [nodeOf('empty', 'small'), nodeOf('half', 'large'), nodeOf('full', 'small')],
    [
      runningPod('a', 'node-of-half', { requests: { cpu: '500m' } }),
      runningPod('b', 'node-of-full', { requests: { cpu: '1' } }),
    ],
  );
  const walk = await walkToRest(cluster, METHOD_NAMES, signal);
  assert.equal(walk.end, 'Complete');
  assert.deepEqual(
    walk.steps.map(({ method, decision }) => `${method} ${decision}`),
    ['Emptiness delete', 'SingleNodeConsolidation delete'],
  );
  assert.deepEqual([walk.settledNodes, walk.nodes, walk.pendingPods], [3, 1, 0]);
  assert.ok(walk.endPrice < walk.settledPrice);
  assert.equal(placeOf(cluster, 'a'), 'node-of-full');
});

test('a nominated node stays for now, and goes once the cluster has settled', async () => {
  const nodes = [nodeOf('empty', 'small')];
  const parts = { nominated: ['node-of-empty'] };
  assert.equal(await runPass(clusterOf(nodes, [], parts), METHOD_NAMES, signal), undefined);
  const walk = await walkToRest(clusterOf(nodes, [], parts), METHOD_NAMES, signal);
  assert.deepEqual([walk.commands, walk.nodes], [1, 0]);
});

test('04/129 a budget that closes during the wait stops a command, and the clock shows the wait', async () => {
  const closing = readyPool('default', {
    disruption: {
      consolidateAfter: '0s',
      consolidationPolicy: 'WhenEmptyOrUnderutilized',
      budgets: [{ nodes: '0', schedule: '0 0 * * *', duration: '1h' }],
    },
  });
  const parts = { nodePools: [closing], now: NOW - 10 * SECOND };
  const cluster = clusterOf([nodeOf('empty', 'small')], [], parts);
  const attempt = await tryMethod(cluster, 'Emptiness', signal);
  assert.equal(attempt?.validation.kind === 'Failed' && attempt.validation.failure.category, 'budget');
  assert.equal(cluster.clock.elapsed(), 15 * SECOND);
  assert.equal(await runPass(cluster, METHOD_NAMES, signal), undefined);
});
