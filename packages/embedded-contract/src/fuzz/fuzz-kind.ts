import type { JsonObject } from '@karpenter-ts/kubernetes';

/** A kind that is asked about, and what a good object of it looks like. */
export interface FuzzKind {
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly subresources: readonly string[];
  /** All but apiVersion, kind and metadata. Each is admitted as it stands. */
  readonly contents: readonly JsonObject[];
}

const CONTAINER = { name: 'main', image: 'registry.example/app:1' };

const POD_SPECS: readonly JsonObject[] = [
  { containers: [CONTAINER] },
  {
    containers: [
      {
        ...CONTAINER,
        ports: [{ containerPort: 80, protocol: 'TCP', name: 'http' }],
        env: [{ name: 'A', value: 'b' }],
        resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { cpu: '1', memory: '128Mi' } },
        imagePullPolicy: 'IfNotPresent',
      },
    ],
    initContainers: [{ name: 'prepare', image: 'busybox' }],
    nodeSelector: { disk: 'ssd' },
    tolerations: [{ key: 'dedicated', operator: 'Equal', value: 'web', effect: 'NoSchedule' }],
    terminationGracePeriodSeconds: 5,
  },
  {
    containers: [CONTAINER],
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['a', 'b'] }] }],
        },
      },
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'a' } } },
        ],
      },
    },
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: 'zone',
        whenUnsatisfiable: 'DoNotSchedule',
        labelSelector: { matchLabels: { app: 'a' } },
      },
    ],
    volumes: [
      { name: 'data', persistentVolumeClaim: { claimName: 'a' } },
      { name: 'tmp', emptyDir: {} },
    ],
    priorityClassName: 'system-node-critical',
    schedulingGates: [{ name: 'example.com/hold' }],
  },
];

const SELECTOR = { matchLabels: { app: 'a' } };
const template = (spec: JsonObject): JsonObject => ({ metadata: { labels: { app: 'a' } }, spec });
const PLAIN_TEMPLATE = template({ containers: [CONTAINER] });

const cluster = (
  group: string,
  kind: string,
  plural: string,
  contents: readonly JsonObject[],
  ...subresources: string[]
) => ({
  group,
  kind,
  plural,
  namespaced: false,
  contents,
  subresources,
});
const namespaced = (
  group: string,
  kind: string,
  plural: string,
  contents: readonly JsonObject[],
  ...subresources: string[]
) => ({
  ...cluster(group, kind, plural, contents, ...subresources),
  namespaced: true,
});

/** What is asked about. NodePool stands for custom resources: its CRD must be installed. */
export const FUZZ_KINDS: readonly FuzzKind[] = [
  namespaced('', 'ConfigMap', 'configmaps', [
    { data: { a: '1' } },
    { data: { a: '1', 'b.c': '2' }, binaryData: { d: 'AAE=' } },
    { data: {}, immutable: true },
  ]),
  namespaced('', 'Secret', 'secrets', [
    { type: 'Opaque', data: { k: 'dg==' } },
    { stringData: { k: 'v' } },
    { type: 'kubernetes.io/basic-auth', stringData: { username: 'a', password: 'b' } },
  ]),
  namespaced(
    '',
    'Pod',
    'pods',
    POD_SPECS.map((spec) => ({ spec })),
    'status',
    'binding',
    'eviction',
  ),
  cluster(
    '',
    'Node',
    'nodes',
    [
      { spec: { taints: [{ key: 'dedicated', value: 'web', effect: 'NoSchedule' }], providerID: 'kwok://a' } },
      { spec: { unschedulable: true }, status: { capacity: { cpu: '4', memory: '8Gi', pods: '110' } } },
    ],
    'status',
  ),
  namespaced(
    '',
    'PersistentVolumeClaim',
    'persistentvolumeclaims',
    [
      {
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, storageClassName: 'fast' },
      },
    ],
    'status',
  ),
  cluster(
    '',
    'PersistentVolume',
    'persistentvolumes',
    [
      {
        spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], csi: { driver: 'd', volumeHandle: 'h' } },
      },
    ],
    'status',
  ),
  namespaced('', 'Event', 'events', [
    {
      involvedObject: { kind: 'Pod', namespace: 'fuzz-a', name: 'a' },
      reason: 'Tested',
      message: 'm',
      type: 'Normal',
      source: { component: 'fuzz' },
    },
  ]),
  cluster('', 'Namespace', 'namespaces', [{}, { spec: { finalizers: ['kubernetes'] } }], 'status'),
  namespaced('', 'ServiceAccount', 'serviceaccounts', [
    { automountServiceAccountToken: false, imagePullSecrets: [{ name: 'a' }], secrets: [{ name: 'b' }] },
  ]),
  namespaced(
    'apps',
    'Deployment',
    'deployments',
    [
      { spec: { replicas: 1, selector: SELECTOR, template: PLAIN_TEMPLATE } },
      {
        spec: {
          selector: SELECTOR,
          template: template(POD_SPECS[1] as JsonObject),
          strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: 1 } },
          minReadySeconds: 1,
          progressDeadlineSeconds: 60,
        },
      },
    ],
    'status',
    'scale',
  ),
  namespaced(
    'apps',
    'ReplicaSet',
    'replicasets',
    [{ spec: { replicas: 0, selector: SELECTOR, template: PLAIN_TEMPLATE } }],
    'status',
    'scale',
  ),
  namespaced(
    'apps',
    'StatefulSet',
    'statefulsets',
    [{ spec: { serviceName: 's', selector: SELECTOR, template: PLAIN_TEMPLATE, podManagementPolicy: 'Parallel' } }],
    'status',
    'scale',
  ),
  namespaced('apps', 'DaemonSet', 'daemonsets', [{ spec: { selector: SELECTOR, template: PLAIN_TEMPLATE } }], 'status'),
  namespaced(
    'batch',
    'Job',
    'jobs',
    [
      {
        spec: {
          completions: 2,
          parallelism: 1,
          backoffLimit: 3,
          template: { spec: { containers: [CONTAINER], restartPolicy: 'Never' } },
        },
      },
    ],
    'status',
  ),
  namespaced(
    'policy',
    'PodDisruptionBudget',
    'poddisruptionbudgets',
    [
      { spec: { minAvailable: 1, selector: SELECTOR } },
      { spec: { maxUnavailable: '50%', selector: { matchExpressions: [{ key: 'app', operator: 'Exists' }] } } },
    ],
    'status',
  ),
  namespaced('coordination.k8s.io', 'Lease', 'leases', [
    { spec: { holderIdentity: 'a', leaseDurationSeconds: 40, renewTime: '2026-01-01T00:00:00.000000Z' } },
  ]),
  cluster('storage.k8s.io', 'StorageClass', 'storageclasses', [
    { provisioner: 'example.com/disk', volumeBindingMode: 'WaitForFirstConsumer', reclaimPolicy: 'Delete' },
  ]),
  cluster('storage.k8s.io', 'CSINode', 'csinodes', [
    { spec: { drivers: [{ name: 'd.example.com', nodeID: 'n', topologyKeys: ['zone'], allocatable: { count: 3 } }] } },
  ]),
  cluster('storage.k8s.io', 'VolumeAttachment', 'volumeattachments', [
    { spec: { attacher: 'd.example.com', nodeName: 'a', source: { persistentVolumeName: 'a' } } },
  ]),
  cluster('scheduling.k8s.io', 'PriorityClass', 'priorityclasses', [{ value: 7, preemptionPolicy: 'Never' }]),
  cluster(
    'karpenter.sh',
    'NodePool',
    'nodepools',
    [
      {
        spec: {
          weight: 5,
          limits: { cpu: '100' },
          disruption: { consolidateAfter: '30s', budgets: [{ nodes: '10%', schedule: '@daily', duration: '1h' }] },
          template: {
            spec: {
              nodeClassRef: { group: 'karpenter.kwok.sh', kind: 'KWOKNodeClass', name: 'default' },
              requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] }],
              taints: [{ key: 'a', effect: 'NoSchedule' }],
            },
          },
        },
      },
    ],
    'status',
  ),
];
