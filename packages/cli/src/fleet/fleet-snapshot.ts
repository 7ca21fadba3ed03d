import {
  CAPACITY_TYPE_LABEL,
  CORE_PROFILE,
  INSTANCE_TYPE_LABEL,
  type NodePool,
  NODEPOOL_LABEL,
  type RequirementSpec,
  ZONE_LABEL,
} from '@karpenter-ts/apis';
import { memberOf, type Pod, type ResourceList } from '@karpenter-ts/kubernetes';
import {
  DEFAULT_PLANNING,
  EMPTY_SNAPSHOT,
  type ExistingNode,
  type InstanceType,
  type NodeFacts,
  type PlanningOptions,
  type Snapshot,
  type Volumes,
} from '@karpenter-ts/scheduling';

/** What a fleet file asks to be planned. */
export interface Fleet {
  readonly snapshot: Snapshot;
  /** Upstream's defaults; the labels of the catalogue are well-known besides, and `reserved` is an offering like any. */
  readonly options: PlanningOptions;
}

/** The content of a fleet file that passed its schema. */
export interface FleetContent {
  readonly catalogue: readonly CatalogueEntry[];
  readonly nodePools: readonly NodePool[];
  readonly pods: readonly Pod[];
  readonly daemonPods?: readonly Pod[];
  /** Nodes that are there, with the pods on them. */
  readonly existing?: readonly ExistingEntry[];
  readonly volumes?: FleetVolumes;
}

/** The storage objects of a fleet file. */
interface FleetVolumes extends Partial<Omit<Volumes, 'volumeClaims'>> {
  readonly claims?: Volumes['volumeClaims'];
}

/** An existing node as the planner has it; all but its name and its room may be left out. */
type ExistingEntry = Pick<ExistingNode, 'name' | 'allocatable'> & Partial<ExistingNode>;

export interface CatalogueEntry {
  readonly name: string;
  readonly capacity: ResourceList;
  readonly overhead?: ResourceList;
  readonly labels?: Readonly<Record<string, readonly string[]>>;
  readonly offerings: readonly CatalogueOffering[];
  /** Launched only where no other type would do, as metal types and those with GPUs on AWS. */
  readonly lastResort?: boolean;
}

interface CatalogueOffering {
  readonly zone: string;
  readonly capacityType: string;
  readonly price: number;
  readonly available?: boolean;
}

/** Every pool of the file draws on its whole catalogue; static pools plan nothing and are left out. */
export function toFleet(content: FleetContent): Fleet {
  const {
    catalogue,
    nodePools,
    pods,
    daemonPods = [],
    existing = [],
    volumes: { claims = [], ...volumes } = {},
  } = content;
  const catalogueLabels = new Set(catalogue.flatMap(({ labels = {} }) => Object.keys(labels)));
  const wellKnownLabels = CORE_PROFILE.wellKnownLabels.union(catalogueLabels);
  const instanceTypes = catalogue.map((entry) => toInstanceType(entry, wellKnownLabels));
  const dynamic = nodePools.filter(({ spec }) => spec.replicas === undefined);
  return {
    snapshot: {
      ...EMPTY_SNAPSHOT,
      pools: dynamic.map((nodePool) => ({ nodePool, instanceTypes })),
      pods,
      daemonPods,
      nodes: existing.map(toExistingNode),
      volumes: { ...EMPTY_SNAPSHOT.volumes, ...volumes, volumeClaims: claims },
    },
    options: { ...DEFAULT_PLANNING, profile: { ...CORE_PROFILE, wellKnownLabels }, reservedCapacity: 'Off' },
  };
}

/** One that is initialized has a Node, which is as the entry says unless it says otherwise. */
function toExistingNode(entry: ExistingEntry): ExistingNode {
  const { labels = {}, taints = [], initialized = true, capacity = entry.allocatable } = entry;
  return {
    providerId: entry.name,
    name: entry.name,
    labels,
    taints,
    node: entry.node === undefined ? (initialized ? { labels, taints } : undefined) : { ...NO_FACTS, ...entry.node },
    initialized,
    capacity,
    allocatable: entry.allocatable,
    pods: (entry.pods ?? []).filter(({ status }) => status?.phase !== 'Failed' && status?.phase !== 'Succeeded'),
    volumeLimits: entry.volumeLimits ?? {},
    refusesMovedPods: entry.refusesMovedPods ?? false,
  };
}

const NO_FACTS: NodeFacts = { labels: {}, taints: [] };

export function toInstanceType(entry: CatalogueEntry, wellKnownLabels: ReadonlySet<string>): InstanceType {
  const { name, capacity, overhead = {}, labels = {}, offerings, lastResort } = entry;
  const values: Readonly<Record<string, readonly string[]>> = {
    ...labels,
    [INSTANCE_TYPE_LABEL]: [name],
    [ZONE_LABEL]: [...new Set(offerings.map(({ zone }) => zone))],
    [CAPACITY_TYPE_LABEL]: [...new Set(offerings.map(({ capacityType }) => capacityType))],
  };
  const absent = [...wellKnownLabels].filter((key) => key !== NODEPOOL_LABEL && memberOf(values, key) === undefined);
  return {
    name,
    requirements: [
      ...Object.entries(values).map(([key, listed]): RequirementSpec => ({ key, operator: 'In', values: listed })),
      ...absent.map((key): RequirementSpec => ({ key, operator: 'DoesNotExist' })),
    ],
    offerings: offerings.map(({ zone, capacityType, price, available = true }) => ({
      requirements: [
        { key: ZONE_LABEL, operator: 'In', values: [zone] },
        { key: CAPACITY_TYPE_LABEL, operator: 'In', values: [capacityType] },
      ],
      pricePerHour: price,
      available,
    })),
    capacity,
    overhead: { kubeReserved: overhead },
    lastResort,
  };
}
