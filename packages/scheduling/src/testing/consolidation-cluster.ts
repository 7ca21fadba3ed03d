// The cluster on which one what-if was measured upstream (anchors: Consolidation): full enough to be worth asking.
import {
  CAPACITY_TYPE_LABEL,
  HOSTNAME_LABEL,
  INSTANCE_TYPE_LABEL,
  NODEPOOL_LABEL,
  ZONE_LABEL,
} from '@karpenter-ts/apis';
import type { Pod, TopologySpreadConstraint } from '@karpenter-ts/kubernetes';
import type { ExistingNode, InstanceType, Snapshot } from '../snapshot.ts';
import { type Random, seededRandom } from '@karpenter-ts/kubernetes/testing';
import { REFERENCE_POOL, referenceSnapshot } from './reference-mix.ts';

const PODS_PER_NODE = 9;
const MODEL = 'fake-it-15'; // 16 cpu, 32 GiB, 160 pods

/** `count` nodes of 16 cpus in three zones in turn, nine pods each, a third of the pods with a spread. */
export function consolidationCluster(count: number, instanceTypes: readonly InstanceType[], seed = 42): Snapshot {
  const random = seededRandom(seed);
  const model = instanceTypes.find(({ name }) => name === MODEL)!;
  const nodes = Array.from({ length: count }, (_, index) => clusterNode(index, model, random));
  return { ...referenceSnapshot([], instanceTypes), nodes };
}

function clusterNode(index: number, model: InstanceType, random: Random): ExistingNode {
  const name = `node-${String(index).padStart(5, '0')}`;
  const labels = {
    ...REFERENCE_POOL.spec.template.metadata?.labels,
    [NODEPOOL_LABEL]: REFERENCE_POOL.metadata.name,
    [HOSTNAME_LABEL]: name,
    [INSTANCE_TYPE_LABEL]: model.name,
    [ZONE_LABEL]: `test-zone-${(index % 3) + 1}`,
    [CAPACITY_TYPE_LABEL]: 'on-demand',
    'karpenter.sh/registered': 'true',
    'karpenter.sh/initialized': 'true',
  };
  const first = index * PODS_PER_NODE;
  return {
    providerId: `fake:///${name}`,
    name,
    labels,
    taints: [],
    node: { labels, taints: [] },
    initialized: true,
    capacity: model.capacity,
    allocatable: { ...model.capacity, cpu: '15900m', memory: '32758Mi' },
    pods: Array.from({ length: PODS_PER_NODE }, (_, offset) => boundPod(first + offset, name, random)),
    volumeLimits: {},
    refusesMovedPods: false,
  };
}

function boundPod(index: number, nodeName: string, random: Random): Pod {
  const number = String(index).padStart(6, '0');
  const requests = { cpu: random.pick(['1', '1500m', '2']), memory: random.pick(['1Gi', '2Gi', '4Gi']) };
  return {
    metadata: {
      name: `pod-${number}`,
      namespace: 'default',
      uid: `00000000-0000-4000-8000-000000${number}`,
      creationTimestamp: '2026-08-01T00:00:00Z',
      labels: randomLabel(random),
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'web' }],
    },
    spec: { nodeName, containers: [{ resources: { requests } }], topologySpreadConstraints: spreads(index, random) },
    status: { phase: 'Running' },
  };
}

/** Every sixth pod spreads over zones and every sixth over hosts, so loosely that nothing fails for it. */
function spreads(index: number, random: Random): readonly TopologySpreadConstraint[] {
  if (index % 3 !== 0) return [];
  const byZone = index % 6 === 0;
  return [
    {
      maxSkew: byZone ? 1_000_000 : 10,
      topologyKey: byZone ? ZONE_LABEL : HOSTNAME_LABEL,
      whenUnsatisfiable: 'DoNotSchedule',
      labelSelector: { matchLabels: randomLabel(random) },
    },
  ];
}

function randomLabel(random: Random): Readonly<Record<string, string>> {
  return { 'my-label': random.pick(['a', 'b', 'c', 'd', 'e', 'f', 'g']) };
}
