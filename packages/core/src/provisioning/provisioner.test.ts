import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NODEPOOL_LABEL, nodePoolHash, ZONE_LABEL } from '@karpenter-ts/apis';
import { refuse, slowDown } from '@karpenter-ts/cloudprovider/testing';
import { fakeType, reserved } from '@karpenter-ts/scheduling/testing';
import { MINUTE, SECOND } from '@karpenter-ts/runtime';
import { NODE_CLAIMS, NODE_POOLS } from '@karpenter-ts/apis';
import { PODS } from '@karpenter-ts/kubernetes';
import {
  conditionOf,
  launchedNodeClaim,
  pendingPod,
  plainNode,
  readyNode,
  readyPool,
  runningPod,
} from '../testing/cluster-objects.ts';
import { renderPodFailure } from '../state/pod-failure.ts';
import { metricsPage } from '../testing/metrics-page.ts';
import { makeNodePool } from '../testing/objects.ts';
import { startProvisioningEnvironment } from './testing/provisioning-environment.ts';

test('05/73 what was found, computed and created is told in this order, with upstream’s keys', async (t) => {
  const env = await startProvisioningEnvironment(t);
  await env.add([readyPool('default')], [pendingPod('a', { requests: { cpu: '1' } })]);
  await env.pass();
  const [nodeClaim] = await env.nodeClaims();
  const told = env
    .lines()
    .filter(({ fields }) => !('extension' in fields)) // these are ours
    .map(({ level, message, fields }) => [level, message, JSON.parse(JSON.stringify(fields))]);
  assert.deepEqual(told, [
    ['debug', 'computing scheduling decision for provisionable pod(s)', { 'pending-pods': 1, 'deleting-pods': 0 }],
    ['info', 'found provisionable pod(s)', { Pods: 'default/a', duration: '0s' }],
    ['info', 'computed new nodeclaim(s) to fit pod(s)', { nodeclaims: 1, pods: 1 }],
    [
      'info',
      'created nodeclaim',
      {
        NodePool: { name: 'default' },
        NodeClaim: { name: nodeClaim!.metadata.name },
        requests: { cpu: '1', pods: '1' },
        'instance-types':
          'arm-instance-type, default-instance-type, gpu-vendor-b-instance-type, gpu-vendor-instance-type, ' +
          'single-pod-instance-type and 1 other(s)',
      },
    ],
  ]);
  assert.deepEqual(env.eventsOn('a'), [['Nominated', `Pod should schedule on: nodeclaim/${nodeClaim!.metadata.name}`]]);
  assert.equal(env.cluster.decisions.find('default/a')?.nodeClaim, nodeClaim!.metadata.name);
  const series =
    'karpenter_nodeclaims_created_total{min_values_relaxed="false",nodepool="default",reason="provisioned"}';
  assert.equal(await env.metric(series), 1);
  assert.equal(env.cluster.hasSynced(), false); // until it is launched
});

test('nothing is remembered of pods that go while they are planned for', async (t) => {
  for (const [name, requests] of Object.entries({ small: { cpu: '1' }, huge: { cpu: '9999' } })) {
    const env = await startProvisioningEnvironment(t);
    await env.add([readyPool('default')], [pendingPod(name, { requests })]);
    env.provider.script('instanceTypes', slowDown(5 * SECOND));
    const pass = env.pass();
    await env.client.delete(PODS, { namespace: 'default', name }, { gracePeriodSeconds: 0 });
    await pass;
    assert.equal(env.caches.pods.get(`default/${name}`), undefined);
    assert.equal(env.cluster.decisions.size, 0, name);
  }
});

test('02/8 02/9 pods that are ignored are counted; those who did not mean it are told why', async (t) => {
  const env = await startProvisioningEnvironment(t);
  const excluding = (name: string, key: string, operator: string, values?: readonly string[]) => {
    const matchExpressions = [{ key, operator, ...(values && { values }) }];
    const required = { nodeSelectorTerms: [{ matchExpressions }] };
    return pendingPod(name, {
      affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } },
    });
  };
  await env.add(
    [readyPool('default')],
    [
      excluding('elsewhere', NODEPOOL_LABEL, 'DoesNotExist'),
      excluding('picky', 'kubernetes.io/hostname', 'In', ['red-node']),
    ],
  );
  await env.pass();
  assert.equal(await env.metric('karpenter_scheduler_ignored_pods_count'), 2);
  assert.deepEqual(await env.nodeClaims(), []);
  assert.deepEqual(env.eventsOn('elsewhere'), []);
  const [[reason, message] = []] = env.eventsOn('picky');
  assert.equal(reason, 'FailedScheduling');
  assert.match(message ?? '', /^Failed to schedule pod, using label kubernetes\.io\/hostname is not allowed/);
  const { decidedAt, placeableSince, failure } = env.cluster.decisions.find('default/picky')!;
  assert.deepEqual([decidedAt, placeableSince], [env.clock.now(), undefined]);
  assert.match(renderPodFailure(failure!), /^ignoring pod, using label/);
  const ignored = env.lines('ignoring pod').map(({ level, fields }) => `${level} ${String(fields['Pod'])}`);
  assert.deepEqual(ignored.sort(), ['debug default/elsewhere', 'debug default/picky']);
});

test('02/74 a pod whose NodeClaim is missing is ignored, others are not', async (t) => {
  const env = await startProvisioningEnvironment(t);
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'gone' } }];
  await env.add([readyPool('default')], [pendingPod('a', { volumes }), pendingPod('b')]);
  await env.pass();
  assert.equal((await env.nodeClaims()).length, 1);
  assert.deepEqual(env.eventsOn('a'), [
    [
      'FailedScheduling',
      'Failed to schedule pod, getting persistent volume claim, PersistentVolumeClaim "gone" not found (PersistentVolumeClaim=gone)',
    ],
  ]);
});

for (const [words, pool] of [
  ['static', { ...readyPool('default'), spec: { ...readyPool('default').spec, replicas: 1 } }],
  ['not ready', { ...readyPool('default'), status: { nodes: 0, conditions: [conditionOf('Ready', 'False')] } }],
  ['of another provider', foreignPool()],
  ['absent', undefined],
] as const) {
  test(`02/13 02/149 with the only pool ${words} nothing is planned, though a node has room`, async (t) => {
    const env = await startProvisioningEnvironment(t);
    await env.addNode(plainNode('roomy'));
    await env.add(pool ? [pool] : [], [pendingPod('a')]);
    await env.pass();
    assert.deepEqual(await env.nodeClaims(), []);
    assert.equal(env.lines('no dynamic nodepools found').length, 1);
    const { failure } = env.cluster.decisions.find('default/a')!;
    assert.equal(renderPodFailure(failure!), 'no dynamic nodepools found');
    assert.deepEqual(env.eventsOn('a'), []);
    const notReady = env.lines('ignoring nodepool, not ready');
    assert.equal(notReady.length, words === 'not ready' ? 1 : 0);
    for (const line of notReady) assert.deepEqual([line.level, line.error], ['error', undefined]);
  });
}

function foreignPool() {
  const pool = readyPool('default');
  const { spec } = pool.spec.template;
  const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' };
  return { ...pool, spec: { ...pool.spec, template: { ...pool.spec.template, spec: { ...spec, nodeClassRef } } } };
}

test('02/13 a pool that is being deleted serves no more', async (t) => {
  const env = await startProvisioningEnvironment(t);
  const pool = readyPool('default');
  await env.add([{ ...pool, metadata: { ...pool.metadata, finalizers: ['example.com/held'] } }], [pendingPod('a')]);
  await env.delete(NODE_POOLS, 'default');
  await env.pass();
  assert.deepEqual(await env.nodeClaims(), []);
});

test('02/14 of a static and a dynamic pool the dynamic one is used', async (t) => {
  const env = await startProvisioningEnvironment(t);
  const fixed = readyPool('static');
  await env.add([{ ...fixed, spec: { ...fixed.spec, replicas: 2 } }, readyPool('dynamic')], [pendingPod('a')]);
  await env.pass();
  assert.deepEqual(
    (await env.nodeClaims()).map(({ metadata }) => metadata.labels?.[NODEPOOL_LABEL]),
    ['dynamic'],
  );
});

test('without pending pods nothing is logged', async (t) => {
  const env = await startProvisioningEnvironment(t);
  await env.add([readyPool('default')]);
  await env.pass();
  assert.deepEqual(env.lines(), []);
  assert.equal(await env.metric('karpenter_scheduler_ignored_pods_count'), 0);
});

test('02/27 02/32 a pod that fits a node on its way goes there, which is nominated', async (t) => {
  const env = await startProvisioningEnvironment(t);
  await env.add([readyPool('default')], [pendingPod('a', { requests: { cpu: '1' } })]);
  await env.pass();
  await env.launch();
  await env.add([], [pendingPod('b', { requests: { cpu: '1' } })]);
  await env.pass();
  const claims = await env.nodeClaims();
  assert.equal(claims.length, 1);
  const { name } = claims[0]!.metadata;
  assert.deepEqual(env.eventsOn('b'), [['Nominated', `Pod should schedule on: nodeclaim/${name}`]]);
  assert.equal(env.cluster.isNominated(`fake:///${name}`), true);
  assert.equal(env.cluster.decisions.find('default/b')?.nodeClaim, name);
  assert.equal(env.lines('found provisionable pod(s)').length, 1); // the second pass bought nothing
});

test('02/33 a pod goes to an unmanaged node, which counts as no healthy pool', async (t) => {
  const env = await startProvisioningEnvironment(t);
  await env.addNode(plainNode('roomy'));
  await env.add([readyPool('default')], [pendingPod('a')]);
  await env.pass();
  assert.deepEqual(await env.nodeClaims(), []);
  assert.deepEqual(env.eventsOn('a'), [['Nominated', 'Pod should schedule on: node/roomy']]);
  const { placeableSince, placeableOnHealthySince, nodeClaim } = env.cluster.decisions.find('default/a')!;
  assert.deepEqual([placeableSince, placeableOnHealthySince, nodeClaim], [env.clock.now(), undefined, undefined]);
});

test('02/141 a node of a pool whose nodes register is remembered as such', async (t) => {
  const env = await startProvisioningEnvironment(t);
  const pool = readyPool('default');
  const conditions = [conditionOf('Ready'), conditionOf('NodeRegistrationHealthy')];
  await env.add([{ ...pool, status: { nodes: 0, conditions } }], [pendingPod('a')]);
  await env.pass();
  assert.equal(env.cluster.decisions.find('default/a')?.placeableOnHealthySince, env.clock.now());
});

test('02/26 02/29 02/142 pods of a deleting node are planned elsewhere with those that wait', async (t) => {
  const env = await startProvisioningEnvironment(t);
  await env.create(NODE_CLAIMS, launchedNodeClaim('old'));
  await env.addNode(readyNode('old'));
  const requests = { cpu: '500m' };
  for (const name of ['a', 'b', 'c']) await env.create(PODS, runningPod(name, 'node-of-old', { requests }));
  env.cluster.markForDeletion({}, ['fake:///old']);
  await env.add([readyPool('default')], [pendingPod('d', { requests }), pendingPod('e', { requests })]);
  await env.pass();
  const bought = (await env.nodeClaims()).filter(({ metadata }) => metadata.name !== 'old');
  assert.deepEqual(
    bought.map(({ spec }) => spec.resources?.requests),
    [{ cpu: '2500m', pods: '5' }],
  );
  const [line] = env.lines('computing scheduling decision for provisionable pod(s)');
  assert.deepEqual(line?.fields, { 'pending-pods': 2, 'deleting-pods': 3 });
  // One that is bound has been waiting for nothing, but it is known where it is expected.
  const decision = env.cluster.decisions.find('default/a');
  assert.deepEqual([decision?.placeableSince, decision?.nodeClaim], [undefined, bought[0]!.metadata.name]);
});

test('02/43 a NodeClaim carries the hash of the pool it was planned for, whatever became of the pool since', async (t) => {
  const env = await startProvisioningEnvironment(t);
  await env.add([readyPool('default')], [pendingPod('a')]);
  const planned = nodePoolHash(env.caches.nodePools.get('default')!);
  env.provider.script('instanceTypes', slowDown(5 * SECOND));
  const pass = env.pass();
  await env.client.patch(
    NODE_POOLS,
    { name: 'default' },
    { type: 'merge', body: { spec: { template: { metadata: { labels: { fresh: 'label' } } } } } },
  );
  await pass;
  const [nodeClaim] = await env.nodeClaims();
  assert.equal(nodeClaim?.metadata.annotations?.['karpenter.sh/nodepool-hash'], planned);
  assert.notEqual(nodePoolHash(env.caches.nodePools.get('default')!), planned);
});

test('02/113 a limit that is exceeded by the time of creation lets nothing be created', async (t) => {
  const env = await startProvisioningEnvironment(t);
  await env.create(NODE_CLAIMS, launchedNodeClaim('held'));
  await env.add([readyPool('default', { limits: { cpu: '100' } })], [pendingPod('a', { requests: { cpu: '6' } })]);
  env.provider.script('instanceTypes', slowDown(5 * SECOND));
  const pass = env.pass();
  await env.client.patch(NODE_POOLS, { name: 'default' }, { type: 'merge', body: { spec: { limits: { cpu: '2' } } } });
  await assert.rejects(pass, {
    message: 'creating node claim, resource usage exceeds limit (limit=2, resource-name=cpu, usage=4)',
  });
  assert.equal((await env.nodeClaims()).length, 1);
});

test('a pool that is gone by the time of creation is named', async (t) => {
  const env = await startProvisioningEnvironment(t);
  await env.add([readyPool('default')], [pendingPod('a')]);
  env.provider.script('instanceTypes', slowDown(5 * SECOND));
  const pass = env.pass();
  await env.client.delete(NODE_POOLS, { name: 'default' });
  await assert.rejects(pass, {
    message: 'creating node claim, getting current resource usage, NodePool.karpenter.sh "default" not found',
  });
});

test('02/128 unschedulable pods are counted, told why, and do not keep others from their nodes', async (t) => {
  const env = await startProvisioningEnvironment(t);
  const impossible = Array.from({ length: 10 }, (_, i) => pendingPod(`huge-${i}`, { requests: { cpu: '1000' } }));
  const possible = Array.from({ length: 5 }, (_, i) => pendingPod(`small-${i}`, { requests: { cpu: '1' } }));
  await env.add([readyPool('default')], [...impossible, ...possible]);
  await env.pass();
  const series = (name: string) => env.metric(`karpenter_scheduler_${name}{controller="provisioner"}`);
  assert.equal(await series('unschedulable_pods_count'), 10);
  assert.equal(await series('scheduling_duration_seconds_count'), 2); // the plan, and the pass around it
  const failed = env.lines('could not schedule pod');
  assert.equal(failed.length, 10);
  assert.match(failed[0]?.error ?? '', /^no instance type has enough resources, requirements=/);
  const [[reason, message] = []] = env.eventsOn('huge-3');
  assert.equal(reason, 'FailedScheduling');
  assert.equal(message, `Failed to schedule pod, ${failed[0]?.error}`);
  assert.deepEqual(env.lines('computed new nodeclaim(s) to fit pod(s)')[0]?.fields['pods'], 5);
});

test('02/128 how many pods wait is shown under the plan’s own id, one plan at a time', async (t) => {
  const env = await startProvisioningEnvironment(t);
  await env.add([readyPool('default')], [pendingPod('huge', { requests: { cpu: '1000' } })]);
  const depths = async () => {
    const text = await metricsPage(env.metrics);
    return [
      ...text.matchAll(/^karpenter_scheduler_queue_depth\{controller="provisioner",scheduling_id="([^"]+)"\} 1$/gm),
    ];
  };
  await env.pass();
  const [first] = await depths();
  await env.pass();
  const second = await depths();
  assert.equal(second.length, 1);
  assert.notEqual(second[0]![1], first![1]);
  assert.doesNotMatch(await metricsPage(env.metrics), /unfinished_work_seconds\{/);
});

test('02/129 pods that wait are shown by the zone they could go to', async (t) => {
  const env = await startProvisioningEnvironment(t);
  const inZone = pendingPod('zonal', { nodeSelector: { [ZONE_LABEL]: 'test-zone-1' } });
  await env.add([readyPool('default')], [pendingPod('anywhere'), inZone]);
  await env.pass();
  const count = (zone: string) =>
    env.metric(`karpenter_scheduler_pending_pods_by_effective_zone_count{controller="provisioner",zone="${zone}"}`);
  assert.deepEqual([await count('flexible'), await count('test-zone-1')], [1, 1]);
  await env.delete(PODS, 'default/zonal');
  await env.launch();
  await env.pass();
  assert.deepEqual([await count('flexible'), await count('test-zone-1')], [1, undefined]);
});

test('02/131 a pod with device claims is refused, in words of its own', async (t) => {
  const env = await startProvisioningEnvironment(t);
  const resourceClaims = [{ name: 'gpu', resourceClaimName: 'gpu' }];
  await env.add([readyPool('default')], [pendingPod('a', { resourceClaims })]);
  await env.pass();
  assert.deepEqual(await env.nodeClaims(), []);
  const skipped = 'skipping pod with Dynamic Resource Allocation requirements, not yet supported by Karpenter';
  assert.deepEqual(
    env.lines(skipped).map(({ level, fields }) => [level, String(fields['Pod'])]),
    [['info', 'default/a']],
  );
  assert.deepEqual(env.eventsOn('a'), [
    [
      'FailedScheduling',
      'Failed to schedule pod, pod has Dynamic Resource Allocation requirements that are not yet supported by Karpenter',
    ],
  ]);
});

test('02/132 02/192 a pool whose types cannot be had is skipped with a word, the others serve', async (t) => {
  const env = await startProvisioningEnvironment(t);
  await env.add([readyPool('broken', { weight: 50 }), readyPool('empty', { weight: 40 }), readyPool('default')]);
  await env.add([], [pendingPod('a')]);
  env.provider.offer(new Error('out of order'), 'broken');
  env.provider.offer([], 'empty');
  await env.pass();
  assert.deepEqual(
    (await env.nodeClaims()).map(({ metadata }) => metadata.labels?.[NODEPOOL_LABEL]),
    ['default'],
  );
  const [broken] = env.lines('skipping, unable to resolve instance types');
  assert.deepEqual(
    [broken?.level, String(broken?.fields['NodePool']), broken?.error],
    ['error', 'broken', 'out of order'],
  );
  const [empty] = env.lines('skipping, no resolved instance types found');
  assert.deepEqual([empty?.level, String(empty?.fields['NodePool'])], ['info', 'empty']);
  const skipped = env.lines('skipping, nodepool requirements filtered out all instance types');
  assert.deepEqual(
    skipped.map(({ fields }) => JSON.stringify(fields)),
    ['{"NodePool":{"name":"broken"}}', '{"NodePool":{"name":"empty"}}'],
  );
  const message = 'NodePool requirements filtered out all compatible available instance types';
  assert.deepEqual(env.eventsOn('broken'), [['NoCompatibleInstanceTypes', message]]);
});

test('02/132 a provider that takes too long fails the pass', async (t) => {
  const env = await startProvisioningEnvironment(t);
  await env.add([readyPool('default')], [pendingPod('a')]);
  const timeout = new DOMException('The operation was aborted due to timeout', 'TimeoutError');
  env.provider.script('instanceTypes', refuse(new Error('asking the cloud', { cause: timeout })));
  await assert.rejects(env.pass(), { message: 'getting instance types, asking the cloud' });
  assert.deepEqual(await env.nodeClaims(), []);
});

test('02/120 a pool without the variety it asks for says so', async (t) => {
  const env = await startProvisioningEnvironment(t);
  const requirements = [{ key: 'node.kubernetes.io/instance-type', operator: 'Exists', minValues: 50 }] as const;
  await env.add([readyPool('default', { template: { requirements } })], [pendingPod('a')]);
  await env.pass();
  const [line] = env.lines('skipping, nodepool requirements filtered out all instance types');
  assert.equal(
    line?.fields['minValuesIncompatibleErr'],
    'minValues requirement is not met for label(s) (label(s)=[node.kubernetes.io/instance-type])',
  );
  assert.deepEqual(env.eventsOn('default'), [
    [
      'NoCompatibleInstanceTypes',
      'NodePool requirements filtered out all compatible available instance types due to minValues incompatibility',
    ],
  ]);
});

test('02/121 with best effort a NodeClaim says that it has less variety, and is counted so', async (t) => {
  const env = await startProvisioningEnvironment(t, { options: { minValuesPolicy: 'BestEffort' } });
  const requirements = [{ key: 'node.kubernetes.io/instance-type', operator: 'Exists', minValues: 50 }] as const;
  await env.add([readyPool('default', { template: { requirements } })], [pendingPod('a')]);
  await env.pass();
  const [nodeClaim] = await env.nodeClaims();
  assert.equal(nodeClaim?.metadata.annotations?.['karpenter.sh/nodeclaim-min-values-relaxed'], 'true');
  assert.equal(
    nodeClaim?.spec.requirements.find(({ key }) => key === 'node.kubernetes.io/instance-type')?.minValues,
    6,
  );
  const series =
    'karpenter_nodeclaims_created_total{min_values_relaxed="true",nodepool="default",reason="provisioned"}';
  assert.equal(await env.metric(series), 1);
});

test('02/134 a NodeClaim that cannot be created keeps no other from it, and the pass fails', async (t) => {
  const env = await startProvisioningEnvironment(t);
  const requests = { cpu: '3' };
  const pods = ['a', 'b', 'c'].map((name) => pendingPod(name, { requests, nodeSelector: { size: 'small' } }));
  await env.add([readyPool('default')], pods);
  env.refusals.add({ method: 'POST', path: /nodeclaims$/, code: 422, times: 2 });
  await assert.rejects(env.pass(), { message: 'creating node claim, refused; creating node claim, refused' });
  assert.equal((await env.nodeClaims()).length, 1);
});

test('03/157 pods that want no company keep others away until they are gone; those that would rather not do not', async (t) => {
  const env = await startProvisioningEnvironment(t);
  const term = { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'x' } } };
  const required = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
  const preferred = {
    podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: term }] },
  };
  await env.addNode(plainNode('one', { labels: { 'kubernetes.io/hostname': 'one' } }));
  await env.create(PODS, runningPod('anti-affine', 'one', { affinity: required }));
  await env.create(PODS, runningPod('shy', 'one', { affinity: preferred }));
  await env.add([readyPool('default')], [pendingPod('a', { labels: { app: 'x' } })]);
  await env.pass();
  assert.equal((await env.nodeClaims()).length, 1);
  await env.client.delete(PODS, { namespace: 'default', name: 'anti-affine' }, { gracePeriodSeconds: 0 });
  await env.clock.flush();
  await env.pass();
  assert.equal((await env.nodeClaims()).length, 1);
  await env.clock.advance(3 * MINUTE);
  await env.pass();
  assert.deepEqual(env.eventsOn('a').at(-1), ['Nominated', 'Pod should schedule on: node/one']);
});

test('what had to be relaxed to schedule a pod is logged at debug level', async (t) => {
  const env = await startProvisioningEnvironment(t);
  const preference = { matchExpressions: [{ key: ZONE_LABEL, operator: 'In', values: ['nowhere'] }] };
  const preferred = [{ weight: 1, preference }];
  const affinity = { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } };
  await env.add([readyPool('default')], [pendingPod('a', { affinity })]);
  await env.pass();
  const [line] = env.lines('relaxing soft constraints for pod since it previously failed to schedule');
  assert.equal(line?.level, 'debug');
  assert.match(String(line?.fields['reason']), /^removing: spec\.affinity\.nodeAffinity\.preferred/);
});

test('pods that wait for reserved capacity are deferred: no event, not counted', async (t) => {
  const type = fakeType('only', { offerings: [reserved('test-zone-1', 'r-1', 1)] });
  const env = await startProvisioningEnvironment(t, { instanceTypes: [type] });
  const requests = { cpu: '3' };
  await env.add([readyPool('default')], [pendingPod('a', { requests }), pendingPod('b', { requests })]);
  await env.pass();
  assert.equal((await env.nodeClaims()).length, 1);
  assert.equal(await env.metric('karpenter_scheduler_unschedulable_pods_count{controller="provisioner"}'), 0);
  const message =
    'deferring scheduling decision for provisionable pod(s) to future simulation due to limited reserved offering capacity';
  assert.deepEqual(
    env.lines(message).map(({ level, fields }) => [level, fields['Pods']]),
    [['debug', 'default/b']],
  );
  assert.deepEqual(env.eventsOn('b'), []);
  assert.match(renderPodFailure(env.cluster.decisions.find('default/b')!.failure!), /could not be reserved/);
});

test('with the gate ReservedCapacity off a reservation is an offering like any other', async (t) => {
  const type = fakeType('only', { offerings: [reserved('test-zone-1', 'r-1', 1)] });
  const featureGates = { ...GATES, ReservedCapacity: false };
  const env = await startProvisioningEnvironment(t, { instanceTypes: [type], options: { featureGates } });
  const requests = { cpu: '3' };
  await env.add([readyPool('default')], [pendingPod('a', { requests }), pendingPod('b', { requests })]);
  await env.pass();
  assert.equal((await env.nodeClaims()).length, 2);
});

const GATES = {
  NodeRepair: false,
  ReservedCapacity: true,
  SpotToSpotConsolidation: false,
  NodeOverlay: false,
  StaticCapacity: false,
  CapacityBuffer: false,
};

test('preferences that may prevent consolidation are told once a day, unless they are ignored', async (t) => {
  const term = { topologyKey: ZONE_LABEL, labelSelector: { matchLabels: { app: 'x' } } };
  const preferred = [{ weight: 1, podAffinityTerm: term }];
  const spread = { maxSkew: 1, topologyKey: ZONE_LABEL, whenUnsatisfiable: 'ScheduleAnyway' };
  const both = pendingPod('both', {
    affinity: { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } },
    topologySpreadConstraints: [spread],
    requests: { cpu: '1000' },
  });
  const texts = [
    'pod(s) have a preferred Anti-Affinity which can prevent consolidation',
    'pod(s) have a preferred TopologySpreadConstraint which can prevent consolidation',
  ];
  const env = await startProvisioningEnvironment(t);
  await env.add([readyPool('default')], [both]);
  await env.pass();
  await env.pass();
  const told = () => texts.map((text) => env.lines(text).map(({ fields }) => fields['pods']));
  assert.deepEqual(told(), [['default/both'], ['default/both']]);
  await env.clock.advance(24 * 60 * MINUTE);
  await env.pass();
  assert.deepEqual(told(), [
    ['default/both', 'default/both'],
    ['default/both', 'default/both'],
  ]);
  const careless = await startProvisioningEnvironment(t, { options: { preferencePolicy: 'Ignore' } });
  await careless.add([readyPool('default')], [both]);
  await careless.pass();
  for (const text of texts) assert.deepEqual(careless.lines(text), []);
});

test('a dynamic pool that has not been looked at yet is not ready', async (t) => {
  const env = await startProvisioningEnvironment(t);
  await env.add([makeNodePool('default')], [pendingPod('a')]);
  await env.pass();
  assert.equal(env.lines('ignoring nodepool, not ready').length, 1);
});
