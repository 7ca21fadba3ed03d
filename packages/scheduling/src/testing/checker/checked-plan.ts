// A snapshot and a plan laid side by side in the form the rules read: every node with all that is on it.
import {
  findIncompatibilities,
  HOSTNAME_LABEL,
  INITIALIZED_LABEL,
  nodeClassLabel,
  type NodePool,
  NODEPOOL_LABEL,
  type ProviderProfile,
  REGISTERED_LABEL,
  type Requirements,
  toLabelRequirements,
  toRequirements,
} from '@karpenter-ts/apis';
import type { Pod, Taint } from '@karpenter-ts/kubernetes';
import { podId } from '../../model/pods/pod-id.ts';
import type { PlacedPod, Plan, PlannedNode } from '../../plan.ts';
import type { ExistingNode, InstanceType, Offering, PlanningOptions, Snapshot } from '../../snapshot.ts';
import { type Nanos, requestsOf, sum } from './amounts.ts';
import { both, type Demands, demandsOf } from './demands.ts';

/** All that a rule may read. */
export interface CheckedPlan {
  readonly snapshot: Snapshot;
  readonly options: PlanningOptions;
  readonly plan: Plan;
  readonly planned: readonly PlannedTarget[];
  /** All of the snapshot, also those that receive nothing. */
  readonly existing: readonly ExistingTarget[];
  /** In the order they are tried: heaviest first, then the later name. */
  readonly pools: readonly PoolFacts[];
  /** Pods that topology counts where they are. */
  readonly residents: readonly Resident[];
}

export interface PlannedTarget {
  readonly kind: 'planned';
  readonly hostname: string;
  readonly node: PlannedNode;
  readonly pool: PoolFacts;
  readonly taints: readonly Taint[];
  readonly types: readonly InstanceType[];
  readonly placed: readonly Placement[];
  /** Of all pods placed there. */
  readonly requests: Nanos;
}

export interface ExistingTarget {
  readonly kind: 'existing';
  readonly hostname: string;
  readonly node: ExistingNode;
  readonly taints: readonly Taint[];
  readonly placed: readonly Placement[];
  /** Of all pods placed there. */
  readonly requests: Nanos;
}

/** A pod where the plan puts it, with the constraints it still has there. */
export interface Placement extends PlacedPod {
  readonly demands: Demands;
}

export type Target = PlannedTarget | ExistingTarget;

export interface PoolFacts {
  readonly name: string;
  readonly nodePool: NodePool;
  readonly instanceTypes: readonly InstanceType[];
  readonly taints: readonly Taint[];
  /** What every node of the pool is asked before any pod (spec 02 §7.7). */
  readonly template: Requirements;
  /** By label, the values its nodes may have, by its own word and by what its types are (spec 02 §16.2). */
  readonly domains: ReadonlyMap<string, ReadonlySet<string>>;
}

/** A pod that stays where it is. */
export interface Resident {
  readonly pod: Pod;
  readonly nodeName: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Of the Node object as it is. */
  readonly taints: readonly Taint[];
  /** Counts as a match; a pod that is terminating does not, but its own anti-affinity holds to the end. */
  readonly counts: boolean;
}

/** Expects every name of the plan to be one of the snapshot. */
export function toCheckedPlan(snapshot: Snapshot, plan: Plan, options: PlanningOptions): CheckedPlan {
  const pools = snapshot.pools
    .map((pool) => poolFacts(pool.nodePool, pool.instanceTypes, options.profile))
    .sort(inOrder);
  return {
    snapshot,
    options,
    plan,
    pools,
    planned: plan.newNodes.map((node) => plannedTarget(node, pools, options)),
    existing: snapshot.nodes.map((node) => existingTarget(node, plan, options)),
    residents: residentsOf(snapshot),
  };
}

export function targetsOf({ existing, planned }: CheckedPlan): readonly Target[] {
  return [...existing, ...planned];
}

function poolFacts(nodePool: NodePool, instanceTypes: readonly InstanceType[], profile: ProviderProfile): PoolFacts {
  const { metadata, spec } = nodePool.spec.template;
  const labels = {
    ...metadata?.labels,
    [NODEPOOL_LABEL]: nodePool.metadata.name,
    [nodeClassLabel(spec.nodeClassRef)]: spec.nodeClassRef.name,
    [REGISTERED_LABEL]: 'true',
    [INITIALIZED_LABEL]: 'true',
  };
  return {
    name: nodePool.metadata.name,
    nodePool,
    instanceTypes,
    taints: spec.taints ?? [],
    template: both(toRequirements(spec.requirements, profile), toLabelRequirements(labels, profile)),
    domains: domainsOfPool(nodePool, instanceTypes, profile),
  };
}

function domainsOfPool(
  { spec: { template } }: NodePool,
  instanceTypes: readonly InstanceType[],
  profile: ProviderProfile,
): ReadonlyMap<string, ReadonlySet<string>> {
  const labels = toLabelRequirements(template.metadata?.labels ?? {}, profile);
  const own = both(toRequirements(template.spec.requirements, profile), labels);
  const domains = new Map<string, Set<string>>();
  for (const { requirements } of instanceTypes) {
    for (const set of [own, both(own, toRequirements(requirements, profile))]) {
      for (const { key, complement, values } of set.values()) {
        if (!complement) domains.set(key, (domains.get(key) ?? new Set()).union(values));
      }
    }
  }
  return domains;
}

function inOrder(a: PoolFacts, b: PoolFacts): number {
  return (b.nodePool.spec.weight ?? 0) - (a.nodePool.spec.weight ?? 0) || (a.name < b.name ? 1 : -1);
}

function plannedTarget(node: PlannedNode, pools: readonly PoolFacts[], options: PlanningOptions): PlannedTarget {
  const pool = pools.find(({ name }) => name === node.nodePool)!;
  const types = node.instanceTypes.map((name) => pool.instanceTypes.find((type) => type.name === name)!);
  const placed = placements(node.pods, options);
  const requests = sum(...placed.map(({ pod }) => requestsOf(pod)));
  return { kind: 'planned', hostname: node.placeholder, node, pool, taints: pool.taints, types, placed, requests };
}

function existingTarget(node: ExistingNode, plan: Plan, options: PlanningOptions): ExistingTarget {
  const { pods = [] } = plan.existingNodes.find((placement) => placement.node === node.name) ?? {};
  const hostname = node.labels[HOSTNAME_LABEL] ?? node.name;
  const requests = sum(...pods.map(({ pod }) => requestsOf(pod)));
  return { kind: 'existing', hostname, node, taints: node.taints, placed: placements(pods, options), requests };
}

function placements(pods: readonly PlacedPod[], options: PlanningOptions): readonly Placement[] {
  return pods.map((placed) => ({ ...placed, demands: demandsOf(placed, options) }));
}

function residentsOf(snapshot: Snapshot): readonly Resident[] {
  const moving = new Set(snapshot.pods.map(podId));
  const { nodes, deletingNodes, absentNodes = [] } = snapshot;
  return [...nodes, ...deletingNodes, ...absentNodes].flatMap(({ name, node, pods }) => {
    if (node === undefined) return [];
    const staying = pods.filter((pod) => !moving.has(podId(pod)));
    return staying.map((pod) => ({
      pod,
      nodeName: name,
      labels: node.labels,
      taints: node.taints,
      counts: pod.metadata.deletionTimestamp === undefined,
    }));
  });
}

/** The value or values of a topology key that pods on the node may end up with; `undefined` if that is open. */
export function domainsOf(target: Target, key: string): readonly string[] | undefined {
  if (key === HOSTNAME_LABEL) return [target.hostname];
  if (target.kind === 'existing') {
    const value = target.node.labels[key];
    return value === undefined ? undefined : [value];
  }
  const requirement = target.node.requirements.get(key);
  return requirement === undefined || requirement.complement ? undefined : [...requirement.values];
}

/** Where topology counts a resident. */
export function domainOf({ labels, nodeName }: Resident, key: string): string | undefined {
  return labels[key] ?? (key === HOSTNAME_LABEL ? nodeName : undefined);
}

/** The ways to buy a type now that the requirements leave (spec 02 §21). */
export function usableOfferings(
  type: InstanceType,
  requirements: Requirements,
  profile: ProviderProfile,
): readonly Offering[] {
  return type.offerings.filter(
    (offering) =>
      offering.available &&
      findIncompatibilities(requirements, toRequirements(offering.requirements, profile), profile.wellKnownLabels)
        .length === 0,
  );
}

/** Whether the type has no label that the requirements exclude; labels only one side knows do not matter. */
export function isTypeCompatible(type: InstanceType, requirements: Requirements, profile: ProviderProfile): boolean {
  const own = toRequirements(type.requirements, profile);
  return findIncompatibilities(own, requirements, new Set(requirements.keys())).length === 0;
}
