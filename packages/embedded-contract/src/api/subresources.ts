import assert from 'node:assert/strict';
import type { JsonObject } from '@karpenter-ts/kubernetes';
import { apiCase, JSON_PATCH, type RawApi } from './raw-api.ts';

const replicaSet = (name: string, replicas: number): JsonObject => ({
  metadata: { name },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { schedulerName: 'nobody', containers: [{ name: 'main', image: 'example.com/app:1' }] },
    },
  },
});

const binding = (name: string, node: string): JsonObject => ({
  metadata: { name },
  target: { kind: 'Node', name: node },
});

async function bind(api: RawApi, name: string, body: JsonObject = binding(name, api.context.unique('node'))) {
  api.context.defer(() => api.delete(api.path('pods', name), { gracePeriodSeconds: 0 }));
  return api.post(api.path('pods', name, 'binding'), body);
}

/** Status, scale and binding: parts of objects with paths of their own. */
export const subresourceCases = [
  apiCase('the status is written at its own path and nowhere else', async (api) => {
    const created = await api.pod('a');
    assert.equal(created.at('status.phase'), 'Pending');
    const main = (await api.patch(api.path('pods', 'a'), { status: { phase: 'Running' } })).done();
    assert.equal(main.at('status.phase'), 'Pending');
    const status = (await api.patch(api.path('pods', 'a', 'status'), { status: { phase: 'Running' } })).done();
    assert.equal(status.at('status.phase'), 'Running');
  }),

  apiCase('a write to the status does not touch the spec', async (api) => {
    const created = await api.pod('a');
    const patch = { status: { phase: 'Running' }, spec: { priorityClassName: 'other' } };
    const next = (await api.patch(api.path('pods', 'a', 'status'), patch)).done();
    assert.deepEqual(next.at('spec'), created.at('spec'));
  }),

  apiCase('a new object has no status but the one that all begin with', async (api) => {
    const body = { ...replicaSet('a', 0), status: { replicas: 5, readyReplicas: 5 } };
    assert.deepEqual((await api.post(api.path('apps/replicasets'), body)).done(201).at('status'), { replicas: 0 });
  }),

  apiCase('the status can be read at its path, and is the whole object', async (api) => {
    const created = await api.pod('a');
    assert.deepEqual((await api.get(api.path('pods', 'a', 'status'))).body, created.body);
  }),

  apiCase('a part that a resource does not have is not found', async (api) => {
    await api.pod('a');
    (await api.get(api.path('pods', 'a', 'odd'))).refused(
      404,
      'NotFound',
      'the server could not find the requested resource',
    );
    (await api.get(api.path('pods', 'a', 'eviction'))).refused(
      405,
      'MethodNotAllowed',
      'the server does not allow this method on the requested resource',
    );
  }),

  apiCase('the quality of service of a pod is fixed when the pod is created', async (api) => {
    const resources = { limits: { cpu: '1', memory: '1Gi' } };
    assert.equal((await api.pod('a', { container: { resources } })).at('status.qosClass'), 'Guaranteed');
    assert.equal(
      (await api.pod('b', { container: { resources: { requests: { cpu: '1' } } } })).at('status.qosClass'),
      'Burstable',
    );
    assert.equal((await api.pod('c')).at('status.qosClass'), 'BestEffort');
    const containers = [
      { name: 'full', image: 'x', resources },
      { name: 'bare', image: 'x' },
    ];
    assert.equal((await api.pod('d', { spec: { containers } })).at('status.qosClass'), 'Burstable');
    const uneven = { ...resources, requests: { cpu: '1', memory: '512Mi' } };
    assert.equal((await api.pod('e', { container: { resources: uneven } })).at('status.qosClass'), 'Burstable');
    const answer = await api.patch(api.path('pods', 'a', 'status'), { status: { qosClass: 'BestEffort' } });
    answer.faults('status.qosClass: Invalid value: "BestEffort": field is immutable');
  }),

  apiCase('a scale shows the replicas and whom they are selected by', async (api) => {
    (await api.post(api.path('apps/replicasets'), replicaSet('a', 3))).done(201);
    const scale = (await api.get(api.path('apps/replicasets', 'a', 'scale'))).done();
    assert.deepEqual([scale.at('kind'), scale.at('apiVersion')], ['Scale', 'autoscaling/v1']);
    assert.deepEqual([scale.at('spec'), scale.at('status.selector')], [{ replicas: 3 }, 'app=a']);
    const set = await api.get(api.path('apps/replicasets', 'a'));
    assert.equal(scale.at('metadata.uid'), set.at('metadata.uid'));
  }),

  apiCase('a scale that is written changes the replicas and nothing else', async (api) => {
    (await api.post(api.path('apps/replicasets'), replicaSet('a', 3))).done(201);
    const path = api.path('apps/replicasets', 'a', 'scale');
    const metadata = { name: 'a', namespace: api.context.namespace };
    assert.deepEqual((await api.put(path, { metadata, spec: { replicas: 1 } })).done().at('spec'), { replicas: 1 });
    assert.deepEqual((await api.patch(path, { spec: { replicas: 2 } })).done().at('spec'), { replicas: 2 });
    await api.patch(path, [{ op: 'replace', path: '/spec/replicas', value: 0 }], JSON_PATCH);
    const set = await api.get(api.path('apps/replicasets', 'a'));
    assert.deepEqual([set.at('spec.replicas'), set.at('metadata.generation')], [0, 4]);
  }),

  apiCase('a scale below nothing is refused', async (api) => {
    (await api.post(api.path('apps/replicasets'), replicaSet('a', 0))).done(201);
    const answer = await api.patch(api.path('apps/replicasets', 'a', 'scale'), { spec: { replicas: -1 } });
    answer.faults('spec.replicas: Invalid value: -1: must be greater than or equal to 0');
    answer.refused(422, 'Invalid', /^Scale\.autoscaling "a" is invalid/);
  }),

  apiCase('a scale of an older version is a conflict', async (api) => {
    (await api.post(api.path('apps/replicasets'), replicaSet('a', 0))).done(201);
    const metadata = { name: 'a', namespace: api.context.namespace, resourceVersion: '1' };
    const answer = await api.put(api.path('apps/replicasets', 'a', 'scale'), { metadata, spec: { replicas: 1 } });
    answer.refused(409, 'Conflict', /the object has been modified/);
  }),

  apiCase('a binding puts a pod on its node and says that it is scheduled', async (api) => {
    await api.pod('a');
    const answer = (await bind(api, 'a')).done(201);
    assert.deepEqual([answer.at('kind'), answer.at('status')], ['Status', 'Success']);
    const pod = await api.get(api.path('pods', 'a'));
    assert.equal(pod.at('spec.nodeName'), api.context.unique('node'));
    assert.deepEqual(
      [pod.at('status.conditions.0.type'), pod.at('status.conditions.0.status')],
      ['PodScheduled', 'True'],
    );
    assert.equal(pod.at('metadata.generation'), 1);
  }),

  apiCase('a pod is bound once', async (api) => {
    await api.pod('a');
    (await bind(api, 'a')).done(201);
    const answer = await api.post(api.path('pods', 'a', 'binding'), binding('a', 'elsewhere'));
    answer.refused(
      409,
      'Conflict',
      `Operation cannot be fulfilled on pods/binding "a": pod a is already assigned to node "${api.context.unique('node')}"`,
    );
  }),

  apiCase('a pod that waits at a gate is not bound', async (api) => {
    await api.pod('a', { spec: { schedulingGates: [{ name: 'example.com/wait' }] } });
    (await bind(api, 'a')).refused(
      409,
      'Conflict',
      'Operation cannot be fulfilled on pods/binding "a": pod a has non-empty .spec.schedulingGates',
    );
  }),

  apiCase('a pod that is being deleted is not bound', async (api) => {
    await api.pod('a', { metadata: { finalizers: ['example.com/hold'] } });
    api.context.defer(() => api.patch(api.path('pods', 'a'), { metadata: { finalizers: null } }));
    await api.delete(api.path('pods', 'a'));
    (await bind(api, 'a')).refused(
      409,
      'Conflict',
      'Operation cannot be fulfilled on pods/binding "a": pod a is being deleted, cannot be assigned to a host',
    );
  }),

  apiCase('a binding is for the pod of its address, and for this very one if it says so', async (api) => {
    await api.pod('a');
    (await bind(api, 'a', binding('b', 'node'))).refused(
      400,
      'BadRequest',
      'name in URL does not match name in Binding object',
    );
    const other = { metadata: { name: 'a', uid: 'another' }, target: { name: 'node' } };
    (await bind(api, 'a', other)).refused(409, 'Conflict', /Precondition failed: UID in precondition: another/);
    (await api.post(api.path('pods', 'nope', 'binding'), binding('nope', 'node'))).refused(
      404,
      'NotFound',
      'pods "nope" not found',
    );
  }),

  apiCase('annotations of a binding go on to the pod', async (api) => {
    await api.pod('a', { metadata: { annotations: { own: '1' } } });
    const metadata = { name: 'a', annotations: { more: '2' } };
    (await bind(api, 'a', { metadata, target: { kind: 'Node', name: api.context.unique('node') } })).done(201);
    assert.deepEqual((await api.get(api.path('pods', 'a'))).at('metadata.annotations'), { own: '1', more: '2' });
  }),

  apiCase('a pod learns the zone and region of its node', async (api) => {
    const node = api.context.unique('zoned');
    const labels = { 'topology.kubernetes.io/zone': 'z1', 'topology.kubernetes.io/region': 'r1', other: 'x' };
    (await api.post('/api/v1/nodes', { metadata: { name: node, labels }, spec: { unschedulable: true } })).done(201);
    api.context.defer(() => api.delete(`/api/v1/nodes/${node}`));
    const learned = await api.context.until('admission knows the node', async () => {
      const name = `a-${api.context.clock.now()}`;
      await api.pod(name);
      await bind(api, name, binding(name, node));
      const pod = await api.get(api.path('pods', name));
      return pod.at('metadata.labels') !== undefined && pod;
    });
    const { other: _, ...expected } = labels;
    assert.deepEqual(learned.at('metadata.labels'), expected);
  }),
];
