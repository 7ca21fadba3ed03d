import assert from 'node:assert/strict';
import type { JsonObject } from '@karpenter-ts/kubernetes';
import { apiCase, podBody, type RawApi } from './raw-api.ts';

const NOT_READY = {
  key: 'node.kubernetes.io/not-ready',
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds: 300,
};
const UNREACHABLE = { ...NOT_READY, key: 'node.kubernetes.io/unreachable' };

const invalidPod = async (api: RawApi, spec: JsonObject, container: JsonObject = {}) =>
  api.post(api.path('pods'), podBody('a', { spec, container }));

/** What the server makes of pods, nodes and what makes pods. */
export const podCases = [
  apiCase('a pod is completed with the defaults everyone knows', async (api) => {
    const { schedulerName: _, ...spec } = (await api.pod('a')).at('spec') as JsonObject;
    const { serviceAccount: __, serviceAccountName: ___, ...rest } = spec; // a plugin that not every server has on
    assert.deepEqual(rest, {
      containers: [
        {
          name: 'main',
          image: 'example.com/app:1',
          imagePullPolicy: 'IfNotPresent',
          resources: {},
          terminationMessagePath: '/dev/termination-log',
          terminationMessagePolicy: 'File',
        },
      ],
      dnsPolicy: 'ClusterFirst',
      enableServiceLinks: true,
      preemptionPolicy: 'PreemptLowerPriority',
      priority: 0,
      restartPolicy: 'Always',
      securityContext: {},
      terminationGracePeriodSeconds: 30,
      tolerations: [NOT_READY, UNREACHABLE],
    });
  }),

  apiCase('an image without a tag is pulled always', async (api) => {
    assert.equal(
      (await api.pod('a', { container: { image: 'example.com/app' } })).at('spec.containers.0.imagePullPolicy'),
      'Always',
    );
    assert.equal(
      (await api.pod('b', { container: { image: 'example.com:5000/app:latest' } })).at(
        'spec.containers.0.imagePullPolicy',
      ),
      'Always',
    );
    assert.equal(
      (await api.pod('c', { container: { image: 'example.com:5000/app:2' } })).at('spec.containers.0.imagePullPolicy'),
      'IfNotPresent',
    );
  }),

  apiCase('what is not requested is requested as limited', async (api) => {
    const resources = { limits: { cpu: '2', memory: '1Gi' }, requests: { cpu: '1' } };
    const created = await api.pod('a', { container: { resources } });
    assert.deepEqual(created.at('spec.containers.0.resources.requests'), { cpu: '1', memory: '1Gi' });
  }),

  apiCase('ports and probes have their defaults', async (api) => {
    const container = { ports: [{ containerPort: 80 }], readinessProbe: { httpGet: { port: 80 } } };
    const created = await api.pod('a', { container });
    assert.deepEqual(created.at('spec.containers.0.ports'), [{ containerPort: 80, protocol: 'TCP' }]);
    assert.deepEqual(created.at('spec.containers.0.readinessProbe'), {
      httpGet: { port: 80, path: '/', scheme: 'HTTP' },
      timeoutSeconds: 1,
      periodSeconds: 10,
      successThreshold: 1,
      failureThreshold: 3,
    });
  }),

  apiCase("a toleration of one's own takes the place of a default one", async (api) => {
    const own = { ...NOT_READY, tolerationSeconds: 5 };
    assert.deepEqual((await api.pod('a', { spec: { tolerations: [own] } })).at('spec.tolerations'), [own, UNREACHABLE]);
    const all = { operator: 'Exists' };
    assert.deepEqual((await api.pod('b', { spec: { tolerations: [all] } })).at('spec.tolerations'), [all]);
  }),

  apiCase('a priority class gives its pods their priority', async (api) => {
    const name = api.context.unique('class');
    const path = '/apis/scheduling.k8s.io/v1/priorityclasses';
    (await api.post(path, { metadata: { name }, value: 1234, preemptionPolicy: 'Never' })).done(201);
    api.context.defer(() => api.delete(`${path}/${name}`));
    const pod = await api.context.until('admission knows the class', async () => {
      const answer = await api.post(api.path('pods'), podBody('a', { spec: { priorityClassName: name } }));
      return answer.code === 201 && answer;
    });
    assert.deepEqual([pod.at('spec.priority'), pod.at('spec.preemptionPolicy')], [1234, 'Never']);
  }),

  apiCase("the system's own priority classes are there", async (api) => {
    assert.equal(
      (await api.pod('a', { spec: { priorityClassName: 'system-node-critical' } })).at('spec.priority'),
      2000001000,
    );
    assert.equal(
      (await api.pod('b', { spec: { priorityClassName: 'system-cluster-critical' } })).at('spec.priority'),
      2000000000,
    );
  }),

  apiCase('a priority class that is not there is refused', async (api) => {
    const answer = await invalidPod(api, { priorityClassName: 'nope' });
    answer.refused(403, 'Forbidden', 'pods "a" is forbidden: no PriorityClass with name nope was found');
    assert.deepEqual(answer.at('details'), { name: 'a', kind: 'pods' });
  }),

  apiCase('a priority that its class does not give is refused', async (api) => {
    (await invalidPod(api, { priority: 5 })).refused(
      403,
      'Forbidden',
      'pods "a" is forbidden: the integer value of priority (5) must not be provided in pod spec; priority admission controller computed 0 from the given PriorityClass name',
    );
  }),

  apiCase('a pod with gates says that it waits', async (api) => {
    const pod = await api.pod('a', { spec: { schedulingGates: [{ name: 'example.com/wait' }] } });
    assert.deepEqual(
      [pod.at('status.conditions.0.reason'), pod.at('status.conditions.0.status')],
      ['SchedulingGated', 'False'],
    );
  }),

  apiCase('all that is wrong with a pod is told at once', async (api) => {
    const answer = await invalidPod(api, { restartPolicy: 'Odd', dnsPolicy: 'Odd' }, { name: 'Not_DNS', image: '' });
    const fields = (answer.at('details.causes') as readonly { field: string }[]).map(({ field }) => field);
    const containers = ['spec.containers[0].image', 'spec.containers[0].name'];
    assert.deepEqual([...fields].sort(), [...containers, 'spec.dnsPolicy', 'spec.restartPolicy']);
    answer.refused(422, 'Invalid', /^Pod "a" is invalid: \[.*spec\.containers\[0\]\.image: Required value.*\]$/);
  }),

  apiCase('a pod without containers is refused', async (api) => {
    (await invalidPod(api, { containers: [] })).faults('spec.containers: Required value');
  }),

  apiCase('requests beyond limits are refused', async (api) => {
    const resources = { requests: { cpu: '2' }, limits: { cpu: '1' } };
    (await invalidPod(api, {}, { resources })).faults(
      'spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1',
    );
  }),

  apiCase('resources that are not known need a domain, and whole numbers', async (api) => {
    (await invalidPod(api, {}, { resources: { limits: { gpus: '1' } } })).faults(
      'spec.containers[0].resources.limits[gpus]: Invalid value: "gpus": must be a standard resource type or fully qualified',
      'spec.containers[0].resources.limits[gpus]: Invalid value: "gpus": must be a standard resource for containers',
      'spec.containers[0].resources.requests[gpus]: Invalid value: "gpus": must be a standard resource type or fully qualified',
      'spec.containers[0].resources.requests[gpus]: Invalid value: "gpus": must be a standard resource for containers',
    );
    (await invalidPod(api, {}, { resources: { limits: { 'example.com/gpu': '500m' } } })).faults(
      'spec.containers[0].resources.limits[example.com/gpu]: Invalid value: "500m": must be an integer',
      'spec.containers[0].resources.requests[example.com/gpu]: Invalid value: "500m": must be an integer',
    );
  }),

  apiCase('tolerations that make no sense are refused', async (api) => {
    (await invalidPod(api, { tolerations: [{ key: 'a', operator: 'Exists', value: 'b' }] })).faults(
      'spec.tolerations[0].operator: Invalid value: "b": value must be empty when `operator` is \'Exists\'',
    );
    (await invalidPod(api, { tolerations: [{ key: 'a', effect: 'NoSchedule', tolerationSeconds: 5 }] })).faults(
      'spec.tolerations[0].effect: Invalid value: "NoSchedule": effect must be \'NoExecute\' when `tolerationSeconds` is set',
    );
  }),

  apiCase('affinities and spreads that make no sense are refused', async (api) => {
    const required = { nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'In' }] }] };
    const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } };
    const place =
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0]';
    (await invalidPod(api, { affinity })).faults(
      `${place}.values: Required value: must be specified when \`operator\` is 'In' or 'NotIn'`,
    );
    const spread = { maxSkew: 0, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' };
    (await invalidPod(api, { topologySpreadConstraints: [spread] })).faults(
      'spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero',
    );
  }),

  apiCase('a mount needs its volume', async (api) => {
    (await invalidPod(api, {}, { volumeMounts: [{ name: 'v', mountPath: '/v' }] })).faults(
      'spec.containers[0].volumeMounts[0].name: Not found: "v"',
    );
  }),

  apiCase('of a pod that is there, little may change', async (api) => {
    await api.pod('a');
    const path = api.path('pods', 'a');
    (await api.patch(path, { spec: { nodeName: 'x' } })).refused(
      422,
      'Invalid',
      /^Pod "a" is invalid: spec: Forbidden: pod updates may not change fields other than `spec\.containers\[\*\]\.image`/,
    );
    (await api.patch(path, { spec: { tolerations: [] } })).done();
    (await api.patch(path, { spec: { activeDeadlineSeconds: 50 } })).done();
    (await api.patch(path, { spec: { activeDeadlineSeconds: 60 } })).faults(
      'spec.activeDeadlineSeconds: Invalid value: 60: must be less than or equal to previous value',
    );
  }),

  apiCase('gates may be opened, not added', async (api) => {
    await api.pod('a', { spec: { schedulingGates: [{ name: 'a' }, { name: 'b' }] } });
    const path = api.path('pods', 'a');
    assert.deepEqual(
      (await api.patch(path, { spec: { schedulingGates: [{ name: 'b' }] } })).done().at('spec.schedulingGates'),
      [{ name: 'b' }],
    );
    (await api.patch(path, { spec: { schedulingGates: [{ name: 'b' }, { name: 'c' }] } })).faults(
      "spec.schedulingGates[1].name: Forbidden: only deletion is allowed, but found new scheduling gate 'c'",
    );
  }),

  apiCase('a new node takes no pods until it is found ready', async (api) => {
    const name = api.context.unique('node');
    const node = (await api.post('/api/v1/nodes', { metadata: { name }, spec: { unschedulable: true } })).done(201);
    api.context.defer(() => api.delete(`/api/v1/nodes/${name}`));
    assert.deepEqual(node.at('spec.taints'), [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }]);
  }),

  apiCase('a node comes with its status, and its taints must be sound', async (api) => {
    const name = api.context.unique('node');
    const body = { metadata: { name }, spec: { unschedulable: true }, status: { capacity: { cpu: '4' } } };
    const node = (await api.post('/api/v1/nodes?dryRun=All', body)).done(201);
    assert.deepEqual([node.at('status.capacity'), node.at('status.allocatable')], [{ cpu: '4' }, { cpu: '4' }]);
    const taint = { key: 'a', effect: 'Odd' };
    const answer = await api.post('/api/v1/nodes?dryRun=All', { ...body, spec: { taints: [taint] } });
    answer.faults(
      'metadata.taints[0].effect: Unsupported value: "Odd": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
    );
  }),

  apiCase('the provider of a node is set once', async (api) => {
    const name = api.context.unique('node');
    (await api.post('/api/v1/nodes', { metadata: { name }, spec: { unschedulable: true, providerID: 'a' } })).done(201);
    api.context.defer(() => api.delete(`/api/v1/nodes/${name}`));
    const answer = await api.patch(`/api/v1/nodes/${name}`, { spec: { providerID: 'b' } });
    answer.faults('spec.providerID: Forbidden: node updates may not change providerID except from "" to valid');
  }),

  apiCase('a Deployment is completed, and checked against its template', async (api) => {
    const template = {
      metadata: { labels: { app: 'a' } },
      spec: { containers: [{ name: 'main', image: 'example.com/app:1' }] },
    };
    const path = `${api.path('apps/deployments')}?dryRun=All`;
    const created = (
      await api.post(path, { metadata: { name: 'a' }, spec: { selector: { matchLabels: { app: 'a' } }, template } })
    ).done(201);
    assert.deepEqual(created.at('spec.strategy'), {
      type: 'RollingUpdate',
      rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' },
    });
    assert.deepEqual([created.at('spec.replicas'), created.at('spec.progressDeadlineSeconds')], [1, 600]);
    (
      await api.post(path, { metadata: { name: 'a' }, spec: { selector: { matchLabels: { app: 'b' } }, template } })
    ).faults('spec.template.metadata.labels: Invalid value: {"app":"a"}: `selector` does not match template `labels`');
  }),

  apiCase('a Job selects its pods by its own UID', async (api) => {
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'example.com/app:1' }] } };
    const job = (
      await api.post(`${api.path('batch/jobs')}?dryRun=All`, { metadata: { name: 'a' }, spec: { template } })
    ).done(201);
    const uid = job.text('metadata.uid');
    assert.deepEqual(job.at('spec.selector'), { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } });
    assert.deepEqual(job.at('spec.template.metadata.labels'), {
      'batch.kubernetes.io/controller-uid': uid,
      'batch.kubernetes.io/job-name': 'a',
      'controller-uid': uid,
      'job-name': 'a',
    });
  }),

  apiCase('a Job without labels has those of its pods', async (api) => {
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'example.com/app:1' }] } };
    const spec = { suspend: true, template };
    const job = (await api.post(api.path('batch/jobs'), { metadata: { name: 'a' }, spec })).done(201);
    assert.deepEqual(job.at('metadata.labels'), job.at('spec.template.metadata.labels'));
  }),

  apiCase('a Job must end its pods', async (api) => {
    const template = { spec: { containers: [{ name: 'main', image: 'example.com/app:1' }] } };
    const answer = await api.post(api.path('batch/jobs'), { metadata: { name: 'a' }, spec: { template } });
    answer.faults('spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"');
  }),

  apiCase('a budget keeps either a number or loses one', async (api) => {
    const spec = { selector: { matchLabels: { app: 'a' } }, minAvailable: 1, maxUnavailable: 1 };
    const answer = await api.post(api.path('policy/poddisruptionbudgets'), { metadata: { name: 'a' }, spec });
    answer.refused(422, 'Invalid', /minAvailable and maxUnavailable cannot be both set$/);
  }),

  apiCase('events are the same under their old group and their new one', async (api) => {
    const { namespace } = api.context;
    const old = {
      metadata: { name: 'a' },
      involvedObject: { kind: 'Pod', name: 'p', namespace },
      reason: 'Told',
      message: 'something happened',
      type: 'Normal',
      source: { component: 'contract' },
    };
    (await api.post(api.path('events'), old)).done(201);
    const event = (await api.get(api.path('events.k8s.io/events', 'a'))).done();
    assert.deepEqual(
      [event.at('apiVersion'), event.at('note'), event.at('regarding.name')],
      ['events.k8s.io/v1', 'something happened', 'p'],
    );
    const list = await api.get(`${api.path('events.k8s.io/events')}?fieldSelector=regarding.kind%3DPod`);
    assert.equal(list.done().items.length, 1);
  }),
];
