// Small clusters with a bit of everything, for properties that must hold of any plan.
import {
  ARCH_LABEL,
  CAPACITY_TYPE_LABEL,
  CORE_PROFILE,
  INSTANCE_TYPE_LABEL,
  type NodePool,
  ZONE_LABEL,
} from '@karpenter-ts/apis';
import type { InstanceType } from '../instance-types/instance-type.ts';
import type { Offering } from '../instance-types/offering.ts';
import type { Pod } from '../objects/pod.ts';
import { DEFAULT_PLANNING, type ExistingNode, type PlanningOptions, type Snapshot } from '../snapshot.ts';
import { makeNode, makeOffering, makePod, makePool, makeType } from './builders.ts';
import { type Random, seededRandom } from './random.ts';
import { CPU_LABEL, GPU, randomApp, randomVolumes, ZONES } from './random-app.ts';

/** A snapshot and how to plan it. */
export interface RandomFleet {
  readonly snapshot: Snapshot;
  readonly options: PlanningOptions;
}

export interface FleetTraits {
  /** Pods that ask nothing of each other, and neither limits nor reservations: each pod's fate is its own. */
  readonly independent?: boolean;
  readonly apps?: number;
}

const RESERVATION_LABEL = 'example.com/reservation';
const TIER_TAINT = { key: 'tier', value: 'batch', effect: 'NoSchedule' } as const;
const SPARE_TAINT = { key: 'spare', effect: 'PreferNoSchedule' } as const;

/** The same fleet for the same seed. */
export function randomFleet(seed: number, { independent = false, apps = 8 }: FleetTraits = {}): RandomFleet {
  const random = seededRandom(seed);
  const instanceTypes = Array.from({ length: 4 + random.below(10) }, (_, index) =>
    randomType(index, random, independent),
  );
  const pools = Array.from({ length: 1 + random.below(3) }, (_, index) => ({
    nodePool: randomPool(`pool-${index}`, random, independent),
    instanceTypes: random.chance(0.8) ? instanceTypes : random.some(instanceTypes),
  }));
  const templates = Array.from({ length: 1 + random.below(apps) }, (_, index) =>
    randomApp(`app-${index}`, random, independent),
  );
  const pods = templates.flatMap((makeReplica) =>
    Array.from({ length: 1 + random.below(6) }, (_, index) => makeReplica(index)),
  );
  const nodes = Array.from({ length: random.below(6) }, (_, index) =>
    randomNode(
      `node-${index}`,
      pools.map(({ nodePool }) => nodePool),
      templates,
      random,
    ),
  );
  const leaving = nodes.filter(() => random.chance(0.1));
  return {
    snapshot: {
      pools,
      nodes: nodes.filter((node) => !leaving.includes(node)),
      leavingNodes: leaving,
      pods,
      daemonPods: random.chance(0.6) ? [randomDaemon(random)] : [],
      volumes: randomVolumes(pods),
      namespaces: [
        { name: 'default', labels: { team: 'web' } },
        { name: 'other', labels: { team: 'data' } },
      ],
    },
    options: {
      ...DEFAULT_PLANNING,
      profile: {
        ...CORE_PROFILE,
        wellKnownLabels: CORE_PROFILE.wellKnownLabels.union(new Set([RESERVATION_LABEL, CPU_LABEL])),
      },
      preferencePolicy: random.pick(['Respect', 'Respect', 'Ignore']),
      minValuesPolicy: random.pick(['Strict', 'BestEffort']),
      reservedCapacity: random.pick(['Strict', 'Fallback', 'Off']),
      reservationIdLabel: RESERVATION_LABEL,
      maxInstanceTypes: random.pick([3, 600]),
    },
  };
}

function randomType(index: number, random: Random, independent: boolean): InstanceType {
  const cpus = random.pick([1, 2, 4, 8, 16]);
  const memory = cpus * random.pick([1, 2, 4]);
  const price = cpus * 0.03 + memory * 0.005 + index / 10_000; // no two alike
  const offerings = random
    .some(ZONES)
    .flatMap((zone) => [
      makeOffering(zone, 'on-demand', price, { available: random.chance(0.95) }),
      ...(random.chance(0.7)
        ? [makeOffering(zone, 'spot', price / random.pick([2, 3]), { available: random.chance(0.8) })]
        : []),
      ...(!independent && random.chance(0.1) ? [reservedOffering(zone, random)] : []),
    ]);
  return makeType(`type-${index}`, {
    capacity: {
      cpu: String(cpus),
      memory: `${memory}Gi`,
      pods: String(random.pick([4, 8, 30])),
      ...(random.chance(0.2) && { [GPU]: '2' }),
      ...(random.chance(0.1) && { 'hugepages-2Mi': '512Mi' }),
    },
    offerings: offerings.map((offering) =>
      random.chance(0.1) ? { ...offering, capacityOverride: { [GPU]: '1' } } : offering,
    ),
    labels: { [ARCH_LABEL]: [random.pick(['amd64', 'amd64', 'arm64'])], [CPU_LABEL]: [String(cpus)] },
    overhead: {
      ...(random.chance(0.6) && { kubeReserved: { cpu: '100m', memory: '200Mi' } }),
      ...(random.chance(0.3) && { evictionThreshold: { memory: '100Mi' } }),
    },
  });
}

function reservedOffering(zone: string, random: Random): Offering {
  const id = random.pick(['r-1', 'r-2']);
  const offering = makeOffering(zone, 'reserved', 0.0001, { reservation: { id, capacity: random.below(3) } });
  return {
    ...offering,
    requirements: [...offering.requirements, { key: RESERVATION_LABEL, operator: 'In', values: [id] }],
  };
}

type PoolRequirement = NodePool['spec']['template']['spec']['requirements'][number];

function randomPool(name: string, random: Random, independent: boolean): NodePool {
  const requirements: readonly (PoolRequirement | undefined)[] = [
    maybe(random, 0.3, () => ({
      key: ZONE_LABEL,
      operator: random.pick(['In', 'NotIn']),
      values: [...random.some(ZONES.slice(0, 2))],
    })),
    maybe(random, 0.3, () => ({
      key: CAPACITY_TYPE_LABEL,
      operator: 'In',
      values: [...random.some(['spot', 'on-demand', 'reserved'])],
    })),
    maybe(random, 0.3, () => ({ key: ARCH_LABEL, operator: 'In', values: ['amd64'] })),
    maybe(random, 0.2, () => ({ key: INSTANCE_TYPE_LABEL, operator: 'Exists', minValues: 2 })),
  ];
  return makePool(name, {
    labels: random.chance(0.4) ? { tier: random.pick(['web', 'batch']) } : {},
    requirements: requirements.filter((requirement) => requirement !== undefined),
    taints: [...(random.chance(0.2) ? [TIER_TAINT] : []), ...(random.chance(0.1) ? [SPARE_TAINT] : [])],
    ...(random.chance(0.4) && { weight: 1 + random.below(100) }),
    ...(!independent &&
      random.chance(0.25) && { limits: random.pick([{ cpu: '20' }, { nodes: '2' }, { memory: '64Gi', cpu: '40' }]) }),
  });
}

function maybe<T>(random: Random, probability: number, make: () => T): T | undefined {
  return random.chance(probability) ? make() : undefined;
}

function randomNode(
  name: string,
  pools: readonly NodePool[],
  templates: readonly ((index: number) => Pod)[],
  random: Random,
): ExistingNode {
  const cpus = random.pick([2, 4, 8]);
  const pods = Array.from({ length: random.below(4) }, (_, index) => bound(random.pick(templates)(100 + index), name));
  return makeNode(name, {
    ...(random.chance(0.7) && { pool: random.pick(pools).metadata.name }),
    labels: {
      [ZONE_LABEL]: random.pick(ZONES),
      [CAPACITY_TYPE_LABEL]: random.pick(['spot', 'on-demand']),
      [ARCH_LABEL]: 'amd64',
      [CPU_LABEL]: String(cpus),
      ...(random.chance(0.3) && { tier: random.pick(['web', 'batch']) }),
    },
    taints: random.chance(0.15) ? [TIER_TAINT] : [],
    initialized: random.chance(0.8),
    allocatable: { cpu: String(cpus), memory: `${cpus * 2}Gi`, pods: '12' },
    volumeLimits: random.chance(0.3) ? { 'disk.csi.example.com': 2 } : {},
    pods,
  });
}

/** A replica that runs on the node already, under a name no other has. */
function bound({ metadata, spec }: Pod, nodeName: string): Pod {
  const name = `${metadata.name}-${nodeName}`;
  return {
    metadata: { ...metadata, name, uid: `${metadata.namespace}-${name}` },
    spec: { ...spec, nodeName, volumes: [] },
    status: { phase: 'Running' },
  };
}

function randomDaemon(random: Random): Pod {
  return makePod('agent', {
    namespace: 'kube-system',
    requests: { cpu: random.pick(['50m', '300m']), memory: '128Mi' },
    tolerations: random.chance(0.7) ? [{ operator: 'Exists' }] : [],
    ...(random.chance(0.3) && { nodeSelector: { [ARCH_LABEL]: 'amd64' } }),
    ...(random.chance(0.2) && { containers: [{ name: 'main', ports: [{ hostPort: 8080 }] }] }),
  });
}
