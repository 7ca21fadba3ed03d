import type { JsonObject } from '@karpenter-ts/kubernetes';
import { creating, type Script } from './script.ts';

const podOf = (spec: JsonObject = {}, container: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  metadata: { name: 'p', ...metadata },
  spec: { containers: [{ name: 'a', image: 'x:1', ...container }], ...spec },
});

/** Valid and invalid pods: what the server defaults, and all the errors it reports. */
export const podScript: Script = {
  name: 'pods',
  requests: creating('/api/v1/namespaces/NS/pods', [
    podOf(),
    podOf({}, { image: 'x' }),
    podOf({}, { image: 'reg:5000/x' }),
    podOf({}, { image: 'x:latest' }),
    podOf({}, { image: 'x@sha256:abc' }),
    podOf({}, { image: '' }),
    podOf({}, { name: '' }),
    podOf({}, { name: 'A_b' }),
    podOf({
      containers: [
        { name: 'a', image: 'x' },
        { name: 'a', image: 'y' },
      ],
    }),
    podOf({ containers: [] }),
    podOf({}, { resources: { requests: { cpu: '0.5', memory: '1Gi' }, limits: { cpu: 1 } } }),
    podOf({}, { resources: { limits: { cpu: '1', memory: '1Gi' } } }),
    podOf({}, { resources: { requests: { cpu: '2' }, limits: { cpu: '1' } } }),
    podOf({}, { resources: { requests: { cpu: '-1' } } }),
    podOf({}, { resources: { requests: { foo: '1' } } }),
    podOf({}, { resources: { requests: { pods: '1' } } }),
    podOf({}, { resources: { requests: { 'ex.io/gpu': '1' } } }),
    podOf({}, { resources: { requests: { 'ex.io/gpu': '1' }, limits: { 'ex.io/gpu': '1' } } }),
    podOf({}, { resources: { requests: { 'ex.io/gpu': '500m' }, limits: { 'ex.io/gpu': '500m' } } }),
    podOf({}, { resources: { requests: { 'a b': '1' } } }),
    podOf({}, { resources: { requests: { 'hugepages-2Mi': '2Mi' }, limits: { 'hugepages-2Mi': '2Mi' } } }),
    podOf({}, { resources: { requests: { 'ephemeral-storage': '1G' } } }),
    podOf({}, { ports: [{ containerPort: 80 }] }),
    podOf({}, { ports: [{ containerPort: 0 }] }),
    podOf({}, { ports: [{ containerPort: 70000, hostPort: -1, protocol: 'X', name: 'A--b' }] }),
    podOf({ hostNetwork: true }, { ports: [{ containerPort: 80 }] }),
    podOf(
      {},
      {
        ports: [
          { containerPort: 80, name: 'a' },
          { containerPort: 81, name: 'a' },
        ],
      },
    ),
    podOf({}, { env: [{ name: 'A', value: 'b' }, { name: '' }] }),
    podOf({}, { imagePullPolicy: 'Foo', terminationMessagePolicy: 'Bar' }),
    podOf({ restartPolicy: 'Foo' }),
    podOf({ restartPolicy: 'Never' }),
    podOf({ dnsPolicy: 'Foo' }),
    podOf({ terminationGracePeriodSeconds: -5 }),
    podOf({ terminationGracePeriodSeconds: 0 }),
    podOf({ activeDeadlineSeconds: 0 }),
    podOf({ activeDeadlineSeconds: 5 }),
    podOf({ nodeSelector: { 'a b': 'c d' } }),
    podOf({ nodeName: 'Bad_' }),
    podOf({ nodeName: 'n1' }),
    podOf({ hostname: 'A.b', subdomain: '-' }),
    podOf({ tolerations: [{ key: 'a', operator: 'Exists', value: 'x' }] }),
    podOf({ tolerations: [{ operator: 'Exists' }] }),
    podOf({ tolerations: [{ key: 'a', value: 'b' }] }),
    podOf({ tolerations: [{ value: 'b' }] }),
    podOf({ tolerations: [{ key: 'a', operator: 'Foo' }] }),
    podOf({ tolerations: [{ key: 'a', operator: 'Exists', effect: 'Foo' }] }),
    podOf({ tolerations: [{ key: 'a', operator: 'Exists', effect: 'NoSchedule', tolerationSeconds: 5 }] }),
    podOf({
      tolerations: [
        { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 },
      ],
    }),
    podOf({ tolerations: [{ key: 'a', operator: 'Gt', value: '5' }] }),
    podOf({
      affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } } },
    }),
    podOf({
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [
              {
                matchExpressions: [
                  { key: 'a', operator: 'In' },
                  { key: 'b', operator: 'Exists', values: ['x'] },
                  { key: 'c', operator: 'Gt', values: ['1', '2'] },
                  { key: 'd', operator: 'Foo' },
                  { key: '', operator: 'Exists' },
                  { key: 'e', operator: 'In', values: ['x y'] },
                ],
              },
            ],
          },
        },
      },
    }),
    podOf({
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [
              {
                matchFields: [
                  { key: 'metadata.name', operator: 'In', values: ['a', 'b'] },
                  { key: 'x', operator: 'Exists' },
                ],
              },
            ],
          },
        },
      },
    }),
    podOf({
      affinity: {
        nodeAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 0, preference: {} },
            { weight: 101, preference: { matchExpressions: [{ key: 'e', operator: 'In', values: ['x y'] }] } },
          ],
        },
      },
    }),
    podOf({
      affinity: {
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            {
              topologyKey: '',
              labelSelector: { matchLabels: { 'a b': 'c' }, matchExpressions: [{ key: 'x', operator: 'In' }] },
              namespaces: ['B'],
            },
          ],
        },
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 1, podAffinityTerm: { topologyKey: 'z', labelSelector: {} } },
          ],
        },
      },
    }),
    podOf({ topologySpreadConstraints: [{ maxSkew: 0, topologyKey: '', whenUnsatisfiable: 'X' }] }),
    podOf({
      topologySpreadConstraints: [
        { maxSkew: 1, topologyKey: 'z', whenUnsatisfiable: 'DoNotSchedule' },
        { maxSkew: 2, topologyKey: 'z', whenUnsatisfiable: 'DoNotSchedule' },
      ],
    }),
    podOf({
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: 'z',
          whenUnsatisfiable: 'ScheduleAnyway',
          minDomains: 2,
          nodeAffinityPolicy: 'F',
          nodeTaintsPolicy: 'Honor',
        },
      ],
    }),
    podOf({
      topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'z', whenUnsatisfiable: 'DoNotSchedule', minDomains: 0 }],
    }),
    podOf(
      { volumes: [{ name: 'v' }] },
      {
        volumeMounts: [
          { name: 'v', mountPath: '/a' },
          { name: 'v', mountPath: '/a' },
          { name: 'w', mountPath: '' },
        ],
      },
    ),
    podOf({ volumes: [{ name: 'v', emptyDir: {}, hostPath: { path: '/' } }] }),
    podOf({ volumes: [{ name: 'v' }, { name: 'v' }] }),
    podOf({ volumes: [{ name: 'V' }] }),
    podOf({ volumes: [{ name: 'v', secret: {} }] }),
    podOf({
      volumes: [
        { name: 'v', secret: { secretName: 's' } },
        { name: 'c', configMap: { name: 'c' } },
        { name: 'p', persistentVolumeClaim: { claimName: 'x' } },
        { name: 'h', hostPath: { path: '/x' } },
        { name: 'd', downwardAPI: { items: [{ path: 'a', fieldRef: { fieldPath: 'metadata.name' } }] } },
      ],
    }),
    podOf({ volumes: [{ name: 'v', persistentVolumeClaim: {} }] }),
    podOf({ volumes: [{ name: 'v', hostPath: {} }] }),
    podOf({
      volumes: [
        {
          name: 'v',
          ephemeral: {
            volumeClaimTemplate: {
              spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
            },
          },
        },
      ],
    }),
    podOf({ schedulingGates: [{ name: 'a' }, { name: 'a' }, { name: 'b c' }] }),
    podOf({ schedulingGates: [{ name: 'a.b/c' }] }),
    podOf({ schedulingGates: [{ name: 'a' }], nodeName: 'x' }),
    podOf({ priorityClassName: 'nope' }),
    podOf({ priorityClassName: 'system-node-critical' }),
    podOf({ priority: 5 }),
    podOf({ preemptionPolicy: 'Never' }),
    podOf({ priorityClassName: 'B_' }),
    podOf({ initContainers: [{ name: 'i', image: 'y' }] }),
    podOf({ initContainers: [{ name: 'a', image: 'y' }] }),
    podOf({ initContainers: [{ name: 'i', image: 'y', restartPolicy: 'Always' }] }),
    podOf(
      {},
      { livenessProbe: { httpGet: { port: 80 } }, readinessProbe: { exec: { command: ['x'] }, periodSeconds: -1 } },
    ),
    podOf({}, { livenessProbe: {} }),
    podOf({}, { lifecycle: { preStop: { exec: { command: ['x'] } } } }),
    podOf({ serviceAccountName: 'foo' }),
    podOf({ hostAliases: [{ ip: 'x' }] }),
    podOf({ securityContext: { runAsUser: -1 } }),
    podOf({ overhead: { cpu: '1' } }),
    podOf({ runtimeClassName: 'foo' }),
    podOf({ imagePullSecrets: [{}] }),
    podOf({ os: { name: 'foo' } }),
    podOf({ shareProcessNamespace: true }),
    podOf({}, {}, { labels: { 'a/b/c': 'x' } }),
    podOf({}, {}, { annotations: { A_B: 'x' } }),
    podOf({}, {}, { namespace: 'default' }),
    podOf({}, {}, { finalizers: ['x'] }),
    podOf({}, {}, { name: 'a.b' }),
    podOf({}, {}, { name: 'x'.repeat(254) }),
    { metadata: { name: 'p' } },
    { metadata: { name: 'p' }, spec: null },
    { metadata: null },
    { spec: { containers: [null] } },
    podOf({ resources: { requests: { cpu: '1' } } }),
    podOf({ resourceClaims: [{ name: 'x' }] }),
    podOf({ hostPID: true, hostIPC: true }),
    podOf({ dnsConfig: { nameservers: ['x'] } }),
    podOf({ dnsPolicy: 'None' }),
    podOf({ readinessGates: [{ conditionType: 'a b' }] }),
    podOf({ automountServiceAccountToken: false, enableServiceLinks: false }),
    podOf({ setHostnameAsFQDN: true }),
    podOf({ ephemeralContainers: [{ name: 'e', image: 'x' }] }),
  ]),
};
