import { customResourceDefinition, RESOURCES } from '@karpenter-ts/apis';
import type { JsonObject } from '@karpenter-ts/kubernetes';

/** On nodes, and what their pods look for: other suites use the same lab. */
export const SUITE = 'kubectl-script';

/** Objects as kubectl reads them: one document each. */
export const manifest = (...items: readonly JsonObject[]): string =>
  items.map((item) => JSON.stringify(item)).join('\n---\n');

/** One document that holds them: kubectl then looks at their fields itself. */
export const list = (...items: readonly JsonObject[]): JsonObject => ({
  apiVersion: 'v1',
  kind: 'List',
  items: [...items],
});

/** A node with a simulated kubelet; all it says of itself is said here, since kubelets differ. */
export const node = (name: string): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name,
    labels: { suite: SUITE, 'kubernetes.io/hostname': name },
    annotations: { 'kwok.x-k8s.io/node': 'fake' },
  },
  spec: { taints: [{ key: SUITE, effect: 'NoSchedule' }] },
  status: {
    addresses: [{ type: 'InternalIP', address: '10.9.9.9' }],
    capacity: { cpu: '4', memory: '8Gi', pods: '20' },
    allocatable: { cpu: '4', memory: '8Gi', pods: '20' },
    nodeInfo: {
      architecture: 'amd64',
      operatingSystem: 'linux',
      kubeletVersion: 'v1.35.4',
      kubeProxyVersion: 'v1.35.4',
      containerRuntimeVersion: 'none://1',
      kernelVersion: '6.12.0',
      osImage: 'Simulated',
      bootID: '1',
      machineID: '1',
      systemUUID: '1',
    },
  },
});

const POD_SPEC = {
  nodeSelector: { suite: SUITE },
  tolerations: [{ key: SUITE, operator: 'Exists' }],
  containers: [{ name: 'app', image: 'registry.example/app:1', resources: { requests: { cpu: '100m' } } }],
};

const template = (app: string, spec: JsonObject = {}) => ({
  selector: { matchLabels: { app } },
  template: { metadata: { labels: { app } }, spec: { ...POD_SPEC, ...spec } },
});

const onePerNode = (app: string): JsonObject => ({
  affinity: {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app } } },
      ],
    },
  },
});

export const deployment = (replicas: number): JsonObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: { replicas, ...template('web') },
});

/** One pod on each of two nodes, so that what a drain moves does not depend on chance. */
export const STEADY: JsonObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'steady' },
  spec: { replicas: 2, ...template('steady', onePerNode('steady')) },
};

export const POD: JsonObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'solo', labels: { app: 'solo' } },
  spec: { ...POD_SPEC, nodeName: 'script-a' },
};

export const STATEFUL_SET: JsonObject = {
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: 'db' },
  spec: { replicas: 2, serviceName: 'db', ...template('db') },
};

export const DAEMON_SET: JsonObject = {
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'agent' },
  spec: template('agent'),
};

export const JOB: JsonObject = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'once' },
  spec: { completions: 2, template: { spec: { ...POD_SPEC, restartPolicy: 'Never' } } },
};

export const CLAIM: JsonObject = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'data' },
  spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'none', resources: { requests: { storage: '1Gi' } } },
};

export const configMap = (data: JsonObject, more: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'applied' },
  data,
  ...more,
});

/** NodePool by another name, since other suites install and change the real one. */
export const CRD: JsonObject = (() => {
  const nodePool = RESOURCES.core.find(({ kind }) => kind === 'NodePool');
  if (nodePool === undefined) throw new Error('NodePool is not among the kinds');
  return customResourceDefinition({ ...nodePool, group: 'script.example.com', kind: 'Pool', plural: 'pools' });
})();

/** An object of that kind. */
export const pool = (spec: JsonObject): JsonObject => ({
  apiVersion: 'script.example.com/v1',
  kind: 'Pool',
  metadata: { name: 'general' },
  spec: {
    template: {
      spec: {
        nodeClassRef: { group: 'karpenter.kwok.sh', kind: 'KWOKNodeClass', name: 'default' },
        requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] }],
      },
    },
    ...spec,
  },
});
