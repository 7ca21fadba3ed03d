import { CAPACITY_TYPE_LABEL, HOSTNAME_LABEL, NODEPOOL_LABEL, ZONE_LABEL } from '@karpenter-ts/apis';
import type { Pod } from '@karpenter-ts/kubernetes';
import { type Cluster, readyNodePool } from './cluster.ts';
import { syntheticCluster } from './synthetic-cluster.ts';

/**
 * The synthetic cluster with one trait that could make every what-if dear: what is shared between pods, nodes or pools in
 * most clusters is not shared here.
 */
export const HARD_CLUSTERS: Readonly<Record<string, (count: number) => Cluster>> = {
  'many-pools': (count) => manyPools(syntheticCluster(count)),
  'own-labels': (count) => withPods(count, (pod, i) => labelled(pod, `pod-${i}`)),
  'own-rules': (count) => withPods(count, (pod, i) => spreadAmong(pod, `app-${Math.floor(i / 20)}`)),
  'own-requests': (count) => withPods(count, (pod, i) => requesting(pod, `${1_000 + (i % 900)}m`, `${1_000 + i}Ki`)),
  preferences: (count) => withPods(count, (pod, i) => preferring(pod, `app-${i % 50}`)),
  gated: (count) => gated(syntheticCluster(count)),
  full: (count) => withPods(count, (pod) => requesting(pod, '1760m', '3Gi')),
};

const MANY_POOLS = 25;
const POOL_OF_GATED = 'waiting';

function withPods(count: number, change: (pod: Pod, index: number) => Pod): Cluster {
  const cluster = syntheticCluster(count);
  return { ...cluster, pods: cluster.pods.map(change) };
}

/** Each NodePool has a label of its own, so that none of their nodes are alike. */
function manyPools(cluster: Cluster): Cluster {
  const poolOf = (index: number) => `pool-${index % MANY_POOLS}`;
  const labelled = <T extends Cluster['nodes'][number] | Cluster['nodeClaims'][number]>(
    object: T,
    index: number,
  ): T => ({
    ...object,
    metadata: {
      ...object.metadata,
      labels: { ...object.metadata.labels, [NODEPOOL_LABEL]: poolOf(index), team: poolOf(index) },
    },
  });
  const nodePools = Array.from({ length: MANY_POOLS }, (_, index) => {
    const requirements = [{ key: 'team', operator: 'In' as const, values: [poolOf(index)] }];
    return readyNodePool(poolOf(index), { requirements });
  });
  return {
    ...cluster,
    nodePools,
    nodes: cluster.nodes.map(labelled),
    nodeClaims: cluster.nodeClaims.map(labelled),
    pods: cluster.pods.map((pod, i) =>
      i % 2 === 0 ? { ...pod, spec: { ...pod.spec, nodeSelector: { team: poolOf(Math.floor(i / 9)) } } } : pod,
    ),
  };
}

/** Every second node has had a pod event just now, and its NodePool waits for an hour without one. */
function gated(cluster: Cluster): Cluster {
  const [pool] = cluster.nodePools;
  const { spec } = pool!;
  const waiting = { ...spec, disruption: { ...spec.disruption, consolidateAfter: '1h' } };
  const lastPodEventTime = new Date().toISOString();
  return {
    ...cluster,
    nodePools: [pool!, { ...pool!, metadata: { ...pool!.metadata, name: POOL_OF_GATED }, spec: waiting }],
    nodes: cluster.nodes.map((node, i) => (i % 2 === 0 ? node : inPool(node, POOL_OF_GATED))),
    nodeClaims: cluster.nodeClaims.map((nodeClaim, i) =>
      i % 2 === 0
        ? nodeClaim
        : { ...inPool(nodeClaim, POOL_OF_GATED), status: { ...nodeClaim.status!, lastPodEventTime } },
    ),
  };
}

function inPool<T extends { readonly metadata: Pod['metadata'] }>(object: T, pool: string): T {
  const { metadata } = object;
  return { ...object, metadata: { ...metadata, labels: { ...metadata.labels, [NODEPOOL_LABEL]: pool } } };
}

function labelled(pod: Pod, id: string): Pod {
  return { ...pod, metadata: { ...pod.metadata, labels: { ...pod.metadata.labels, id } } };
}

/** Rules that only a few pods share, by zone and by host. */
function spreadAmong(pod: Pod, app: string): Pod {
  const labelSelector = { matchLabels: { app } };
  const rules = [
    { maxSkew: 30, topologyKey: ZONE_LABEL, whenUnsatisfiable: 'DoNotSchedule', labelSelector },
    { maxSkew: 10, topologyKey: HOSTNAME_LABEL, whenUnsatisfiable: 'DoNotSchedule', labelSelector },
  ];
  return {
    ...pod,
    metadata: { ...pod.metadata, labels: { ...pod.metadata.labels, app } },
    spec: { ...pod.spec, topologySpreadConstraints: rules },
  };
}

function requesting(pod: Pod, cpu: string, memory: string): Pod {
  return { ...pod, spec: { ...pod.spec, containers: [{ name: 'main', resources: { requests: { cpu, memory } } }] } };
}

/** Preferences for spot and for hosts without pods of the same app, of which the first never holds. */
function preferring(pod: Pod, app: string): Pod {
  const spot = { matchExpressions: [{ key: CAPACITY_TYPE_LABEL, operator: 'In', values: ['spot'] }] };
  const podAffinityTerm = { topologyKey: HOSTNAME_LABEL, labelSelector: { matchLabels: { app } } };
  return {
    ...pod,
    metadata: { ...pod.metadata, labels: { ...pod.metadata.labels, app } },
    spec: {
      ...pod.spec,
      affinity: {
        nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference: spot }] },
        podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm }] },
      },
    },
  };
}
