import {
  DO_NOT_DISRUPT,
  HOSTNAME_LABEL,
  nodeClassLabel,
  REGISTERED_LABEL,
  UNREGISTERED_TAINT,
} from '@karpenter-ts/apis';
import type { Cluster } from '@karpenter-ts/embedded';
import { KWOK_NODE_CLASSES } from '@karpenter-ts/provider-kwok';
import {
  type ApiObject,
  apiVersionOf,
  DEPLOYMENTS,
  NODES,
  type Pod,
  PODS,
  type ResourceType,
} from '@karpenter-ts/kubernetes';
import { NODE_CLAIMS, NODE_POOLS } from '@karpenter-ts/apis';

/** Something that happens in a cluster, and how many minutes later the next thing does. */
export interface LifeEvent {
  readonly happens: (cluster: Cluster) => Promise<void>;
  readonly minutes: number;
}

const NODE_CLASS_REF = { group: KWOK_NODE_CLASSES.group, kind: KWOK_NODE_CLASSES.kind, name: 'default' };
const NODE_CLASS_LABEL = nodeClassLabel(KWOK_NODE_CLASSES);

/** So much that every controller that ever asks the API server or the cloud for something does so. */
export const EVENTFUL_LIFE: readonly LifeEvent[] = [
  { happens: fillCluster, minutes: 1 },
  { happens: emptyNode, minutes: 1 },
  { happens: loseLabels, minutes: 1 },
  { happens: drainNode, minutes: 2 },
  { happens: deleteNode, minutes: 2 },
  { happens: fallIll, minutes: 4 }, // and the oldest claims expire
];

/** Three nodes, a pod on each, of which one must not be disturbed; and a Node that nobody waits for. */
async function fillCluster({ client }: Cluster): Promise<void> {
  await client.create(KWOK_NODE_CLASSES, object(KWOK_NODE_CLASSES, 'default', {}));
  const spec = {
    nodeClassRef: NODE_CLASS_REF,
    requirements: [],
    expireAfter: '9m',
    terminationGracePeriod: '60s',
  };
  const annotations = { 'karpenter-ts.dev/packing-policy': 'CostAware' };
  await client.create(NODE_POOLS, object(NODE_POOLS, 'default', { spec: { template: { spec } } }, { annotations }));
  await client.create(DEPLOYMENTS, deployment('willing', 3, {}));
  await client.create(DEPLOYMENTS, deployment('protected', 1, { [DO_NOT_DISRUPT]: 'true' }));
  const orphan = { providerID: 'kwok://orphan', taints: [UNREGISTERED_TAINT] };
  await client.create(NODES, object(NODES, 'orphan', { spec: orphan }));
}

/** Leaves a node without pods, which is then deleted. */
async function emptyNode({ client }: Cluster): Promise<void> {
  const ref = { name: 'willing', namespace: 'default' };
  await client.patch(DEPLOYMENTS, ref, { type: 'merge', body: { spec: { replicas: 2 } } });
}

/** As objects of old releases. */
async function loseLabels(cluster: Cluster): Promise<void> {
  for (const type of [NODE_CLAIMS, NODES]) {
    const { metadata } = await theFirst(
      cluster,
      type,
      ({ metadata: { labels } }) => labels?.[NODE_CLASS_LABEL] !== undefined,
    );
    const patch = { type: 'merge', body: { metadata: { labels: { [NODE_CLASS_LABEL]: null } } } } as const;
    await cluster.client.patch(type, metadata, patch);
  }
}

/** With the protected pod on it, which leaves only when its time is up. */
async function drainNode(cluster: Cluster): Promise<void> {
  const pod = await theFirst<Pod>(cluster, PODS, ({ metadata }) => metadata.labels?.['app'] === 'protected');
  await cluster.client.delete(NODES, { name: pod.spec.nodeName! });
}

/** Takes a Node away without asking anybody: a simulated instance is nothing else. */
async function deleteNode(cluster: Cluster): Promise<void> {
  const { metadata } = await theFirst(cluster, NODES, isRegistered);
  await cluster.client.patch(NODES, metadata, { type: 'merge', body: { metadata: { finalizers: null } } });
  await cluster.client.delete(NODES, metadata);
}

async function fallIll(cluster: Cluster): Promise<void> {
  const { metadata } = await theFirst(cluster, NODES, isRegistered);
  const condition = { type: 'Ready', status: 'False', reason: 'KubeletNotReady', message: 'no' } as const;
  cluster.faults.inject(metadata.name, { kind: 'unhealthy', condition });
}

function isRegistered({ metadata }: ApiObject): boolean {
  return metadata.labels?.[REGISTERED_LABEL] === 'true' && metadata.deletionTimestamp === undefined;
}

async function theFirst<T extends ApiObject>(
  { client }: Cluster,
  type: ResourceType,
  isMeant: (object: T) => boolean,
): Promise<T> {
  const found = (await client.listAll<T>(type)).items.find(isMeant);
  if (found === undefined) throw new Error(`no such ${type.kind}: ${isMeant.toString()}`);
  return found;
}

/** One pod a node. */
function deployment(name: string, replicas: number, annotations: Readonly<Record<string, string>>): ApiObject {
  const labels = { app: name };
  const apart = [{ topologyKey: HOSTNAME_LABEL, labelSelector: { matchLabels: labels } }];
  const spec = {
    containers: [{ name: 'main', image: 'none', resources: { requests: { cpu: '1' } } }],
    affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: apart } },
  };
  const template = { metadata: { labels, annotations }, spec };
  const body = { spec: { replicas, selector: { matchLabels: labels }, template } };
  return object(DEPLOYMENTS, name, body, { namespace: 'default' });
}

function object(type: ResourceType, name: string, body: object, metadata: object = {}): ApiObject {
  return { apiVersion: apiVersionOf(type), kind: type.kind, metadata: { name, ...metadata }, ...body };
}
