import {
  ARCH_LABEL,
  CAPACITY_TYPE_LABEL,
  HOSTNAME_LABEL,
  INSTANCE_TYPE_LABEL,
  type NodePool,
  NODEPOOL_LABEL,
  ZONE_LABEL,
} from '@karpenter-ts/apis';
import { renderFailure } from '../explanation/render.ts';
import { compatibleOfferings } from '../model/instance-types/launch-price.ts';
import type { Pod } from '@karpenter-ts/kubernetes';
import { podId } from '../model/pods/pod-id.ts';
import type { Plan, PlannedNode } from '../plan.ts';
import { planSnapshot } from '../planner.ts';
import { finish } from '../progress.ts';
import {
  DEFAULT_PLANNING,
  EMPTY_SNAPSHOT,
  type ExistingNode,
  type InstanceType,
  type PlanningOptions,
  type Pool,
  type Snapshot,
} from '../snapshot.ts';
import { makeNode, makePool } from './builders.ts';
import { DEFAULT_TYPES, FAKE_PROFILE, RESERVATION_LABEL } from './fake-types.ts';

interface EnvironmentParts extends Partial<Omit<Snapshot, 'pools'>> {
  /** Default: one without requirements, called `default`. */
  readonly pools?: readonly NodePool[];
  readonly types?: readonly InstanceType[];
  /** For pools that have types of their own, by name. */
  readonly typesOf?: Readonly<Record<string, readonly InstanceType[]>>;
  readonly options?: Partial<PlanningOptions>;
}

/** A cluster without a control plane. Plans are carried out at once, in the cheapest way, so that a test can go on from there. */
export class TestEnvironment {
  snapshot: Snapshot;
  readonly options: PlanningOptions;
  #bought = 0;

  constructor(parts: EnvironmentParts = {}) {
    const { pools = [makePool('default')], types = DEFAULT_TYPES, typesOf = {}, options, ...rest } = parts;
    const offered: readonly Pool[] = pools.map((nodePool) => ({
      nodePool,
      instanceTypes: typesOf[nodePool.metadata.name] ?? types,
    }));
    this.snapshot = { ...EMPTY_SNAPSHOT, ...rest, pools: offered };
    this.options = {
      ...DEFAULT_PLANNING,
      profile: FAKE_PROFILE,
      reservationIdLabel: RESERVATION_LABEL,
      reservedCapacity: 'Fallback',
      ...options,
    };
  }

  /** The plan for these pods. */
  plan(...pods: readonly Pod[]): Plan {
    return finish(planSnapshot({ ...this.snapshot, pods: [...this.snapshot.pods, ...pods] }, this.options));
  }

  /** Plans, buys what the plan says and binds the pods; those without a place are not tried again. */
  schedule(...pods: readonly Pod[]): Plan {
    const plan = this.plan(...pods);
    const bought = plan.newNodes.map((node) => this.#buy(node));
    const received = new Map(plan.existingNodes.map(({ node, pods: placed }) => [node, placed]));
    const nodes = this.snapshot.nodes.map((node) => ({
      ...node,
      pods: [...node.pods, ...(received.get(node.name) ?? []).map(({ pod }) => bind(pod, node.name))],
    }));
    this.snapshot = { ...this.snapshot, nodes: [...nodes, ...bought] };
    return plan;
  }

  /** How many bound pods with this label are in each domain of a key, sorted by number. */
  counts(key: string, label: readonly [key: string, value: string] = ['app', 'test']): readonly number[] {
    return [...this.domains(key, label).values()].sort((a, b) => a - b);
  }

  domains(key: string, [name, value]: readonly [string, string] = ['app', 'test']): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const { labels, pods } of [...this.snapshot.nodes, ...this.snapshot.deletingNodes]) {
      const matching = pods.filter(({ metadata }) => metadata.labels?.[name] === value).length;
      if (matching > 0) counts.set(labels[key]!, (counts.get(labels[key]!) ?? 0) + matching);
    }
    return counts;
  }

  /** The node a pod is bound to. */
  nodeOf(pod: Pod): ExistingNode | undefined {
    return this.snapshot.nodes.find(({ pods }) => pods.some((one) => podId(one) === podId(pod)));
  }

  #buy(planned: PlannedNode): ExistingNode {
    const name = `bought-${String(++this.#bought).padStart(3, '0')}`;
    const pool = this.snapshot.pools.find(({ nodePool }) => nodePool.metadata.name === planned.nodePool)!;
    const type = pool.instanceTypes.find((one) => one.name === planned.instanceTypes[0])!;
    const offerings = compatibleOfferings(type, planned.requirements, this.options.profile);
    const offering = offerings.toSorted((a, b) => a.pricePerHour - b.pricePerHour)[0]!;
    const value = (key: string) => offering.requirements.find((one) => one.key === key)!.values![0]!;
    const labels: Record<string, string> = {
      [ARCH_LABEL]: type.requirements.find(({ key }) => key === ARCH_LABEL)!.values![0]!,
      [HOSTNAME_LABEL]: name,
      [INSTANCE_TYPE_LABEL]: type.name,
      [NODEPOOL_LABEL]: planned.nodePool,
      [ZONE_LABEL]: value(ZONE_LABEL),
      [CAPACITY_TYPE_LABEL]: value(CAPACITY_TYPE_LABEL),
    };
    for (const [key, { complement, values }] of planned.requirements) {
      const [only] = values;
      if (!complement && values.size === 1) labels[key] ??= only!;
    }
    const taints = pool.nodePool.spec.template.spec.taints ?? [];
    return makeNode(name, {
      labels,
      taints,
      capacity: type.capacity,
      allocatable: allocatable(type),
      pods: planned.pods.map(({ pod }) => bind(pod, name)),
    });
  }
}

/** Why a pod was not placed, in upstream's words; `undefined` if it was. */
export function failureOf(plan: Plan, pod: Pod): string | undefined {
  const failed = plan.unschedulable.find((one) => podId(one.pod) === podId(pod));
  return failed && renderFailure(failed.failure);
}

/** How many pods each new node gets, fewest first. */
export function packing({ newNodes }: Plan): readonly number[] {
  return newNodes.map(({ pods }) => pods.length).sort((a, b) => a - b);
}

/** The values a planned node's label may have, sorted; `undefined` if that is open. */
export function valuesOf({ requirements }: PlannedNode, key: string): readonly string[] | undefined {
  const requirement = requirements.get(key);
  return requirement === undefined || requirement.complement ? undefined : [...requirement.values].sort();
}

function bind(pod: Pod, nodeName: string): Pod {
  return { ...pod, spec: { ...pod.spec, nodeName }, status: { phase: 'Running' } };
}

function allocatable({ capacity, overhead }: InstanceType): Readonly<Record<string, string | number>> {
  const reservedCpu = overhead.kubeReserved?.['cpu'] === undefined ? 0 : 100;
  return { ...capacity, cpu: `${1000 * Number(capacity['cpu']) - reservedCpu}m` };
}
