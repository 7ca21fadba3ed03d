// Small clusters with a bit of everything, for properties that must hold of any plan.
import { CORE_PROFILE, DISRUPTED_TAINT, type NodePool } from '@karpenter-ts/apis';
import type { Pod } from '@karpenter-ts/kubernetes';
import { DEFAULT_PLANNING, type ExistingNode, type PlanningOptions, type Snapshot } from '../../snapshot.ts';
import { type Random, seededRandom } from '@karpenter-ts/kubernetes/testing';
import { randomCatalogue } from './catalogue.ts';
import { randomDaemons, randomNode } from './existing-node.ts';
import { openPool, randomPool } from './node-pool.ts';
import { RandomStorage } from './storage.ts';
import type { FleetTraits } from './traits.ts';
import { CPU_LABEL, RESERVATION_LABEL, TIERS } from './values.ts';
import { randomWorkload } from './workload.ts';

/** A snapshot and how to plan it. */
export interface RandomFleet {
  readonly snapshot: Snapshot;
  readonly options: PlanningOptions;
}

const ANY_FLEET: FleetTraits = { independent: false, portable: false, forgiving: false, lastResorts: false, apps: 8 };

/** The same fleet for the same seed and traits. */
export function randomFleet(seed: number, wanted: Partial<FleetTraits> = {}): RandomFleet {
  const traits = { ...ANY_FLEET, ...wanted };
  const random = seededRandom(seed);
  const instanceTypes = randomCatalogue(random, traits);
  const pools = randomPools(random, traits).map((nodePool) => ({
    nodePool,
    instanceTypes: traits.forgiving || random.chance(0.8) ? instanceTypes : random.some(instanceTypes),
  }));
  const storage = new RandomStorage(random);
  const isFew = random.chance(0.3); // few workloads of many replicas, or many of few
  const workloads = Array.from({ length: 1 + random.below(isFew ? 2 : traits.apps) }, (_, index) =>
    randomWorkload(`app-${index}`, random, traits, storage),
  );
  const pending = workloads.flatMap((replica) =>
    Array.from({ length: 1 + random.below(isFew ? 16 : 6) }, (_, index) => replica(String(index))),
  );
  const daemonPods = randomDaemons(random, traits);
  const stock = { pools: pools.map(({ nodePool }) => nodePool), workloads, daemons: daemonPods };
  const nodes = Array.from({ length: random.below(6) }, (_, index) =>
    randomNode(`node-${index}`, stock, random, traits),
  );
  const deletingNodes = nodes.filter(() => random.chance(0.1));
  return {
    snapshot: {
      pools,
      nodes: nodes.filter((node) => !deletingNodes.includes(node)),
      deletingNodes: deletingNodes.map(withDisruptedTaint),
      pods: [...pending, ...(traits.portable ? [] : deletingNodes.flatMap((node) => movingPods(node, random)))],
      daemonPods,
      volumes: storage.objects(),
      namespaces: [
        { name: 'default', labels: { team: 'web' } },
        { name: 'other', labels: { team: 'data' } },
        { name: 'kube-system', labels: {} },
      ],
    },
    options: randomOptions(random),
  };
}

function randomPools(random: Random, traits: FleetTraits): readonly NodePool[] {
  const pools = Array.from({ length: 1 + random.below(3) }, (_, index) => randomPool(`pool-${index}`, random, traits));
  if (traits.forgiving) return [...pools, ...TIERS.map(openPool)];
  return random.chance(0.5) ? [...pools, openPool(random.pick(TIERS))] : pools;
}

function withDisruptedTaint(node: ExistingNode): ExistingNode {
  return {
    ...node,
    taints: [...node.taints, DISRUPTED_TAINT],
    node: node.node && { ...node.node, taints: [...node.node.taints, DISRUPTED_TAINT] },
  };
}

/** Those of a deleting node that need another. */
function movingPods({ pods }: ExistingNode, random: Random): readonly Pod[] {
  const isDaemon = ({ metadata }: Pod) => metadata.ownerReferences !== undefined;
  return pods.filter((pod) => !isDaemon(pod) && pod.metadata.deletionTimestamp === undefined && random.chance(0.7));
}

function randomOptions(random: Random): PlanningOptions {
  return {
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
  };
}
