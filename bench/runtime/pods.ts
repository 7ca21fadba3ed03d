/** How many workloads the pods belong to: pods of one workload differ in names, addresses and times only. */
const WORKLOADS = 200;

const ENVIRONMENT = ['LOG_LEVEL', 'REGION', 'OTEL_EXPORTER_OTLP_ENDPOINT', 'FEATURES', 'DATABASE_URL'];
const CONTAINERS = ['app'];
const CONDITIONS = ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled'];

/** Pod `i` of a large cluster, about 5.4 kB of JSON, as the API server would send it; `revision` tells changes apart. */
export function benchPod(i: number, revision: number): { key: string; metadata: object; body: object } {
  const workload = i % WORKLOADS;
  const namespace = `team-${workload % 50}`;
  const owner = `workload-${workload}-7c9d5b8f6d`;
  const name = `${owner}-${i.toString(36).padStart(5, '0')}`;
  const apiAccess = `kube-api-access-${(i * 7919).toString(36).padStart(5, '0')}`; // differs from pod to pod
  return {
    key: `${namespace}/${name}`,
    metadata: { generateName: `${owner}-`, ...ownMetadata(workload, owner), managedFields: managedFields(workload) },
    body: { spec: specOf(i, workload, apiAccess), status: statusOf(i, revision) },
  };
}

const APP = (workload: number): string => `workload-${workload}`;

const ownerUid = (workload: number): string => `b6c1f2de-0000-4000-8000-${String(workload).padStart(12, '0')}`;

function ownMetadata(workload: number, owner: string) {
  return {
    creationTimestamp: '2026-11-16T08:00:00Z',
    labels: {
      'app.kubernetes.io/name': APP(workload),
      'app.kubernetes.io/version': '1.27.3',
      'app.kubernetes.io/managed-by': 'Helm',
      'pod-template-hash': '7c9d5b8f6d',
      team: `team-${workload % 50}`,
    },
    annotations: {
      'prometheus.io/scrape': 'true',
      'checksum/config': 'a3f5c9d2e8b7461f0c9d8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a3b2c1d0e9f8a7b',
    },
    ownerReferences: [
      {
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        name: owner,
        uid: ownerUid(workload),
        controller: true,
        blockOwnerDeletion: true,
      },
    ],
  };
}

function specOf(i: number, workload: number, apiAccess: string): object {
  return {
    volumes: [
      {
        name: apiAccess,
        projected: {
          sources: [
            { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
            { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
          ],
          defaultMode: 420,
        },
      },
    ],
    containers: CONTAINERS.map((name) => containerOf(name, workload, apiAccess)),
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    serviceAccount: APP(workload),
    nodeName: `ip-10-0-${(i >> 5) % 256}-${(i >> 13) % 256}.eu-central-1.compute.internal`,
    securityContext: { runAsNonRoot: true, fsGroup: 1000 },
    schedulerName: 'default-scheduler',
    tolerations: [
      { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
      { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
    ],
    priority: 0,
    enableServiceLinks: true,
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: 'topology.kubernetes.io/zone',
        whenUnsatisfiable: 'ScheduleAnyway',
        labelSelector: { matchLabels: { 'app.kubernetes.io/name': APP(workload) } },
      },
    ],
  };
}

function containerOf(name: string, workload: number, apiAccess: string): object {
  return {
    name,
    image: `registry.example.com/team-${workload % 50}/${name}:1.27.3`,
    ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
    env: ENVIRONMENT.map((variable) => ({ name: variable, value: `value-of-${variable.toLowerCase()}` })),
    resources: {
      limits: { memory: `${256 + workload}Mi` },
      requests: { cpu: `${100 + (workload % 10) * 50}m`, memory: `${256 + workload}Mi` },
    },
    volumeMounts: [{ name: apiAccess, readOnly: true, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' }],
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: 'IfNotPresent',
  };
}

function statusOf(i: number, revision: number): object {
  const podIP = `10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}`;
  const at = '2026-11-16T08:00:07Z';
  return {
    phase: 'Running',
    conditions: ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map(
      (type) => ({
        type,
        status: 'True',
        lastProbeTime: null,
        lastTransitionTime: at,
      }),
    ),
    hostIP: '10.0.0.1',
    podIP,
    podIPs: [{ ip: podIP }],
    startTime: at,
    containerStatuses: CONTAINERS.map((name) => ({
      name,
      state: { running: { startedAt: at } },
      lastState: {},
      ready: true,
      restartCount: revision,
      image: `registry.example.com/${name}:1.27.3`,
      imageID: `registry.example.com/${name}@sha256:${'5f'.repeat(32)}`,
      containerID: `containerd://${i.toString(16).padStart(64, '0')}`,
      started: true,
    })),
    qosClass: 'Burstable',
  };
}

const owned = (...names: readonly string[]): object => Object.fromEntries(names.map((name) => [`f:${name}`, {}]));

function managedFields(workload: number): readonly object[] {
  const by = (manager: string, fieldsV1: object, rest: object = {}): object => {
    return {
      manager,
      operation: 'Update',
      apiVersion: 'v1',
      time: '2026-11-16T08:00:07Z',
      fieldsType: 'FieldsV1',
      fieldsV1,
      ...rest,
    };
  };
  return [
    by('kube-controller-manager', { 'f:metadata': ownedMetadata(workload), 'f:spec': ownedSpec() }),
    by('kubelet', { 'f:status': ownedStatus() }, { subresource: 'status' }),
  ];
}

function ownedMetadata(workload: number): object {
  const { labels, annotations } = ownMetadata(workload, '');
  return {
    'f:annotations': { '.': {}, ...owned(...Object.keys(annotations)) },
    'f:generateName': {},
    'f:labels': { '.': {}, ...owned(...Object.keys(labels)) },
    'f:ownerReferences': { '.': {}, [`k:{"uid":"${ownerUid(workload)}"}`]: {} },
  };
}

function ownedSpec(): object {
  const env = Object.fromEntries(
    ENVIRONMENT.map((name) => [`k:{"name":"${name}"}`, { '.': {}, ...owned('name', 'value') }]),
  );
  return {
    'f:containers': Object.fromEntries(
      CONTAINERS.map((name) => [
        `k:{"name":"${name}"}`,
        {
          '.': {},
          'f:env': { '.': {}, ...env },
          'f:resources': { '.': {}, ...owned('limits', 'requests') },
          ...owned('image', 'imagePullPolicy', 'name', 'terminationMessagePath', 'terminationMessagePolicy'),
        },
      ]),
    ),
    ...owned('dnsPolicy', 'enableServiceLinks', 'restartPolicy', 'schedulerName', 'securityContext', 'serviceAccount'),
  };
}

function ownedStatus(): object {
  const condition = { '.': {}, ...owned('lastProbeTime', 'lastTransitionTime', 'status', 'type') };
  const conditions = Object.fromEntries(CONDITIONS.map((type) => [`k:{"type":"${type}"}`, condition]));
  return { 'f:conditions': conditions, ...owned('containerStatuses', 'hostIP', 'phase', 'podIP', 'startTime') };
}
