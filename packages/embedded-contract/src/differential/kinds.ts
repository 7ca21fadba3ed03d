import type { JsonObject } from '@karpenter-ts/kubernetes';
import { creating, type Script } from './script.ts';

const tmpl = (spec: JsonObject = {}, labels: JsonObject | undefined = { a: 'b' }): JsonObject => ({
  metadata: { labels },
  spec: { containers: [{ name: 'a', image: 'x:1' }], ...spec },
});
const sel = { matchLabels: { a: 'b' } };

const w = (spec: JsonObject, meta: JsonObject = {}): JsonObject => ({ metadata: { name: 'w', ...meta }, spec });

/** Valid and invalid objects of every other kind. */
export const kindScript: Script = {
  name: 'other kinds',
  requests: [
    ...creating('/apis/apps/v1/namespaces/NS/deployments', [
      w({ selector: sel, template: tmpl() }),
      w({ template: tmpl() }),
      w({ selector: {}, template: tmpl() }),
      w({ selector: { matchLabels: { a: 'c' } }, template: tmpl() }),
      w({
        selector: sel,
        template: tmpl(),
        replicas: -1,
        minReadySeconds: -1,
        revisionHistoryLimit: -1,
        progressDeadlineSeconds: -1,
      }),
      w({ selector: sel, template: tmpl(), replicas: 0, paused: true }),
      w({ selector: sel, template: tmpl({ restartPolicy: 'Never', activeDeadlineSeconds: 5 }) }),
      w({ selector: sel, template: tmpl(), strategy: { type: 'Foo' } }),
      w({ selector: sel, template: tmpl(), strategy: { type: 'Recreate' } }),
      w({ selector: sel, template: tmpl(), strategy: { type: 'Recreate', rollingUpdate: {} } }),
      w({ selector: sel, template: tmpl(), strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } }),
      w({ selector: sel, template: tmpl(), strategy: { rollingUpdate: { maxSurge: 'x', maxUnavailable: '200%' } } }),
      w({ selector: sel, template: tmpl(), strategy: { rollingUpdate: { maxSurge: '50%', maxUnavailable: 1 } } }),
      w({ selector: sel, template: tmpl({ containers: [] }) }),
      w({ selector: { matchExpressions: [{ key: 'a', operator: 'Foo' }] }, template: tmpl() }),
      w({ selector: sel }),
      {},
      w({ selector: sel, template: tmpl(), progressDeadlineSeconds: 5, minReadySeconds: 5 }),
      w({ selector: sel, template: tmpl({}, { 'a b': 'c', a: 'b' }) }),
    ]),
    ...creating('/apis/apps/v1/namespaces/NS/replicasets', [
      w({ selector: sel, template: tmpl() }),
      w({ selector: sel }),
      w({ selector: {}, template: tmpl() }),
      w({ selector: sel, template: tmpl(), replicas: -5 }),
    ]),
    ...creating('/apis/apps/v1/namespaces/NS/statefulsets', [
      w({ selector: sel, template: tmpl(), serviceName: 's' }),
      w({ selector: sel, template: tmpl() }),
      w({ selector: sel, template: tmpl(), podManagementPolicy: 'X', updateStrategy: { type: 'Y' } }),
      w({ selector: sel, template: tmpl(), updateStrategy: { type: 'RollingUpdate' } }),
      w({ selector: sel, template: tmpl(), updateStrategy: { type: 'OnDelete' } }),
      w({
        selector: sel,
        template: tmpl(),
        volumeClaimTemplates: [
          {
            metadata: { name: 'v' },
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
          },
        ],
      }),
      w({ selector: sel, template: tmpl(), replicas: -1, serviceName: 'A' }),
      w({ selector: { matchLabels: { a: 'z' } }, template: tmpl() }),
      w({}),
    ]),
    ...creating('/apis/apps/v1/namespaces/NS/daemonsets', [
      w({ selector: sel, template: tmpl() }),
      w({ template: tmpl() }),
      w({ selector: sel, template: tmpl(), updateStrategy: { type: 'OnDelete' } }),
      w({ selector: sel, template: tmpl(), updateStrategy: { type: 'F' } }),
      w({ selector: sel, template: tmpl(), updateStrategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } } }),
      w({ selector: sel, template: tmpl(), updateStrategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } }),
      w({ selector: {}, template: tmpl() }),
      w({}),
    ]),
    ...creating('/apis/batch/v1/namespaces/NS/jobs', [
      w({ template: tmpl({ restartPolicy: 'Never' }) }),
      w({ template: tmpl() }),
      w({ template: tmpl({ restartPolicy: 'X' }) }),
      w({
        template: tmpl({ restartPolicy: 'OnFailure' }, undefined),
        completions: 3,
        parallelism: -1,
        backoffLimit: -1,
      }),
      w({ template: tmpl({ restartPolicy: 'Never' }), completionMode: 'Indexed' }),
      w({ template: tmpl({ restartPolicy: 'Never' }), completionMode: 'Foo', backoffLimitPerIndex: 1 }),
      w({ template: tmpl({ restartPolicy: 'Never' }), selector: sel }),
      w({ template: tmpl({ restartPolicy: 'Never' }), selector: sel, manualSelector: true }),
      w({ template: tmpl({ restartPolicy: 'Never' }), parallelism: 2, suspend: true, ttlSecondsAfterFinished: 5 }),
      w({}),
    ]),
    ...creating('/apis/policy/v1/namespaces/NS/poddisruptionbudgets', [
      w({ selector: sel, minAvailable: 1 }),
      w({ selector: sel, minAvailable: 1, maxUnavailable: 1 }),
      w({ minAvailable: '50%' }),
      w({ minAvailable: 'x' }),
      w({ maxUnavailable: -1 }),
      w({ maxUnavailable: '101%', unhealthyPodEvictionPolicy: 'X' }),
      w({}),
      w({ selector: { matchExpressions: [{ key: 'a', operator: 'In' }] }, maxUnavailable: 0 }),
    ]),
    ...creating('/api/v1/nodes', [
      { metadata: { name: 'n' } },
      {
        metadata: { name: 'n' },
        spec: {
          taints: [
            { key: 'a', effect: 'NoSchedule' },
            { key: 'a', effect: 'NoSchedule' },
            { key: 'b' },
            { key: 'c d', value: 'x y', effect: 'X' },
          ],
          unschedulable: true,
        },
      },
      { metadata: { name: 'N_' } },
      {
        metadata: { name: 'n', labels: { a: 'b' } },
        spec: { providerID: 'x://y', podCIDR: '10.0.0.0/24' },
        status: {
          capacity: { cpu: '4', memory: '8Gi' },
          conditions: [{ type: 'Ready', status: 'True' }],
          addresses: [{ type: 'InternalIP', address: '1.2.3.4' }],
        },
      },
      { metadata: { name: 'n', namespace: 'x' } },
    ]),
    ...creating('/api/v1/namespaces', [
      { metadata: { name: 'nn' } },
      { metadata: { name: 'N' } },
      { metadata: { name: 'nn', labels: { x: 'y' } }, spec: { finalizers: ['a/b'] }, status: { phase: 'Terminating' } },
      { metadata: { name: 'a.b' } },
    ]),
    ...creating('/api/v1/namespaces/NS/configmaps', [
      { metadata: { name: 'c' }, data: { a: 'b' }, immutable: true },
      { metadata: { name: 'c' }, binaryData: { a: 'YQ==' } },
      { metadata: { name: 'c' }, data: { '..': 'x', '': 'y' } },
    ]),
    ...creating('/api/v1/namespaces/NS/secrets', [
      { metadata: { name: 'c' }, data: { a: 'YQ==' } },
      { metadata: { name: 'c' }, stringData: { a: 'b' } },
      { metadata: { name: 'c' }, type: 'kubernetes.io/tls' },
      { metadata: { name: 'c' }, type: 'kubernetes.io/dockerconfigjson' },
    ]),
    ...creating('/api/v1/namespaces/NS/services', [
      w({ ports: [{ port: 80 }], selector: { a: 'b' } }),
      w({}),
      w({ type: 'ExternalName', externalName: 'x.y' }),
      w({ clusterIP: 'None' }),
      w({ type: 'Foo', ports: [{ port: 80 }] }),
      w({ ports: [{ port: 0 }, { port: 80, protocol: 'X' }] }),
      w({ ports: [{ port: 80 }, { port: 81 }] }),
      w({ type: 'LoadBalancer', ports: [{ port: 80 }] }, { name: '1x' }),
    ]),
    ...creating('/api/v1/namespaces/NS/serviceaccounts', [{ metadata: { name: 'c' } }]),
    ...creating('/api/v1/namespaces/NS/endpoints', [
      { metadata: { name: 'c' }, subsets: [{ addresses: [{ ip: '1.2.3.4' }], ports: [{ port: 80 }] }] },
    ]),
    ...creating('/api/v1/namespaces/NS/persistentvolumeclaims', [
      w({ accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } }),
      w({}),
      w({ accessModes: ['X'], resources: { requests: { storage: '-1Gi' } }, volumeMode: 'Y' }),
      w({
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '1Gi' } },
        storageClassName: 'foo',
        selector: sel,
      }),
    ]),
    ...creating('/api/v1/persistentvolumes', [
      w({ accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, hostPath: { path: '/x' } }),
      w({}),
      w({
        accessModes: ['X'],
        capacity: { storage: '1Gi' },
        csi: { driver: 'd', volumeHandle: 'h' },
        persistentVolumeReclaimPolicy: 'X',
      }),
      w({
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '1Gi' },
        csi: { driver: 'd.x', volumeHandle: 'h' },
        nodeAffinity: {
          required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'z', operator: 'In', values: ['a'] }] }] },
        },
      }),
    ]),
    ...creating('/apis/storage.k8s.io/v1/storageclasses', [
      { metadata: { name: 's' }, provisioner: 'x.y' },
      { metadata: { name: 's' } },
      { metadata: { name: 's' }, provisioner: 'x y', reclaimPolicy: 'X', volumeBindingMode: 'Y' },
      {
        metadata: { name: 's' },
        provisioner: 'x',
        volumeBindingMode: 'WaitForFirstConsumer',
        allowedTopologies: [{ matchLabelExpressions: [{ key: 'a', values: ['b'] }] }],
      },
    ]),
    ...creating('/apis/storage.k8s.io/v1/csinodes', [
      { metadata: { name: 's' }, spec: { drivers: [] } },
      { metadata: { name: 's' }, spec: { drivers: [{ name: 'd', nodeID: 'n', allocatable: { count: 5 } }] } },
      { metadata: { name: 's' }, spec: { drivers: [{}] } },
      { metadata: { name: 's' } },
    ]),
    ...creating('/apis/storage.k8s.io/v1/csidrivers', [{ metadata: { name: 's' }, spec: {} }]),
    ...creating('/apis/storage.k8s.io/v1/volumeattachments', [
      { metadata: { name: 's' }, spec: { attacher: 'a', nodeName: 'n', source: { persistentVolumeName: 'p' } } },
      { metadata: { name: 's' }, spec: {} },
    ]),
    ...creating('/apis/coordination.k8s.io/v1/namespaces/NS/leases', [
      w({}),
      w({ leaseDurationSeconds: 0, leaseTransitions: -1 }),
      w({
        holderIdentity: 'x',
        leaseDurationSeconds: 15,
        renewTime: '2020-01-01T00:00:00.123456Z',
        acquireTime: '2020-01-01T00:00:00.1+02:00',
      }),
      w({ renewTime: 'x' }),
    ]),
    ...creating('/apis/scheduling.k8s.io/v1/priorityclasses', [
      { metadata: { name: 'p' }, value: 5 },
      { metadata: { name: 'p' }, value: 2000000000 },
      { metadata: { name: 'system-x' }, value: 5 },
      { metadata: { name: 'p' }, value: 5, preemptionPolicy: 'X' },
      { metadata: { name: 'p' }, value: 5, globalDefault: true, preemptionPolicy: 'Never' },
    ]),
    ...creating('/api/v1/namespaces/NS/events', [
      {
        metadata: { name: 'e' },
        involvedObject: { kind: 'Pod', name: 'x', namespace: 'NS' },
        reason: 'R',
        message: 'm',
      },
      { metadata: { name: 'e' }, involvedObject: { namespace: 'other' } },
      { metadata: { name: 'e' } },
      { metadata: { name: 'e' }, eventTime: '2020-01-01T00:00:00Z', involvedObject: { namespace: 'NS' } },
    ]),
    ...creating('/apis/events.k8s.io/v1/namespaces/NS/events', [
      {
        metadata: { name: 'e' },
        regarding: { kind: 'Pod', name: 'x', namespace: 'NS' },
        reason: 'R',
        note: 'm',
        type: 'Normal',
        eventTime: '2020-01-01T00:00:00Z',
        reportingController: 'c',
        reportingInstance: 'i',
        action: 'A',
      },
      { metadata: { name: 'e' }, regarding: { namespace: 'NS' } },
    ]),
    ...creating('/api/v1/namespaces/NS/limitranges', [
      w({ limits: [{ type: 'Container', max: { cpu: '1' }, min: { memory: '1Mi' } }] }),
    ]),
    ...creating('/api/v1/namespaces/NS/resourcequotas', [w({ hard: { cpu: '1' } })]),
    ...creating('/api/v1/namespaces/NS/podtemplates', [{ metadata: { name: 'p' }, template: tmpl() }]),
    ...creating('/api/v1/namespaces/NS/replicationcontrollers', [
      w({ template: tmpl() }),
      w({}),
      w({ selector: { x: 'y' }, template: tmpl() }),
    ]),
    ...creating('/apis/apps/v1/namespaces/NS/controllerrevisions', [
      { metadata: { name: 'c' }, revision: 1, data: { a: 1 } },
      { metadata: { name: 'c' }, revision: -1 },
    ]),
    ...creating('/apis/rbac.authorization.k8s.io/v1/clusterroles', [
      { metadata: { name: 'a:b' }, rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] },
      { metadata: { name: 'a/b' } },
    ]),
    ...creating('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', [
      {
        metadata: { name: 'a' },
        roleRef: { kind: 'ClusterRole', name: 'cluster-admin' },
        subjects: [
          { kind: 'User', name: 'x' },
          { kind: 'ServiceAccount', name: 'y', namespace: 'z' },
        ],
      },
      { metadata: { name: 'a' } },
    ]),
  ],
};
