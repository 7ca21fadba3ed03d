import {
  ARCH_LABEL,
  CAPACITY_TYPE_LABEL,
  HOSTNAME_LABEL,
  INITIALIZED_LABEL,
  INSTANCE_TYPE_LABEL,
  type NodePool,
  NODEPOOL_LABEL,
  OS_LABEL,
  REGISTERED_LABEL,
  ZONE_LABEL,
} from '@karpenter-ts/apis';
import { type DaemonSet, parseQuantity, type Pod } from '@karpenter-ts/kubernetes';
import { type Random, seededRandom } from '@karpenter-ts/kubernetes/testing';
import { loadCatalogue } from '@karpenter-ts/provider-kwok';
import { allocatableResources, type InstanceType } from '@karpenter-ts/scheduling';
import {
  type Cluster,
  consolidatableNodeClaim,
  CREATED_AT,
  initializedNode,
  NO_OBJECTS,
  type NodeParts,
  readyNodePool,
} from './cluster.ts';
import { DEDICATED, randomBudget, randomWorkload, type Workload } from './messy-workloads.ts';
import { STORAGE_CLASS, volumeLimitOf, volumeOf } from './messy-volumes.ts';

/** What a NodePool buys, in the words of the KWOK provider's labels. */
interface PoolSketch {
  readonly name: string;
  /** Of all nodes. */
  readonly share: number;
  readonly architecture: 'amd64' | 'arm64';
  readonly families: RegExp;
  readonly capacityTypes: readonly string[];
}

const POOLS: readonly PoolSketch[] = [
  { name: 'general', share: 0.4, architecture: 'amd64', families: /^[mc][567]/, capacityTypes: ['spot', 'on-demand'] },
  { name: 'arm', share: 0.2, architecture: 'arm64', families: /^[mc]\dg/, capacityTypes: ['spot', 'on-demand'] },
  { name: 'spot', share: 0.15, architecture: 'amd64', families: /^[mcr][56]/, capacityTypes: ['spot'] },
  { name: 'memory', share: 0.15, architecture: 'amd64', families: /^r[567]/, capacityTypes: ['spot', 'on-demand'] },
  { name: 'critical', share: 0.1, architecture: 'amd64', families: /^m[567]/, capacityTypes: ['on-demand'] },
];

const ZONES: readonly string[] = ['us-east-1a', 'us-east-1b', 'us-east-1c'];
const NODES_PER_WORKLOAD = 4;
const MOST_PODS_PER_NODE = 14;
const DAEMONS: readonly string[] = ['logs', 'metrics', 'network'];

/**
 * A cluster as people have them: EC2's types, several NodePools, spot and on-demand nodes, half of them half empty,
 * DaemonSets, PodDisruptionBudgets, anti-affinity, spreads, preferences and volumes that are in one zone.
 */
export function messyCluster(count: number, seed = 7): Cluster {
  const random = seededRandom(seed);
  const { instanceTypes, profile } = loadCatalogue({ instanceTypesFilePath: '', catalogue: 'ec2' });
  const daemonSets = DAEMONS.map(daemonSet);
  const workloads = Array.from({ length: Math.ceil(count / NODES_PER_WORKLOAD) }, (_, index) =>
    randomWorkload(index, POOLS[index % POOLS.length]!.name, random),
  );
  const filled = POOLS.flatMap((pool) => {
    const own = workloads.filter(({ nodePool }) => nodePool === pool.name);
    const types = instanceTypes.filter((type) => isOf(pool, type));
    return Array.from({ length: Math.round(count * pool.share) }, (_, index) => {
      const node = randomNode(`${pool.name}-${index}`, pool, types, random);
      return { node, placed: fill(node, own, random) };
    });
  });
  const volumes = filled.flatMap(({ node, placed }) =>
    placed.filter(({ workload }) => workload.hasVolumes).map(({ pod }) => volumeOf(pod, node.labels[ZONE_LABEL]!)),
  );
  return {
    ...NO_OBJECTS,
    nodePools: POOLS.map(toNodePool),
    nodes: filled.map(({ node }) => initializedNode(node)),
    nodeClaims: filled.map(({ node }) => consolidatableNodeClaim(node)),
    pods: filled.flatMap(({ node, placed }) => [
      ...DAEMONS.map((name) => daemonPod(name, node.name)),
      ...placed.map(({ pod }) => pod),
    ]),
    podDisruptionBudgets: workloads.flatMap((workload) => randomBudget(workload, random) ?? []),
    daemonSets,
    storageClasses: [STORAGE_CLASS],
    persistentVolumes: volumes.map(({ persistentVolume }) => persistentVolume),
    persistentVolumeClaims: volumes.map(({ volumeClaim }) => volumeClaim),
    csiNodes: filled.map(({ node }) => volumeLimitOf(node.name)),
    instanceTypes,
    profile,
  };
}

function isOf({ architecture, families }: PoolSketch, { name, requirements, capacity }: InstanceType): boolean {
  const cpus = Number(capacity['cpu']);
  const arch = requirements.find(({ key }) => key === ARCH_LABEL)?.values;
  return families.test(name) && !name.includes('metal') && arch?.[0] === architecture && cpus >= 2 && cpus <= 16;
}

function toNodePool({ name, architecture, capacityTypes }: PoolSketch): NodePool {
  const value = DEDICATED[name];
  return readyNodePool(name, {
    requirements: [
      { key: ARCH_LABEL, operator: 'In', values: [architecture] },
      { key: CAPACITY_TYPE_LABEL, operator: 'In', values: capacityTypes },
    ],
    ...(value !== undefined && { taints: [{ key: 'dedicated', value, effect: 'NoSchedule' as const }] }),
  });
}

function randomNode(name: string, pool: PoolSketch, types: readonly InstanceType[], random: Random): NodeParts {
  const type = random.pick(types);
  const offered = type.offerings.filter(({ requirements }) =>
    [pool.capacityTypes, ZONES].every((values) => requirements.some(({ values: [own] = [] }) => values.includes(own!))),
  );
  const { requirements } = random.pick(offered);
  const bought = Object.fromEntries(requirements.map(({ key, values = [] }) => [key, values[0]!]));
  const single = Object.fromEntries(
    type.requirements.filter(({ values = [] }) => values.length === 1).map(({ key, values = [] }) => [key, values[0]!]),
  );
  return {
    name,
    nodePool: pool.name,
    labels: {
      ...single,
      ...bought,
      [NODEPOOL_LABEL]: pool.name,
      [HOSTNAME_LABEL]: name,
      [INSTANCE_TYPE_LABEL]: type.name,
      [OS_LABEL]: 'linux',
      [REGISTERED_LABEL]: 'true',
      [INITIALIZED_LABEL]: 'true',
    },
    ...(DEDICATED[pool.name] !== undefined && { taints: toNodePool(pool).spec.template.spec.taints }),
    capacity: type.capacity,
    allocatable: allocatableResources(type),
  };
}

interface Placed {
  readonly workload: Workload;
  readonly pod: Pod;
}

/** Places random pods until a random share of the node is used: of half the nodes less than half. */
function fill(node: NodeParts, workloads: readonly Workload[], random: Random): readonly Placed[] {
  const share = random.chance(0.5) ? 0.2 + random.next() * 0.3 : 0.6 + random.next() * 0.35;
  const room = { cpuMilli: share * unitsOf(node, 'cpu', 1e-3), memoryMib: share * unitsOf(node, 'memory', 2 ** 20) };
  const placed: Placed[] = [];
  for (let attempt = 0; attempt < 2 * MOST_PODS_PER_NODE && placed.length < MOST_PODS_PER_NODE; attempt++) {
    const workload = random.pick(workloads);
    if (workload.cpuMilli > room.cpuMilli || workload.memoryMib > room.memoryMib) continue;
    if (workload.onDemandOnly && node.labels[CAPACITY_TYPE_LABEL] !== 'on-demand') continue;
    if (workload.isAlone && placed.some((other) => other.workload === workload)) continue;
    room.cpuMilli -= workload.cpuMilli;
    room.memoryMib -= workload.memoryMib;
    placed.push({ workload, pod: boundPod(workload, node.name, placed.length) });
  }
  return placed;
}

function unitsOf({ allocatable }: NodeParts, resource: string, unit: number): number {
  return Number(parseQuantity(allocatable[resource] ?? '0').nanos) / 1e9 / unit;
}

function boundPod(workload: Workload, nodeName: string, index: number): Pod {
  const { namespace, labels, annotations, cpuMilli, memoryMib, hasVolumes, spec } = workload;
  const name = `${workload.name}-${nodeName}-${index}`;
  const requests = { cpu: `${cpuMilli}m`, memory: `${memoryMib}Mi` };
  return {
    metadata: { ...metadataOf(name, 'ReplicaSet', workload.name), namespace, labels, annotations },
    spec: {
      ...spec,
      nodeName,
      containers: [{ name: 'main', resources: { requests } }],
      ...(hasVolumes && { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: name } }] }),
    },
    status: { phase: 'Running' },
  };
}

const DAEMON_SPEC = {
  containers: [{ name: 'main', resources: { requests: { cpu: '50m', memory: '64Mi' } } }],
  tolerations: [{ operator: 'Exists' }],
};

function daemonSet(name: string): DaemonSet {
  const labels = { daemon: name };
  return {
    metadata: { name, namespace: 'kube-system', uid: `uid-of-${name}`, creationTimestamp: CREATED_AT },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: DAEMON_SPEC },
      updateStrategy: { type: 'RollingUpdate' },
    },
  };
}

function daemonPod(daemon: string, nodeName: string): Pod {
  return {
    metadata: {
      ...metadataOf(`${daemon}-${nodeName}`, 'DaemonSet', daemon),
      namespace: 'kube-system',
      labels: { daemon },
    },
    spec: { ...DAEMON_SPEC, nodeName },
    status: { phase: 'Running' },
  };
}

function metadataOf(name: string, kind: string, owner: string): Pod['metadata'] {
  const reference = { apiVersion: 'apps/v1', kind, name: owner, uid: `uid-of-${owner}`, controller: true };
  return { name, uid: `uid-of-${name}`, creationTimestamp: CREATED_AT, ownerReferences: [reference] };
}
