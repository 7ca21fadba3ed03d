// Upstream's scheduling benchmark as data (spec 02 §28): one pool, generated types, two mixes of pods.
import {
  ARCH_LABEL,
  CAPACITY_TYPE_LABEL,
  CORE_PROFILE,
  HOSTNAME_LABEL,
  INSTANCE_TYPE_LABEL,
  type NodePool,
  OS_LABEL,
  type ProviderProfile,
  type RequirementSpec,
  ZONE_LABEL,
} from '@karpenter-ts/apis';
import type { Pod, PodSpec } from '@karpenter-ts/kubernetes';
import { EMPTY_SNAPSHOT, type InstanceType, type Offering, type Snapshot } from '../snapshot.ts';
import { type Random, seededRandom } from '@karpenter-ts/kubernetes/testing';

const SIZE_LABEL = 'size';
const SPECIAL_LABEL = 'special';
const INTEGER_LABEL = 'integer';

/** The well-known labels of core and those of the generated types. */
export const REFERENCE_PROFILE: ProviderProfile = {
  ...CORE_PROFILE,
  wellKnownLabels: CORE_PROFILE.wellKnownLabels.union(new Set([SIZE_LABEL, SPECIAL_LABEL, INTEGER_LABEL])),
};

const GIB = 2 ** 30;

const OFFERED: readonly (readonly [capacityType: string, zone: string])[] = [
  ['spot', 'test-zone-1'],
  ['spot', 'test-zone-2'],
  ['on-demand', 'test-zone-1'],
  ['on-demand', 'test-zone-2'],
  ['on-demand', 'test-zone-3'],
];

/** Types of 1, 2, 3 … cpus with 2 GiB and room for 10 pods each; the price is linear in the size. */
export function referenceCatalogue(count = 400): readonly InstanceType[] {
  return Array.from({ length: count }, (_, index) => referenceType(index));
}

function referenceType(index: number): InstanceType {
  const cpus = index + 1;
  const name = `fake-it-${index}`;
  const pricePerHour = 0.1 * cpus + (0.1 * 2 * cpus * GIB) / 1e9;
  const isLarge = cpus > 4;
  return {
    name,
    requirements: [
      is(INSTANCE_TYPE_LABEL, name),
      is(ARCH_LABEL, 'amd64'),
      is(OS_LABEL, 'darwin', 'linux', 'windows'),
      is(ZONE_LABEL, 'test-zone-1', 'test-zone-2', 'test-zone-3'),
      is(CAPACITY_TYPE_LABEL, 'spot', 'on-demand'),
      is(SIZE_LABEL, isLarge ? 'large' : 'small'),
      isLarge ? is(SPECIAL_LABEL, 'optional') : { key: SPECIAL_LABEL, operator: 'DoesNotExist' },
      is(INTEGER_LABEL, String(cpus)),
    ],
    offerings: OFFERED.map(([capacityType, zone]) => offering(capacityType, zone, pricePerHour)),
    capacity: { cpu: String(cpus), memory: `${2 * cpus}Gi`, pods: String(10 * cpus) },
    overhead: { kubeReserved: { cpu: '100m', memory: '10Mi' } },
  };
}

function is(key: string, ...values: readonly string[]): RequirementSpec {
  return { key, operator: 'In', values };
}

function offering(capacityType: string, zone: string, pricePerHour: number): Offering {
  return { requirements: [is(CAPACITY_TYPE_LABEL, capacityType), is(ZONE_LABEL, zone)], pricePerHour, available: true };
}

/** A pool without requirements whose limits nothing reaches. */
export const REFERENCE_POOL: NodePool = {
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodePool',
  metadata: { name: 'default' },
  spec: {
    disruption: {
      budgets: [{ nodes: '10%' }],
      consolidateAfter: '0s',
      consolidationPolicy: 'WhenEmptyOrUnderutilized',
    },
    limits: { cpu: '10000000', memory: '10000000Gi' },
    template: {
      metadata: { labels: { 'testing/cluster': 'unspecified' } },
      spec: {
        nodeClassRef: { group: 'karpenter.test.sh', kind: 'TestNodeClass', name: 'default' },
        requirements: [],
        expireAfter: 'Never',
      },
    },
  },
};

/** The pods to plan on new nodes only. Pass one catalogue to many snapshots, as one provider does. */
export function referenceSnapshot(pods: readonly Pod[], instanceTypes: readonly InstanceType[]): Snapshot {
  return { ...EMPTY_SNAPSHOT, pools: [{ nodePool: REFERENCE_POOL, instanceTypes }], pods };
}

/** A fifth each: plain, spread over zones, spread over hosts, with their like in one zone, alone on a host. */
export function diversePods(count: number, seed = 42): readonly Pod[] {
  const random = seededRandom(seed);
  const kinds = [plainPod, zoneSpreadPod, hostSpreadPod, zoneAffinePod, hostAntiAffinePod];
  const share = Math.floor(count / kinds.length);
  return Array.from({ length: count }, (_, index) => {
    const kind = kinds[share === 0 ? 0 : Math.floor(index / share)] ?? plainPod;
    return kind(index, random);
  });
}

/** All alike, with one preference for nodes and two about each other, of which one can never hold. */
export function preferencePods(count: number, seed = 42): readonly Pod[] {
  const resources = randomResources(seededRandom(seed));
  const apart = (weight: number, topologyKey: string) => ({
    weight,
    podAffinityTerm: { topologyKey, labelSelector: { matchLabels: NGINX } },
  });
  const affinity = {
    nodeAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 1, preference: { matchExpressions: [{ key: ZONE_LABEL, operator: 'In', values: ['test-zone-1'] }] } },
      ],
    },
    podAntiAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [apart(10, ZONE_LABEL), apart(1, HOSTNAME_LABEL)],
    },
  };
  return Array.from({ length: count }, (_, index) => pod(index, NGINX, { affinity, containers: [{ resources }] }));
}

const NGINX = { app: 'nginx' };

type MakePod = (index: number, random: Random) => Pod;

const plainPod: MakePod = (index, random) => pod(index, randomLabel('my-label', random), randomContainers(random));

const zoneSpreadPod: MakePod = (index, random) => spreadPod(index, random, ZONE_LABEL);

const hostSpreadPod: MakePod = (index, random) => spreadPod(index, random, HOSTNAME_LABEL);

/** The selector is drawn apart from the labels, so that it selects the pod itself only by chance. */
function spreadPod(index: number, random: Random, topologyKey: string): Pod {
  const labels = randomLabel('my-label', random);
  const labelSelector = { matchLabels: randomLabel('my-label', random) };
  return pod(index, labels, {
    topologySpreadConstraints: [{ maxSkew: 1, topologyKey, whenUnsatisfiable: 'DoNotSchedule', labelSelector }],
    ...randomContainers(random),
  });
}

const zoneAffinePod: MakePod = (index, random) => {
  const labels = randomLabel('my-affininity', random); // as upstream spells it
  const term = { topologyKey: ZONE_LABEL, labelSelector: { matchLabels: labels } };
  const affinity = { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
  return pod(index, labels, { affinity, ...randomContainers(random) });
};

const hostAntiAffinePod: MakePod = (index, random) => {
  const term = { topologyKey: HOSTNAME_LABEL, labelSelector: { matchLabels: NGINX } };
  const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
  return pod(index, NGINX, { affinity, ...randomContainers(random) });
};

function pod(index: number, labels: Readonly<Record<string, string>>, spec: PodSpec): Pod {
  const number = String(index).padStart(6, '0');
  return {
    metadata: {
      name: `pod-${number}`,
      namespace: 'default',
      uid: `00000000-0000-4000-8000-000000${number}`,
      creationTimestamp: '2026-08-01T00:00:00Z',
      labels: { 'testing/cluster': 'unspecified', ...labels },
    },
    spec,
  };
}

function randomLabel(key: string, random: Random): Readonly<Record<string, string>> {
  return { [key]: random.pick(['a', 'b', 'c', 'd', 'e', 'f', 'g']) };
}

function randomContainers(random: Random): PodSpec {
  return { containers: [{ resources: randomResources(random) }] };
}

function randomResources(random: Random) {
  const cpu = `${random.pick([100, 250, 500, 1000, 1500])}m`;
  const memory = `${random.pick([100, 256, 512, 1024, 2048, 4096])}Mi`;
  return { requests: { cpu, memory } };
}
