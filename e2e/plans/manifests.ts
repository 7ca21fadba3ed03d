// What the planner reads of objects, made into objects an API server takes.
import type {
  ApiObject,
  JsonObject,
  ObjectMeta,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  ResourceList,
  StorageClass,
} from '@karpenter-ts/kubernetes';
import type { Launch } from '@karpenter-ts/scheduling/testing';

/** An object to be, with what its kind has beside metadata. */
export type Manifest = ApiObject & Readonly<Record<string, unknown>>;

/** On a claim: the volume it names has agreed. */
const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed';
/** On pods of DaemonSets: the name of the set. */
export const DAEMON_LABEL = 'plans.test/daemon';
/** Holds a pod back until it is taken off. */
export const GATE = 'plans.test/nominated';

/** With a gate it is not scheduled until that is taken off. */
export function podManifest(
  { metadata: { name, namespace, labels }, spec }: Pod,
  gates: readonly string[] = [],
): Manifest {
  return {
    metadata: { name, ...(namespace && { namespace }), ...(labels && { labels }) },
    spec: { ...runnable(spec), schedulingGates: gates.map((gate) => ({ name: gate })) },
  };
}

/** A DaemonSet whose pods are as this one. */
export function daemonSetManifest({ metadata: { name, namespace, labels }, spec }: Pod): Manifest {
  const own = { ...labels, [DAEMON_LABEL]: name };
  return {
    metadata: { name, ...(namespace && { namespace }) },
    spec: { selector: { matchLabels: own }, template: { metadata: { labels: own }, spec: runnable(spec) } },
  };
}

type Spec = Pod['spec'];
type Container = NonNullable<Spec['containers']>[number];

function runnable(spec: Spec): JsonObject {
  const { containers = [], initContainers = [], ...rest } = spec;
  return {
    ...(rest as JsonObject),
    containers: containers.map((container, index) => runnableContainer(container, `main-${index}`)),
    initContainers: initContainers.map((container, index) => runnableContainer(container, `init-${index}`)),
  };
}

function runnableContainer({ resources, ports = [], restartPolicy }: Container, name: string): JsonObject {
  const requests = resources?.requests ?? {};
  return {
    name,
    image: 'none',
    ...(restartPolicy && { restartPolicy }),
    resources: { requests, limits: devicesOf(requests) },
    ports: ports.map(({ hostPort, ...port }) => ({ ...port, ...(hostPort && { hostPort, containerPort: hostPort }) })),
  };
}

/** Of devices a pod gets what it is limited to: the API server refuses other requests. */
function devicesOf(requests: ResourceList): ResourceList {
  return Object.fromEntries(Object.entries(requests).filter(([resource]) => resource.includes('/')));
}

/** A node with a simulated kubelet. */
export function nodeManifest(name: string, { labels, taints, capacity, allocatable }: NodeParts): Manifest {
  return {
    metadata: {
      name,
      labels: { ...labels, 'kubernetes.io/hostname': name },
      annotations: { 'kwok.x-k8s.io/node': 'fake' },
    },
    spec: { taints },
    status: { capacity, allocatable },
  };
}

type NodeParts = Pick<Launch, 'labels' | 'taints' | 'capacity' | 'allocatable'>;

/** How many volumes of which driver the node takes. */
export function csiNodeManifest(name: string, limits: Readonly<Record<string, number>>): Manifest {
  const drivers = Object.entries(limits).map(([driver, count]) => ({
    name: driver,
    nodeID: name,
    topologyKeys: [],
    allocatable: { count },
  }));
  return { metadata: { name }, spec: { drivers } };
}

/** Volumes of the class are made once a pod that needs one has a node. */
export function storageClassManifest(storageClass: StorageClass): Manifest {
  return { ...storageClass, volumeBindingMode: 'WaitForFirstConsumer' };
}

const ONE_GIBIBYTE = { storage: '1Gi' };
const ACCESS = { accessModes: ['ReadWriteOnce'] };

export function claimManifest({ metadata: { name, namespace }, spec }: PersistentVolumeClaim): Manifest {
  const { volumeName, storageClassName = '' } = spec;
  return {
    metadata: { name, namespace, ...(volumeName && { annotations: { [BIND_COMPLETED]: 'yes' } }) },
    spec: { ...ACCESS, storageClassName, ...(volumeName && { volumeName }), resources: { requests: ONE_GIBIBYTE } },
  };
}

/** The patch that makes a claim bound to a volume. */
export function bindingPatch(volumeName: string): JsonObject {
  return { metadata: { annotations: { [BIND_COMPLETED]: 'yes' } }, spec: { volumeName } };
}

/** A volume that belongs to the claim. */
export function volumeManifest(
  { metadata: { name }, spec: { csi, nodeAffinity } }: PersistentVolume,
  claim: ApiObject & { readonly spec?: { readonly storageClassName?: string } },
): Manifest {
  return {
    metadata: { name },
    spec: {
      ...ACCESS,
      capacity: ONE_GIBIBYTE,
      persistentVolumeReclaimPolicy: 'Retain',
      storageClassName: claim.spec?.storageClassName ?? '',
      claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', ...referenceTo(claim.metadata) },
      ...(csi && { csi: { ...csi, volumeHandle: name } }),
      ...(nodeAffinity && { nodeAffinity }),
    },
  };
}

function referenceTo({ namespace, name, uid }: ObjectMeta): JsonObject {
  return { namespace: namespace ?? '', name, uid: uid ?? '' };
}
